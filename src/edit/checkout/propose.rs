//! What a commit of a checkout would do: from what somebody did in it to a change of the present
//! version of the conversation.

use super::{
    Checkout, CheckoutError, Look,
    meta::{self, MetaEdit},
    write::check_manifests,
};
use crate::{
    env::Env,
    format::{FileName, amend, decode, limits, without_mark},
    plan::{
        Change, Conflict, Edit, Fault, Hand, Heading, Layout, Merged, Summary, Tally, Wish, edit,
        is_congruent, merge, read_hand,
    },
    store::ObjectId,
    workspace::{Handle, Workspace, WriteFailure},
};

/// What a commit of a checkout would do to the version that it looked at.
#[derive(Debug)]
pub struct Proposal {
    /// The version that it changes.
    pub version: ObjectId,
    /// What happens to events.
    pub tally: Tally,
    /// What else has to follow, and what changes beside the stream, one line each.
    pub remarks: Vec<String>,
    pub(super) changes: Vec<Change>,
    pub(super) summary: Option<Summary>,
    /// New files.
    pub(super) added: Vec<New>,
    /// Whether nothing but the content of files changes.
    pub(super) is_plain: bool,
}

/// A new file.
#[derive(Debug)]
pub(super) struct New {
    /// What it is called in the directory.
    pub(super) given: String,
    /// What it will be called.
    pub(super) name: FileName,
    /// What will be in it.
    pub(super) bytes: Vec<u8>,
}

/// Why nothing can be committed as it is.
#[derive(Debug)]
pub enum Refusal {
    /// The rules of a stream are broken, or files cannot be read.
    Faults(Vec<Fault>),
    /// The same was changed in the conversation meanwhile.
    Conflicts(Box<Conflicts>),
}

/// An edit that somebody has to look at once more, because the conversation went another way.
#[derive(Debug)]
pub struct Conflicts {
    /// What was changed on both sides, one line each.
    pub conflicts: Vec<Conflict>,
    /// Fields that were changed on both sides, one line each.
    pub fields: Vec<String>,
    /// What is wrong with the edit on top of what came in, if nothing else is.
    pub faults: Vec<Fault>,
    pub(super) wish: Wish,
    pub(super) tip: Layout,
    /// What `meta.toml` says if this side is right.
    pub(super) meta: Option<Vec<u8>>,
}

impl Conflicts {
    /// Whether nothing was changed on both sides, but both together break a rule.
    pub fn is_about_rules(&self) -> bool {
        self.conflicts.is_empty() && self.fields.is_empty()
    }

    /// What was changed on both sides, in words.
    pub fn in_words(&self) -> impl Iterator<Item = String> {
        let conflicts = self.conflicts.iter().map(ToString::to_string);
        conflicts.chain(self.fields.iter().cloned())
    }

    /// The same, with what somebody can do about it once the directory has both sides.
    pub fn with_remedies(&self) -> impl Iterator<Item = String> {
        let told = |conflict: &Conflict| format!("{conflict}; {}", conflict.remedy());
        self.conflicts.iter().map(told).chain(self.fields.iter().cloned())
    }
}

/// Decides what a commit of a checkout would do to the present version; `None` if nothing changes.
pub fn propose(
    env: &Env,
    workspace: &Workspace,
    tip: &Handle,
    checkout: &Checkout,
    look: &Look,
) -> Result<Result<Option<Proposal>, Refusal>, CheckoutError> {
    if look.is_emptied() && look.faults.is_empty() && checkout.events() > 0 {
        let message = "the plan names no event: `CONVERSATION` is empty or gone";
        return Ok(Err(Refusal::Faults(vec![Fault::of_plan(None, message)])));
    }
    // What came in meanwhile is for the directory, not for the conversation.
    if look.is_clean() {
        return Ok(Ok(None));
    }
    if look.faults.is_empty()
        && let Some(proposal) = propose_plainly(env, workspace, tip, checkout, look)?
    {
        return Ok(proposal);
    }
    propose_whole(env, workspace, tip, checkout, look)
}

/// The short way, at any length of the conversation the same: only the content of some files
/// changes, and nothing around them has to be looked at.
fn propose_plainly(
    env: &Env,
    workspace: &Workspace,
    tip: &Handle,
    checkout: &Checkout,
    look: &Look,
) -> Result<Option<Result<Option<Proposal>, Refusal>>, CheckoutError> {
    let is_plain = !look.plan_changed && look.meta.is_none() && tip.commit() == checkout.commit();
    let Some(mut summary) = workspace.written_summary(tip)?.filter(|_| is_plain) else {
        return Ok(None);
    };
    let mut tally = Tally::default();
    let mut changes = Vec::new();
    let mut faults = Vec::new();
    for (name, bytes) in &look.hand.files {
        let Some(bytes) = bytes else { return Ok(None) };
        let Some((name, filed)) =
            name.parse().ok().and_then(|name: FileName| checkout.record.files.get_key_value(&name))
        else {
            return Ok(None);
        };
        let path = filed.path(name);
        if workspace.file_in(tip, &path)? != Some(filed.entry.stored) {
            return Ok(None);
        }
        let was = workspace.read_blob(tip.id(), &filed.entry.stored)?;
        let read = |bytes: &[u8]| decode(bytes, name.form(), name.hinted_type(), env.now());
        let Ok(before) = read(&was) else { return Ok(None) };
        let now = match read(bytes) {
            Ok(now) => now,
            Err(flaws) => {
                faults.extend(flaws.into_iter().map(|flaw| Fault::new(name.as_str(), flaw)));
                continue;
            }
        };
        if without_mark(&before.event) == without_mark(&now.event) {
            continue;
        }
        let Ok((event, bytes)) = amend(bytes.clone(), name.form(), &now, env.now()) else {
            return Ok(None);
        };
        if !is_congruent(&before.event, &event) {
            return Ok(None);
        }
        summary.bytes = summary.bytes.saturating_sub(was.len() as u64) + bytes.len() as u64;
        tally.edited.push(name.clone());
        changes.push(Change::Put(path, bytes));
    }
    if !faults.is_empty() {
        return Ok(Some(Err(Refusal::Faults(faults))));
    }
    if changes.is_empty() || summary.bytes > limits::CONVERSATION {
        return Ok(if changes.is_empty() { Some(Ok(None)) } else { None });
    }
    let (version, summary) = (tip.commit(), Some(summary));
    let (remarks, added) = (Vec::new(), Vec::new());
    let proposal = Proposal { version, tally, remarks, changes, summary, added, is_plain: true };
    Ok(Some(Ok(Some(proposal))))
}

