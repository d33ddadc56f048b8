//! Bringing a checkout in line with a version: what came in is written, what went is removed, and
//! what somebody wrote there stays.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Checkout, CheckoutError, Look,
    conflict::both,
    folder::Standing,
    meta_name,
    propose::Conflicts,
    record::{Entry, Filed, Stat},
    write::{META_LIMIT, check_manifests, plan_text, save},
};
use crate::{
    format::{FileName, MANIFEST_FILE, amend, decode, encode, limits, without_mark},
    model::Timestamp,
    plan::{Conflict, Wanted},
    store::{ObjectId, Snapshot, blob_id},
    workspace::{Handle, Workspace},
};

/// What changed in a directory.
#[derive(Debug, Default)]
pub struct Refreshed {
    /// Files that were written.
    pub written: Vec<String>,
    /// Files that were removed.
    pub removed: Vec<String>,
    /// Files of somebody that stood in the way, with the name that they have now.
    pub aside: Vec<(String, String)>,
}

/// Brings a checkout in line with a version that holds everything that was found in it. If somebody
/// went on writing the plan meanwhile, the directory stays as it is, and the next commit merges.
pub fn refresh(
    workspace: &Workspace,
    version: &Handle,
    checkout: &mut Checkout,
    look: &Look,
) -> Result<Refreshed, CheckoutError> {
    let mut refresh = Refresh::new(workspace, version, checkout, look);
    if !refresh.is_plan_as_seen()? {
        return Ok(Refreshed::default());
    }
    let snapshot = workspace.snapshot(version.id(), version.commit())?;
    check_manifests(version.id(), &snapshot)?;
    let text = plan_text(workspace, version, &snapshot)?;
    refresh.write_events(&snapshot, &Own::default())?;
    refresh.write_meta(&snapshot, None)?;
    refresh.finish(&text)
}

/// Brings a checkout onto a version that changed the same as somebody did there: both versions of
/// an event stand in its file, and everything else is merged. Nothing is committed.
pub fn adopt(
    workspace: &Workspace,
    version: &Handle,
    checkout: &mut Checkout,
    look: &Look,
    conflicts: &Conflicts,
) -> Result<Refreshed, CheckoutError> {
    let snapshot = workspace.snapshot(version.id(), version.commit())?;
    let own = Own::of(checkout, conflicts);
    let stored_text = plan_text(workspace, version, &snapshot)?;
    let mut refresh = Refresh::new(workspace, version, checkout, look);
    if !refresh.is_plan_as_seen()? {
        return Ok(Refreshed::default());
    }
    refresh.write_events(&snapshot, &own)?;
    let stat = refresh.checkout.folder.replace(MANIFEST_FILE, own.text.as_bytes())?;
    let (stored, local) = (blob_id(stored_text.as_bytes()), None);
    refresh.checkout.record.plan = Entry { stored, local, stat };
    refresh.write_meta(&snapshot, conflicts.meta.as_deref())?;
    refresh.save()
}

/// What somebody did to events of a version, and has not been stored.
#[derive(Debug, Default)]
struct Own {
    /// The events that were edited, by their names in the version, with those that they have here.
    edited: BTreeMap<FileName, String>,
    /// Those of them that were edited there, too.
    torn: BTreeSet<FileName>,
    /// The plan.
    text: String,
}

