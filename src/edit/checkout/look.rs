//! What somebody did in a checkout: the files that are not as they were written out.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{
    Checkout, CheckoutError,
    folder::Standing,
    meta_name,
    record::{Entry, Stat},
    write::META_LIMIT,
};
use crate::{
    format::{FileName, Flaw, MANIFEST_FILE, limits},
    plan::{Fault, Hand, PlanText, check_name, plain},
    store::{ObjectId, blob_id},
};

/// File systems tell times in steps; a file that changed within one may look as before.
const STEP: i128 = 10_000_000;

/// What somebody did in a checkout.
#[derive(Debug, Default)]
pub struct Look {
    /// The plan and the files that are new or changed.
    pub hand: Hand,
    /// Whether the plan is another one.
    pub plan_changed: bool,
    /// Another `meta.toml`.
    pub meta: Option<Vec<u8>>,
    /// Files that could be events, and that the plan does not list.
    pub stray: Vec<String>,
    /// Whatever else is there that may hold words of somebody: other files, and what an editor
    /// leaves when it is cut off.
    pub leftovers: Vec<String>,
    /// What is wrong with files before they are read as events.
    pub faults: Vec<Fault>,
    /// The plan as it stood there, with what jp wrote above it.
    pub(super) plan: Option<ObjectId>,
    /// How the changed files look on disk, and what is in them.
    pub(super) found: BTreeMap<String, (Stat, ObjectId)>,
}

impl Look {
    /// Whether everything is as it was written out.
    pub fn is_clean(&self) -> bool {
        let is_listed = |name: &String| self.hand.plan.names().any(|(_, listed)| listed == name);
        let gone = |(name, bytes): (&String, &Option<Vec<u8>>)| bytes.is_some() || is_listed(name);
        !self.plan_changed
            && self.meta.is_none()
            && self.faults.is_empty()
            && !self.hand.files.iter().any(gone)
    }

    /// Whether nothing would be lost with the directory.
    pub fn is_untouched(&self) -> bool {
        self.is_clean() && self.stray.is_empty() && self.leftovers.is_empty()
    }

    /// Whether the plan names nothing: whoever empties it wants no edit.
    pub fn is_emptied(&self) -> bool {
        self.hand.plan.is_empty()
    }
}

impl Checkout {
    /// How it looks before anybody has seen it, without a look at each file.
    pub fn look_unseen(&self) -> Result<Look, CheckoutError> {
        let mut look = Look::default();
        self.look_at_plan(&mut look)?;
        Ok(look)
    }

    /// Looks at what somebody did. Files that look as they did are not read.
    pub fn look(&self) -> Result<Look, CheckoutError> {
        self.look_among(self.folder.names()?)
    }

    /// Looks at what somebody did in a directory with these names.
    pub(super) fn look_among(&self, names: Vec<String>) -> Result<Look, CheckoutError> {
        let mut look = Look::default();
        let known: Vec<&str> = self.record.files.keys().map(FileName::as_str).collect();
        let standings = self.folder.look_at_all(&known)?;
        self.look_at_plan(&mut look)?;
        for ((name, filed), standing) in self.record.files.iter().zip(standings) {
            let name = name.as_str();
            if filed.conflict {
                self.read(&mut look, name, limits::EVENT_FILE, standing, None)?;
                self.look_for_marks(&mut look, name);
            } else {
                self.read(&mut look, name, limits::EVENT_FILE, standing, Some(&filed.entry))?;
            }
        }
        let known: HashSet<&str> = known.into_iter().collect();
        let new: BTreeSet<String> = look
            .hand
            .plan
            .names()
            // What cannot be a name is told when the plan is read.
            .filter(|(_, name)| !known.contains(name) && check_name(name).is_ok())
            .map(|(_, name)| name.to_owned())
            .collect();
        for name in &new {
            let standing = self.folder.look(name)?;
            self.read(&mut look, name, limits::EVENT_FILE, standing, None)?;
        }
        // What is not wanted any more need not be in order.
        let Look { hand, faults, .. } = &mut look;
        faults.retain(|fault| {
            fault.is_of_plan() || hand.plan.names().any(|(_, name)| name == fault.file)
        });
        self.look_at_meta(&mut look)?;
        let is_known = |name: &str| known.contains(name) || new.contains(name);
        (look.stray, look.leftovers) = others(names, is_known);
        Ok(look)
    }