fn propose_whole(
    env: &Env,
    workspace: &Workspace,
    tip: &Handle,
    checkout: &Checkout,
    look: &Look,
) -> Result<Result<Option<Proposal>, Refusal>, CheckoutError> {
    let present = workspace.load(tip)?;
    check_manifests(tip.id(), &present.snapshot)?;
    let mut faults = look.faults.clone();
    let meta = meta::merge(workspace, tip, checkout, look)?.unwrap_or_else(|found| {
        faults.extend(found);
        MetaEdit::default()
    });
    let heading = Heading::from(meta.meta.as_ref().unwrap_or(&present.snapshot.meta));
    let (is_writable, format) = (present.snapshot.is_writable(), present.snapshot.version);
    let layout = present.into_layout();
    let base = match tip.commit() == checkout.commit() {
        true => None,
        false => Some(workspace.load(&tip.at(checkout.commit()))?.into_layout()),
    };
    let hand = with_damaged(base.as_ref().unwrap_or(&layout), checkout, look)?;
    let mut failed = None;
    let mut fresh = || match env.random_name() {
        Ok(name) => format!("call_{name}"),
        Err(error) => {
            failed = Some(error);
            String::new()
        }
    };
    let read = read_hand(base.as_ref().unwrap_or(&layout), &hand, env.now(), &mut fresh);
    if let Some(error) = failed {
        return Err(CheckoutError::Random(error));
    }
    let wish = read.unwrap_or_else(|found| {
        faults.extend(found);
        Wish::default()
    });
    if !faults.is_empty() {
        return Ok(Err(Refusal::Faults(faults)));
    }
    let MetaEdit { meta: _, fields, change, remarks: beside } = meta;
    let (wish, conflicts) = match &base {
        Some(base) => {
            let Merged { wish, conflicts } = merge(base, &layout, wish);
            (wish, conflicts)
        }
        None => (wish, Vec::new()),
    };
    let edited = match conflicts.is_empty() && fields.is_empty() {
        true => edit(&layout, &wish),
        false => Err(Vec::new()),
    };
    let Edit { mut changes, outline, tally, mut remarks } = match edited {
        Ok(edit) => edit,
        Err(faults) if base.is_none() && fields.is_empty() => {
            return Ok(Err(Refusal::Faults(faults)));
        }
        // What came in has to be seen to be understood.
        Err(faults) => {
            let meta = change.and_then(|change| match change {
                Change::Put(_, bytes) => Some(bytes),
                Change::Move(..) | Change::Remove(_) => None,
            });
            let conflicts = Conflicts { conflicts, fields, faults, wish, tip: layout, meta };
            return Ok(Err(Refusal::Conflicts(Box::new(conflicts))));
        }
    };
    remarks.extend(beside);
    changes.extend(change);
    if changes.is_empty() {
        return Ok(Ok(None));
    }
    if !is_writable {
        return Err(WriteFailure::ReadOnly { id: tip.id(), version: format }.into());
    }
    let content = |given: &String| {
        let added = wish.added.iter().find(|added| added.given == *given);
        added.map(|added| added.draft.bytes.clone()).unwrap_or_default()
    };
    let added = tally.added.iter().map(|(name, given)| New {
        given: given.clone(),
        name: name.clone(),
        bytes: content(given),
    });
    let added = added.collect();
    let summary = Some(Summary::new(heading, &outline));
    let version = tip.commit();
    Ok(Ok(Some(Proposal { version, tally, remarks, changes, summary, added, is_plain: false })))
}

/// What was found, with the files that were damaged before: whoever keeps them has to mend them.
fn with_damaged(base: &Layout, checkout: &Checkout, look: &Look) -> Result<Hand, CheckoutError> {
    let mut hand = Hand { plan: look.hand.plan.clone(), files: look.hand.files.clone() };
    for listed in base.stream.iter().filter(|listed| listed.event.is_none()) {
        let name = listed.name.as_str();
        if !hand.files.contains_key(name) {
            let bytes = match checkout.folder.look(name)? {
                super::folder::Standing::File(_) => {
                    Some(checkout.folder.read(name, limits::EVENT_FILE)?)
                }
                _ => None,
            };
            hand.files.insert(name.to_owned(), bytes);
        }
    }
    Ok(hand)
}