impl Own {
    fn of(checkout: &Checkout, conflicts: &Conflicts) -> Self {
        let Conflicts { conflicts, wish, tip, .. } = conflicts;
        let torn = conflicts.iter().filter_map(|conflict| match conflict {
            Conflict::Edited(name, _) => Some(name.clone()),
            Conflict::RemovedThere(_) | Conflict::RemovedHere(_) | Conflict::Order => None,
        });
        let torn: BTreeSet<FileName> = torn.collect();
        let name_at = |at: usize| tip.stream.get(at).map(|listed| &listed.name);
        let mut edited = BTreeMap::new();
        for at in wish.edited.keys() {
            let Some(name) = name_at(*at) else { continue };
            let was = checkout.record.files.keys().find(|was| was.address() == name.address());
            let here = wish.renamed.get(at).or(was).unwrap_or(name);
            edited.insert(name.clone(), here.to_string());
        }
        let mut text = String::new();
        for line in &wish.lines {
            match &line.wanted {
                Wanted::Remark(remark) => text += remark,
                Wanted::Kept(at) => {
                    let name = name_at(*at);
                    let is_torn = name.is_some_and(|name| torn.contains(name));
                    let renamed = wish.renamed.get(at).filter(|_| !is_torn);
                    text += renamed.or(name).map_or("", FileName::as_str);
                }
                Wanted::New(index) => text += wish.added.get(*index).map_or("", |new| &new.given),
            }
            text.push('\n');
        }
        Self { edited, torn, text }
    }
}

struct Refresh<'a> {
    workspace: &'a Workspace,
    version: &'a Handle,
    checkout: &'a mut Checkout,
    look: &'a Look,
    done: Refreshed,
}

impl<'a> Refresh<'a> {
    fn new(
        workspace: &'a Workspace,
        version: &'a Handle,
        checkout: &'a mut Checkout,
        look: &'a Look,
    ) -> Self {
        Self { workspace, version, checkout, look, done: Refreshed::default() }
    }

    /// Whether the plan is the one that was looked at, or the one that names were given in.
    fn is_plan_as_seen(&self) -> Result<bool, CheckoutError> {
        let bytes = match self.checkout.folder.look(MANIFEST_FILE)? {
            Standing::File(_) => self.checkout.folder.read(MANIFEST_FILE, limits::MANIFESTS)?,
            Standing::Nothing => return Ok(true),
            Standing::Other => return Ok(false),
        };
        let content = Some(blob_id(&bytes));
        let named = &self.checkout.named;
        Ok(content == self.look.plan || named.seen == self.look.plan && content == named.plan)
    }

    /// Writes the events of the version: those that came in or changed there. What was edited here
    /// and is not stored yet stays an edit; what is torn gets both versions.
    fn write_events(&mut self, snapshot: &Snapshot, own: &Own) -> Result<(), CheckoutError> {
        let mut files = BTreeMap::new();
        for located in &snapshot.order {
            let Some(blob) = located.blob else { continue };
            let name = &located.name;
            let conflict = own.torn.contains(name);
            let entry = match own.edited.get(name) {
                Some(here) if conflict => self.tear(name, here, blob)?,
                Some(here) => self.carry(name, here, blob)?,
                None => self.write_event(name, blob)?,
            };
            files.insert(name.clone(), Filed { run: located.run.clone(), entry, conflict });
        }
        // Those that are not in the version stay known until they are removed.
        std::mem::swap(&mut self.checkout.record.files, &mut files);
        for (name, filed) in files {
            if !self.checkout.record.files.contains_key(&name) {
                self.forget(&name, &filed)?;
            }
        }
        Ok(())
    }

    fn write_event(&mut self, name: &FileName, blob: ObjectId) -> Result<Entry, CheckoutError> {
        let text = name.as_str();
        let standing = self.checkout.folder.look(text)?;
        let known = self.checkout.record.files.get(name).map(|filed| filed.entry);
        let mut replaced = known.map(|entry| entry.local());
        if let Some(Some(bytes)) = self.look.hand.files.get(text)
            && let Some((stat, local)) = self.look.found.get(text)
            && standing != Standing::Nothing
        {
            if self.says(name, bytes, blob)? {
                // Somebody's own words; what is stored of them may have a mark. If they went on
                // since then, that is another edit.
                let stat = if standing == Standing::File(*stat) { *stat } else { Stat::default() };
                let local = Some(*local).filter(|local| *local != blob);
                return Ok(Entry { stored: blob, local, stat });
            }
            // Written in another way, it says nothing that is not stored.
            if let Some(entry) = known
                && self.says(name, bytes, entry.stored)?
            {
                replaced = Some(*local);
            }
        }
        if let Some(entry) = known.filter(|entry| entry.stored == blob)
            && standing != Standing::Nothing
        {
            return Ok(entry);
        }
        let bytes = self.workspace.read_blob(self.version.id(), &blob)?;
        let stat = self.put(text, &bytes, replaced)?;
        Ok(Entry { stored: blob, local: None, stat })
    }

