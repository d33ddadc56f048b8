//! Making a commit of a checkout.

use super::{
    Checkout, CheckoutError, Look, Named, Proposal,
    folder::Standing,
    is_whole,
    propose::New,
    record::{Entry, Filed, Later, Stat},
    record_name,
    write::save,
};
use crate::{
    format::{MANIFEST_FILE, limits},
    model::counted,
    plan::{Change, PlanLine, PlanText, Tally, plain},
    store::{Content, Links, ObjectId, Origin, blob_id},
    workspace::{Guard, Revision, Workspace},
};

/// A commit of a checkout that is on disk.
#[derive(Debug)]
pub struct Committed {
    /// The commit.
    pub commit: ObjectId,
    /// What it did to events.
    pub tally: Tally,
    /// What else it did, one line each.
    pub remarks: Vec<String>,
    /// Files of somebody that stood in the way, with the name that they have now.
    pub aside: Vec<(String, String)>,
}

/// Makes a commit of a proposal. It fails as contended if the conversation moved since it was
/// proposed; the directory is then as good as before.
pub fn commit(
    workspace: &Workspace,
    guard: &mut Guard,
    checkout: &mut Checkout,
    look: &Look,
    proposal: Proposal,
) -> Result<Committed, CheckoutError> {
    let Proposal { version, tally, remarks, changes, summary, added, is_plain } = proposal;
    if guard.commit() != version {
        let id = guard.id();
        return Err(crate::workspace::WriteFailure::Contended { id }.into());
    }
    // New files get their names first: an edit that is cut off after its commit must not add them
    // once more.
    let aside = checkout.give_names(look, &added)?;
    let (subject, body) = message("edit", &tally, &remarks);
    let stored: Vec<(String, ObjectId)> = changes
        .iter()
        .filter_map(|change| match change {
            Change::Put(path, bytes) => Some((path.name().to_owned(), blob_id(bytes))),
            Change::Move(..) | Change::Remove(_) => None,
        })
        .collect();
    let revision = Revision {
        subject,
        body,
        origin: Origin::Edit,
        content: Content::Changed(changes),
        summary,
        links: Links::default(),
    };
    let commit = workspace.revise(guard, revision)?;
    if is_plain {
        checkout.remember(commit, look, &stored);
    }
    Ok(Committed { commit, tally, remarks, aside })
}

