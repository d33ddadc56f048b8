//! The commits of a conversation, newest first.

use std::collections::HashSet;

use crate::{
    store::{ObjectId, Record},
    workspace::{Handle, LoadError, Workspace},
};

/// The commits of a conversation, newest first: each and the first of those before it.
pub struct Walk<'a> {
    workspace: &'a Workspace,
    handle: Handle,
    next: Option<ObjectId>,
    buffer: Vec<u8>,
}

/// Walks back from the version of a handle.
pub fn walk<'a>(workspace: &'a Workspace, handle: &Handle) -> Walk<'a> {
    let next = Some(handle.commit());
    Walk { workspace, handle: handle.clone(), next, buffer: Vec::new() }
}

impl Iterator for Walk<'_> {
    type Item = Result<Record, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let id = self.next.take()?;
        let record = Record::read(self.workspace.store().objects(), id, &mut self.buffer);
        if let Ok(record) = &record {
            self.next = record.parent();
        }
        Some(record.map_err(|source| LoadError::object(self.handle.id(), source)))
    }
}

/// Every commit that a version came from, those of merges too.
pub fn records<'a>(
    workspace: &'a Workspace,
    handle: &Handle,
) -> impl Iterator<Item = Result<Record, LoadError>> + use<'a> {
    let id = handle.id();
    let mut left = vec![handle.commit()];
    let mut seen = HashSet::from([handle.commit()]);
    let mut buffer = Vec::new();
    std::iter::from_fn(move || {
        let commit = left.pop()?;
        let record = Record::read(workspace.store().objects(), commit, &mut buffer);
        if let Ok(record) = &record {
            let parents = record.parents.iter().rev();
            left.extend(parents.filter(|parent| seen.insert(**parent)));
        }
        Some(record.map_err(|source| LoadError::object(id, source)))
    })
}

/// Reads one commit of a conversation.
pub fn record(workspace: &Workspace, handle: &Handle) -> Result<Record, LoadError> {
    let read = Record::read(workspace.store().objects(), handle.commit(), &mut Vec::new());
    read.map_err(|source| LoadError::object(handle.id(), source))
}

/// As many digits of a commit as people read.
pub fn short(commit: ObjectId) -> String {
    commit.to_hex_with_len(10).to_string()
}