    /// Whether a file says what is stored, but for the mark of an edit and what goes with an edit.
    fn says(&self, name: &FileName, bytes: &[u8], blob: ObjectId) -> Result<bool, CheckoutError> {
        if blob_id(bytes) == blob {
            return Ok(true);
        }
        let stored = self.workspace.read_blob(self.version.id(), &blob)?;
        let read = |bytes: &[u8], now| decode(bytes, name.form(), name.hinted_type(), now).ok();
        let epoch = Timestamp::from_seconds(0);
        let Some(there) = read(&stored, epoch) else { return Ok(false) };
        // What it did not say was added when it was stored.
        let Some(here) = read(bytes, there.event.timestamp) else { return Ok(false) };
        let there = without_mark(&there.event);
        if without_mark(&here.event) == there {
            return Ok(true);
        }
        let amended = amend(bytes.to_vec(), name.form(), &here, epoch);
        Ok(amended.is_ok_and(|(event, _)| without_mark(&event) == there))
    }

    /// Writes a file in place of one with a content that is stored. What somebody else wrote under
    /// its name is put aside.
    fn put(
        &mut self,
        name: &str,
        bytes: &[u8],
        replaced: Option<ObjectId>,
    ) -> Result<Stat, CheckoutError> {
        let folder = &self.checkout.folder;
        match folder.look(name)? {
            Standing::Nothing => {}
            Standing::File(stat) => {
                let present = blob_id(&folder.read(name, limits::EVENT_FILE)?);
                if present == blob_id(bytes) {
                    return Ok(stat);
                }
                if replaced != Some(present) {
                    self.set_aside(name)?;
                }
            }
            Standing::Other => self.set_aside(name)?,
        }
        self.done.written.push(name.to_owned());
        Ok(self.checkout.folder.put(name, bytes)?)
    }

    fn set_aside(&mut self, name: &str) -> Result<(), CheckoutError> {
        let aside = self.checkout.folder.set_aside(name)?;
        self.done.aside.push((name.to_owned(), aside));
        Ok(())
    }

    /// Leaves an edit in its file, under the name that the event has now.
    fn carry(
        &mut self,
        name: &FileName,
        here: &str,
        blob: ObjectId,
    ) -> Result<Entry, CheckoutError> {
        // Where somebody gave the file another name, the plan has that name.
        let is_former =
            here.parse().is_ok_and(|here| self.checkout.record.files.contains_key(&here));
        let name = name.as_str();
        if here != name && is_former {
            if self.checkout.folder.look(name)? != Standing::Nothing {
                self.set_aside(name)?;
            }
            self.checkout.folder.rename(here, name)?;
        }
        Ok(unread(blob))
    }

    /// Puts both versions of an event into its file.
    fn tear(
        &mut self,
        name: &FileName,
        here: &str,
        blob: ObjectId,
    ) -> Result<Entry, CheckoutError> {
        let there = self.workspace.read_blob(self.version.id(), &blob)?;
        let own = self.checkout.folder.read(here, limits::EVENT_FILE)?;
        let bytes = both(&own, &unmarked(name, there));
        let folder = &self.checkout.folder;
        if here != name.as_str() && folder.look(name.as_str())? != Standing::Nothing {
            self.set_aside(name.as_str())?;
        }
        let stat = self.checkout.folder.replace(name.as_str(), &bytes)?;
        if here != name.as_str() {
            self.checkout.folder.remove(here)?;
        }
        self.done.written.push(name.to_string());
        Ok(Entry { stored: blob, local: Some(blob_id(&bytes)), stat })
    }