/// What a commit says of itself.
pub(crate) fn message(verb: &str, tally: &Tally, remarks: &[String]) -> (String, Vec<String>) {
    let counts = [
        ("removed", tally.removed.len()),
        ("moved", tally.moved.len()),
        ("edited", tally.edited.len()),
        ("added", tally.added.len() + tally.stand_ins.len()),
        ("renamed", tally.renamed.len()),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut parts: Vec<String> = counts.map(|(what, count)| format!("{count} {what}")).collect();
    if parts.is_empty() {
        parts.push(counted(1, "change") + " beside the events");
    }
    let mut body = Vec::new();
    for (what, names) in
        [("removed", &tally.removed), ("moved", &tally.moved), ("edited", &tally.edited)]
    {
        body.extend(names.iter().map(|name| format!("{what} {name}")));
    }
    body.extend(tally.added.iter().map(|(name, _)| format!("added {name}")));
    let stand_in = |(name, call): &(_, _)| format!("added {name}: call `{call}` had no result");
    body.extend(tally.stand_ins.iter().map(stand_in));
    body.extend(tally.renamed.iter().map(|(name, was)| format!("renamed {was} to {name}")));
    body.extend(remarks.iter().cloned());
    (format!("{verb}: {}", parts.join(", ")), body)
}

/// How many commits are put behind a record before all of it is written anew.
const MOST_GROWN: usize = 50;

impl Checkout {
    /// Gives new files the content and the names that they are stored with: the content, a second
    /// name, the plan that lists it, and then the first name goes. Returns what stood in the way.
    pub(super) fn give_names(
        &mut self,
        look: &Look,
        added: &[New],
    ) -> Result<Vec<(String, String)>, CheckoutError> {
        let mut aside = Vec::new();
        if added.is_empty() {
            return Ok(aside);
        }
        if self.named.seen != look.plan {
            self.named = Named { seen: look.plan, ..Named::default() };
        }
        // One that was not committed after all has got a name already.
        let named = &self.named.names;
        let present = |new: &New| named.get(&new.given).unwrap_or(&new.given).clone();
        let present: Vec<String> = added.iter().map(present).collect();
        for (new, present) in added.iter().zip(&present) {
            aside.extend(self.name_new(look, new, present)?);
        }
        let new_name = |line: &str| {
            let at = present.iter().position(|present| present == line)?;
            Some(added[at].name.to_string())
        };
        self.list_names(look, new_name)?;
        for (new, present) in added.iter().zip(&present) {
            self.named.names.insert(new.given.clone(), new.name.to_string());
            let is_taken = added.iter().any(|new| new.name.as_str() == present);
            // What somebody wrote there since then is nowhere else.
            if !is_taken && self.content(present)? == Some(blob_id(&new.bytes)) {
                self.folder.remove(present)?;
            }
            self.remove_first_names(look, new.name.as_str())?;
        }
        Ok(aside)
    }

    /// Gives a new file its content and its name. Returns what stood in the way.
    fn name_new(
        &self,
        look: &Look,
        New { given, name, bytes }: &New,
        present: &str,
    ) -> Result<Option<(String, String)>, CheckoutError> {
        let (name, stored) = (name.as_str(), Some(blob_id(bytes)));
        let seen = look.found.get(given).map(|(_, content)| *content);
        let is_as_seen = seen.is_some() && self.content(present)? == seen;
        if is_as_seen && seen != stored {
            self.folder.replace(present, bytes)?;
        }
        if present == name {
            return Ok(None);
        }
        let mut aside = None;
        if self.folder.look(name)? != Standing::Nothing {
            if self.content(name)? == stored {
                return Ok(None);
            }
            aside = Some((name.to_owned(), self.folder.set_aside(name)?));
        }
        // In a file that changed since then somebody goes on, and it stays.
        if self.content(present)? != stored || self.folder.link(present, name).is_err() {
            self.folder.replace(name, bytes)?;
        }
        Ok(aside)
    }

    /// Removes other names of a file: a commit that was cut off left the one that it had first.
    fn remove_first_names(&self, look: &Look, name: &str) -> Result<(), CheckoutError> {
        let Standing::File(file) = self.folder.look(name)? else { return Ok(()) };
        for stray in &look.stray {
            let is_same = |other: Stat| other.inode == file.inode;
            let other = self.folder.look(stray)?;
            if stray != name && matches!(other, Standing::File(other) if is_same(other)) {
                self.folder.remove(stray)?;
            }
        }
        Ok(())
    }

    /// Writes the plan with the names that new files have now.
    fn list_names(
        &mut self,
        look: &Look,
        new_name: impl Fn(&str) -> Option<String>,
    ) -> Result<(), CheckoutError> {
        let bytes = self.folder.read(MANIFEST_FILE, limits::MANIFESTS)?;
        let content = Some(blob_id(&bytes));
        let is_as_seen = content == look.plan || content == self.named.plan;
        let Some(text) = String::from_utf8(bytes).ok().filter(|text| is_whole(text)) else {
            return Ok(());
        };
        let text = plain(&text);
        let mut named = String::new();
        for (_, line) in PlanText::read(text.as_bytes()).lines {
            let line = match line {
                PlanLine::Remark(text) => text,
                PlanLine::Name(listed) => new_name(&listed).unwrap_or(listed),
            };
            named += &format!("{line}\n");
        }
        if named != text {
            self.folder.replace(MANIFEST_FILE, named.as_bytes())?;
            self.named.plan = Some(blob_id(named.as_bytes())).filter(|_| is_as_seen);
        }
        Ok(())
    }

    /// What is in a file; `None` if there is none.
    fn content(&self, name: &str) -> Result<Option<ObjectId>, CheckoutError> {
        match self.folder.look(name)? {
            Standing::File(_) => Ok(Some(blob_id(&self.folder.read(name, limits::EVENT_FILE)?))),
            Standing::Nothing | Standing::Other => Ok(None),
        }
    }

    /// Remembers a commit that changed the content of files and nothing else. If that fails, the
    /// directory is of an earlier version, and the next commit finds nothing new in it.
    fn remember(&mut self, commit: ObjectId, look: &Look, stored: &[(String, ObjectId)]) {
        let changed = stored.iter().filter_map(|(name, stored)| {
            let (name, filed) = self.record.files.get_key_value(&name.parse().ok()?)?;
            let (stat, local) = look.found.get(name.as_str())?;
            let local = Some(*local).filter(|local| local != stored);
            let entry = Entry { stored: *stored, local, stat: *stat };
            Some((name.clone(), Filed { run: filed.run.clone(), entry, conflict: false }))
        });
        let later = Later { commit, changed: changed.collect() };
        if self.grown.is_some_and(|grown| grown < MOST_GROWN) {
            // If it fails half way, what is there is left alone until all of it is written anew.
            let grown = self.grown.take();
            if let Ok(stat) = self.folder.append(&record_name(), later.encode().as_bytes()) {
                (self.grown, self.recorded) = (grown.map(|grown| grown + 1), stat.modified);
                self.record.follow(later);
            }
            return;
        }
        let mut record = self.record.clone();
        record.follow(later);
        if let Ok(recorded) = save(&self.folder, &record) {
            (self.record, self.recorded, self.grown) = (record, recorded, Some(0));
        }
    }
}