    fn look_at_plan(&self, look: &mut Look) -> Result<(), CheckoutError> {
        let plan = match self.folder.look(MANIFEST_FILE)? {
            Standing::File(_) => self.folder.read(MANIFEST_FILE, limits::MANIFESTS)?,
            // An editor that takes the plan away wants no edit.
            Standing::Nothing | Standing::Other => Vec::new(),
        };
        if plan.len() as u64 > limits::MANIFESTS {
            let limit = limits::MANIFESTS;
            look.faults
                .push(Fault::of_plan(None, format!("the plan is larger than {limit} bytes")));
            return Ok(());
        }
        look.plan = Some(blob_id(&plan));
        let text = String::from_utf8_lossy(&plan);
        look.plan_changed = blob_id(plain(&text).as_bytes()) != self.record.plan.local();
        look.hand.plan = PlanText::read(&plan);
        Ok(())
    }

    fn look_at_meta(&self, look: &mut Look) -> Result<(), CheckoutError> {
        let name = meta_name();
        let standing = self.folder.look(&name)?;
        self.read(look, &name, META_LIMIT, standing, self.record.meta.as_ref())?;
        look.meta = look.hand.files.remove(&name).flatten();
        Ok(())
    }

    /// Reads a file, unless it is as the record has it.
    fn read(
        &self,
        look: &mut Look,
        name: &str,
        limit: u64,
        standing: Standing,
        entry: Option<&Entry>,
    ) -> Result<(), CheckoutError> {
        let stat = match standing {
            Standing::File(stat) => stat,
            Standing::Nothing => {
                look.hand.files.insert(name.to_owned(), None);
                return Ok(());
            }
            Standing::Other => {
                let flaw = Flaw::new("it is not a plain file");
                look.faults.push(Fault::new(name, flaw));
                return Ok(());
            }
        };
        let is_fresh = stat.modified.max(stat.changed) + STEP >= self.recorded;
        if !is_fresh && entry.is_some_and(|entry| entry.stat == stat) {
            return Ok(());
        }
        let bytes = self.folder.read(name, limit)?;
        if bytes.len() as u64 > limit {
            let flaw = Flaw::new(format!("the file is larger than {limit} bytes"));
            look.faults.push(Fault::new(name, flaw));
            return Ok(());
        }
        let content = blob_id(&bytes);
        look.found.insert(name.to_owned(), (stat, content));
        if entry.is_none_or(|entry| entry.local() != content) {
            look.hand.files.insert(name.to_owned(), Some(bytes));
        }
        Ok(())
    }
}

/// What is there and not known: files that could be events, and whatever else may hold words of
/// somebody. Backups of editors and hidden files are neither, but for what holds unsaved words.
fn others(names: Vec<String>, is_known: impl Fn(&str) -> bool) -> (Vec<String>, Vec<String>) {
    let is_unsaved = |name: &str| {
        let is_swap = [".swp", ".swo", ".swn"].iter().any(|end| name.ends_with(end));
        is_swap || (name.starts_with('#') && name.ends_with('#'))
    };
    let is_event = |name: &str| check_name(name).is_ok();
    let counts = |name: &String| {
        let is_plain = !name.starts_with('.') && !name.ends_with('~');
        name != MANIFEST_FILE && !is_known(name) && (is_plain || is_unsaved(name))
    };
    let mut others: Vec<String> = names.into_iter().filter(counts).collect();
    others.sort();
    others.into_iter().partition(|name| is_event(name))
}
