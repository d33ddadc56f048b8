//! Looking at many versions that no commit sums up, without reading twice what they share.
//!
//! A commit by hand says nothing about its tree. Thousands of them in a row mostly have the same
//! manifests and the same events.

use std::collections::{BTreeMap, HashMap};

use super::operation::events;
use crate::{
    format::{RunName, decode, limits},
    model::{ConversationId, Event, Progress},
    store::{Listing, Located, ObjectId, Record},
    workspace::{Handle, Workspace},
};

/// What decides how many events a version has, if nothing is missing.
type Key = (ObjectId, ObjectId, BTreeMap<RunName, ObjectId>);

/// How many events versions have.
#[derive(Default)]
pub(super) struct Counts(HashMap<Key, Option<i64>>);

impl Counts {
    /// How many events a version has: from its commit, else from its tree.
    pub(super) fn of(
        &mut self,
        workspace: &Workspace,
        id: ConversationId,
        record: &Record,
    ) -> Option<i64> {
        let count = || events(workspace, id, record);
        let key = if record.events.is_none() { key(workspace, record) } else { None };
        match key {
            Some(key) => *self.0.entry(key).or_insert_with(count),
            None => count(),
        }
    }
}

fn key(workspace: &Workspace, record: &Record) -> Option<Key> {
    let top = Listing::top(workspace.store().objects(), &record.tree).ok()?;
    Some((top.manifest?, top.meta?, top.runs)).filter(|_| top.foreign.is_empty())
}

/// How far versions have come.
#[derive(Default)]
pub(super) struct Progresses {
    events: HashMap<Located, (Option<Event>, u64)>,
    /// The bytes of their files.
    bytes: u64,
}

impl Progresses {
    /// How far a version has come: from its commit, else from its tree, as far as that can be read.
    pub(super) fn of(
        &mut self,
        workspace: &Workspace,
        version: &Handle,
        record: &Record,
    ) -> Progress {
        match record.summary() {
            Some(summary) => summary.progress,
            None => self.read(workspace, version, record).unwrap_or_default(),
        }
    }

    fn read(
        &mut self,
        workspace: &Workspace,
        version: &Handle,
        record: &Record,
    ) -> Option<Progress> {
        let snapshot = workspace.snapshot(version.id(), version.commit()).ok()?;
        if snapshot.is_foreign() {
            return None;
        }
        if self.bytes > limits::CONVERSATION {
            *self = Self::default();
        }
        let (mut progress, mut bytes) = (Progress::default(), 0);
        for located in snapshot.order {
            let read = |located: &Located| event(workspace, version.id(), located, record);
            let (event, length) = match self.events.get(&located) {
                Some(known) => known,
                None => {
                    let read = read(&located);
                    self.bytes += read.1;
                    self.events.entry(located).or_insert(read)
                }
            };
            bytes += length;
            if bytes > limits::CONVERSATION {
                return None;
            }
            if let Some(event) = event {
                progress.push(event);
            }
        }
        Some(progress)
    }
}

/// An event, if it can be read, and the length of its file.
fn event(
    workspace: &Workspace,
    id: ConversationId,
    located: &Located,
    record: &Record,
) -> (Option<Event>, u64) {
    let bytes = located.blob.and_then(|blob| workspace.read_blob(id, &blob).ok());
    let Some(bytes) = bytes else { return (None, 0) };
    let name = &located.name;
    let decoded = decode(&bytes, name.form(), name.hinted_type(), record.committed);
    (decoded.ok().map(|decoded| decoded.event), bytes.len() as u64)
}