    /// Removes the file of an event that is not in the version any more, unless somebody changed it.
    fn forget(&mut self, name: &FileName, filed: &Filed) -> Result<(), CheckoutError> {
        let name = name.as_str();
        // Of two versions in one file, one was never stored.
        if filed.conflict || self.look.hand.files.contains_key(name) {
            return Ok(());
        }
        if let Standing::File(_) = self.checkout.folder.look(name)? {
            let present = blob_id(&self.checkout.folder.read(name, limits::EVENT_FILE)?);
            if present == filed.entry.local() {
                self.checkout.folder.remove(name)?;
                self.done.removed.push(name.to_owned());
            }
        }
        Ok(())
    }

    /// Writes title and labels: those of the version, or what was merged with it and is not stored.
    fn write_meta(
        &mut self,
        snapshot: &Snapshot,
        merged: Option<&[u8]>,
    ) -> Result<(), CheckoutError> {
        let Some(stored) = meta_of(snapshot) else {
            self.checkout.record.meta = None;
            return Ok(());
        };
        let known = self.checkout.record.meta;
        let is_current = known.is_some_and(|entry| entry.stored == stored);
        if is_current && self.look.meta.is_none() {
            return Ok(());
        }
        let name = meta_name();
        let folder = &self.checkout.folder;
        let is_seen = match folder.look(&name)? {
            Standing::File(_) => {
                let present = Some(blob_id(&folder.read(&name, META_LIMIT)?));
                let seen = self.look.meta.as_ref().map(|bytes| blob_id(bytes));
                present == seen.or(known.map(|entry| entry.local()))
            }
            Standing::Nothing => known.is_none(),
            Standing::Other => false,
        };
        if !is_seen {
            // What somebody wrote since then began with what is known.
            self.checkout.record.meta = Some(known.unwrap_or(unread(stored)));
            return Ok(());
        }
        let entry = match merged {
            Some(merged) => {
                folder.replace(&name, merged)?;
                unread(stored)
            }
            None => {
                let bytes = self.workspace.read_blob(self.version.id(), &stored)?;
                Entry { stored, local: None, stat: folder.replace(&name, &bytes)? }
            }
        };
        self.checkout.record.meta = Some(entry);
        Ok(())
    }

    /// Writes the plan, and the record last.
    fn finish(self, text: &str) -> Result<Refreshed, CheckoutError> {
        let stored = blob_id(text.as_bytes());
        let present = self.checkout.folder.read(MANIFEST_FILE, limits::MANIFESTS);
        let present = present.unwrap_or_default();
        let stat = match String::from_utf8_lossy(&present) == text {
            true => match self.checkout.folder.look(MANIFEST_FILE)? {
                Standing::File(stat) => stat,
                Standing::Nothing | Standing::Other => Stat::default(),
            },
            false => self.checkout.folder.replace(MANIFEST_FILE, text.as_bytes())?,
        };
        self.checkout.record.plan = Entry { stored, local: None, stat };
        self.save()
    }

    fn save(self) -> Result<Refreshed, CheckoutError> {
        self.checkout.record.commit = self.version.commit();
        self.checkout.recorded = save(&self.checkout.folder, &self.checkout.record)?;
        self.checkout.grown = Some(0);
        Ok(self.done)
    }
}

/// A file without the mark of an edit, which is nothing to choose: it is set anew.
fn unmarked(name: &FileName, bytes: Vec<u8>) -> Vec<u8> {
    let decoded = decode(&bytes, name.form(), name.hinted_type(), Timestamp::from_seconds(0));
    let Ok(event) = decoded.map(|decoded| decoded.event) else { return bytes };
    let is_canonical = encode(&event).is_ok_and(|canonical| canonical == bytes);
    match encode(&without_mark(&event)) {
        Ok(unmarked) if is_canonical => unmarked,
        _ => bytes,
    }
}

/// An entry of a file that has to be read, whatever it looks like.
fn unread(stored: ObjectId) -> Entry {
    Entry { stored, local: None, stat: Stat::default() }
}

fn meta_of(snapshot: &Snapshot) -> Option<ObjectId> {
    snapshot.listings.get(&None).and_then(|top| top.meta)
}
