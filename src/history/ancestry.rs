//! Whether a commit came before another: what a commit says of others counts only then.
//!
//! Trailers travel with a commit that is picked, amended or rewritten, and anybody can write them.
//! Without this check they could bring in what belongs to another conversation, or what was purged
//! from this one.

use std::collections::HashSet;

use super::walk::{Walk, walk};
use crate::{
    store::ObjectId,
    workspace::{Handle, Workspace},
};

/// The commits before a tip, looked up as far as they are asked for.
pub struct Ancestry<'a> {
    workspace: &'a Workspace,
    tip: Handle,
    walk: Walk<'a>,
    seen: HashSet<ObjectId>,
}

/// Commits that are looked through for one that may lie far back.
const NEAR: usize = 32;

impl<'a> Ancestry<'a> {
    /// The commits before the version of a handle.
    pub fn of(workspace: &'a Workspace, tip: &Handle) -> Self {
        let walk = walk(workspace, tip);
        Self { workspace, tip: tip.clone(), walk, seen: HashSet::new() }
    }

    /// Whether a commit came before, however long ago.
    pub fn holds(&mut self, commit: ObjectId) -> bool {
        self.reaches(commit, usize::MAX)
    }

    /// The same for a commit that may lie behind a very long operation: if it is not near, it must
    /// at least be one of the same conversation.
    pub fn holds_or_resembles(&mut self, commit: ObjectId) -> bool {
        self.reaches(commit, NEAR) || self.resembles(commit)
    }

    fn reaches(&mut self, commit: ObjectId, limit: usize) -> bool {
        while !self.seen.contains(&commit) && self.seen.len() < limit {
            let Some(Ok(record)) = self.walk.next() else { return false };
            self.seen.insert(record.id);
        }
        self.seen.contains(&commit)
    }

    fn resembles(&self, commit: ObjectId) -> bool {
        let (own, other) =
            (self.workspace.meta(&self.tip), self.workspace.meta(&self.tip.at(commit)));
        let (Ok(own), Ok(other)) = (own, other) else { return false };
        own.created.is_some() && own.created == other.created && own.forked == other.forked
    }
}
