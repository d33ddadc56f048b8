//! Undo, redo and restore: a new commit that brings back an old tree.

use super::{
    ancestry::Ancestry,
    cursor::{self, Destination, Step},
    operation::{events, several},
    walk::{record, short},
};
use crate::{
    format::encode_meta,
    model::Meta,
    plan::{Change, Heading, Summary, TreePath},
    store::{Content, Links, ObjectId, Origin, Record},
    workspace::{Guard, Handle, LoadError, Revision, Workspace, WriteFailure},
};

/// What an undo, redo or restore did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turned {
    /// The operation that was taken back or done again, in a few words.
    pub what: String,
    /// The commit whose tree is back.
    pub source: ObjectId,
    /// The commit before.
    pub before: ObjectId,
    /// The new commit.
    pub commit: ObjectId,
}

/// Brings back the tree from before the last operation; `None` if there is nothing to undo.
pub fn undo(workspace: &Workspace, guard: &mut Guard) -> Result<Option<Turned>, WriteFailure> {
    turn(workspace, guard, "undo", |tip, read| cursor::undo(tip, read))
}

/// Brings back what the last undo took; `None` if there is nothing to redo.
pub fn redo(workspace: &Workspace, guard: &mut Guard) -> Result<Option<Turned>, WriteFailure> {
    turn(workspace, guard, "redo", |tip, read| cursor::redo(tip, read))
}

/// Brings back the tree of another version; `None` if it is that already. Where a conversation was
/// forked from stays as it is.
pub fn restore(
    workspace: &Workspace,
    guard: &mut Guard,
    version: &Handle,
) -> Result<Option<Turned>, WriteFailure> {
    workspace.keep_trying(guard, |guard| {
        workspace.check_writable(guard)?;
        workspace.check_writable(version)?;
        let (old, present) = (record(workspace, version)?, record(workspace, guard)?);
        let meta = kept_lineage(workspace, guard, version)?;
        let changes = meta.as_ref().map(|meta| Change::Put(TreePath::meta(), encode_meta(meta)));
        if changes.is_none() && old.tree == present.tree {
            return Ok(None);
        }
        let what = format!("restore {} ({})", short(old.id), old.subject());
        let mut summary = workspace.summary(version)?;
        if let (Some(meta), Some(summary)) = (&meta, &mut summary) {
            summary.heading = Heading::from(meta);
        }
        let content = Content::Tree(old.tree, changes.into_iter().collect());
        let links = Links::default();
        let before = guard.commit();
        let commit = commit(workspace, guard, what, content, summary, links)?;
        Ok(Some(Turned { what: old.subject().to_owned(), source: old.id, before, commit }))
    })
}

/// Decides where to go from a tip, given a way to read commits.
type Decide = fn(ObjectId, &mut Read<'_>) -> Result<Option<Destination>, LoadError>;
type Read<'a> = dyn FnMut(ObjectId) -> Result<Step, LoadError> + 'a;

fn turn(
    workspace: &Workspace,
    guard: &mut Guard,
    verb: &str,
    decide: Decide,
) -> Result<Option<Turned>, WriteFailure> {
    workspace.keep_trying(guard, |guard| {
        workspace.check_writable(guard)?;
        let mut ancestry = Ancestry::of(workspace, guard);
        let mut read = |id| step(workspace, &guard.at(id), &mut ancestry);
        let Some(Destination { source, operation, links }) = decide(guard.commit(), &mut read)?
        else {
            return Ok(None);
        };
        let version = guard.at(source);
        workspace.check_writable(&version)?;
        let old = record(workspace, &version)?;
        let what = what(workspace, guard, operation, &mut read)?;
        let summary = workspace.summary(&version)?;
        let content = Content::Tree(old.tree, Vec::new());
        let before = guard.commit();
        let commit = commit(workspace, guard, format!("{verb} {what}"), content, summary, links)?;
        Ok(Some(Turned { what, source, before, commit }))
    })
}

fn commit(
    workspace: &Workspace,
    guard: &mut Guard,
    subject: String,
    content: Content,
    summary: Option<Summary>,
    links: Links,
) -> Result<ObjectId, WriteFailure> {
    let (body, origin) = (Vec::new(), Origin::Edit);
    workspace.revise(guard, Revision { subject, body, origin, content, summary, links })
}

fn step(
    workspace: &Workspace,
    version: &Handle,
    ancestry: &mut Ancestry<'_>,
) -> Result<Step, LoadError> {
    let own = record(workspace, version)?;
    let parent = own.parent();
    let Some(deed) = own.deed else { return Ok(Step { parent, ..Step::default() }) };
    let mut links = deed.links;
    links.base = links.base.filter(|base| ancestry.holds_or_resembles(*base));
    links.redo = links.redo.filter(|redo| ancestry.holds(*redo));
    let is_same = |state: &ObjectId| {
        record(workspace, &version.at(*state)).is_ok_and(|state| state.tree == own.tree)
    };
    let state =
        links.stands_for.filter(|state| ancestry.holds_or_resembles(*state) && is_same(state));
    if state != links.stands_for {
        // It was amended, picked or made up: it is a change of its own.
        links = Links { base: links.base, ..Links::default() };
    }
    let begins = deed.begins == Some(version.id());
    Ok(Step { parent, operation: Some(deed.operation), begins, links })
}

/// What the operation that ends with a commit did, in a few words, without walking through it.
fn what(
    workspace: &Workspace,
    guard: &Guard,
    last: ObjectId,
    read: &mut Read<'_>,
) -> Result<String, LoadError> {
    let end = record(workspace, &guard.at(last))?;
    let Some(parent) = end.parents.first() else { return Ok(end.subject().to_owned()) };
    let before = record(workspace, &guard.at(*parent))?;
    let operation = |record: &Record| record.deed.as_ref().map(|deed| deed.operation.clone());
    if operation(&end).is_none() || operation(&end) != operation(&before) {
        return Ok(end.subject().to_owned());
    }
    let base = cursor::undo(last, read)?.map(|destination| destination.source);
    let count = |commit: ObjectId| {
        let version = guard.at(commit);
        Ok::<_, LoadError>(events(workspace, guard.id(), &record(workspace, &version)?))
    };
    let before = base.map_or(Ok(Some(0)), count)?;
    let more = count(last)?.zip(before).map(|(after, before)| after - before);
    Ok(several(2, more, end.subject()))
}

/// The `meta.toml` of a version as it has to be here, if that differs: a fork stays a fork when it
/// goes back to before it was one.
fn kept_lineage(
    workspace: &Workspace,
    present: &Handle,
    version: &Handle,
) -> Result<Option<Meta>, LoadError> {
    let now = workspace.snapshot(present.id(), present.commit());
    let old = workspace.snapshot(version.id(), version.commit());
    // What cannot be read comes back as it was.
    let (Ok(now), Ok(old)) = (now, old) else { return Ok(None) };
    if now.meta_broken || old.meta_broken || now.meta.forked == old.meta.forked {
        return Ok(None);
    }
    let (forked, created) = (now.meta.forked, now.meta.created);
    Ok(Some(Meta { forked, created, ..old.meta }))
}
