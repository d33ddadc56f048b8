//! Operations: what one command did.

use std::{collections::HashSet, iter::Peekable};

use super::{
    tally::Counts,
    walk::{Walk, walk},
};
use crate::{
    model::{ConversationId, Timestamp, counted},
    store::{ObjectId, Origin, Record},
    workspace::{Handle, LoadError, Workspace},
};

/// What one command did: commits in a row, or one that something else made.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its commits, newest first; at least one.
    pub records: Vec<Record>,
    /// How many events there are more than before; `None` if that cannot be read.
    pub events: Option<i64>,
}

impl Operation {
    /// Its last commit.
    pub fn last(&self) -> &Record {
        self.records.first().expect("an operation has a commit")
    }

    /// Its first commit.
    pub fn first(&self) -> &Record {
        self.records.last().expect("an operation has a commit")
    }

    /// The commit before it.
    pub fn before(&self) -> Option<ObjectId> {
        self.first().parent()
    }

    /// Whether something else than jp did it.
    pub fn is_by_hand(&self) -> bool {
        self.last().deed.is_none()
    }

    /// When it ended.
    pub fn when(&self) -> Timestamp {
        self.last().committed
    }

    /// Who took part, in the order in which they came in.
    pub fn authors(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let names = self.records.iter().rev().map(|record| record.author.name.as_str());
        names.filter(|name| seen.insert(*name)).collect()
    }

    /// What brought its commits about, in the order in which they came in.
    pub fn origins(&self) -> Vec<Origin> {
        let mut origins = Vec::new();
        for deed in self.records.iter().rev().filter_map(|record| record.deed.as_ref()) {
            if !origins.contains(&deed.origin) {
                origins.push(deed.origin);
            }
        }
        origins
    }

    /// The turns that it belongs to: the first and the last.
    pub fn turns(&self) -> Option<(u64, u64)> {
        let turn = |record: &Record| record.deed.as_ref().and_then(|deed| deed.turn);
        let mut turns = self.records.iter().filter_map(turn);
        let last = turns.next()?;
        Some((turns.next_back().unwrap_or(last), last))
    }

    /// What it did, in a few words.
    pub fn what(&self) -> String {
        match &self.records[..] {
            [record] => record.subject().to_owned(),
            records => several(records.len() as u64, self.events, self.first().subject()),
        }
    }
}

/// What several commits did, in a few words; the first one tells if they made a conversation.
pub(super) fn several(commits: u64, events: Option<i64>, first: &str) -> String {
    let count = events.and_then(|events| u64::try_from(events).ok()).unwrap_or(commits);
    let events = counted(count, "event");
    match first.split_once(' ') {
        Some(("create", _)) => format!("{first} with {events}"),
        Some(("repair", _)) => first.to_owned(),
        Some((verb @ "append", _)) => format!("{verb} {events}"),
        _ => format!("{first} and {} more", commits.saturating_sub(1)),
    }
}

/// Operations of a conversation, newest first.
pub struct Operations<'a> {
    workspace: &'a Workspace,
    id: ConversationId,
    walk: Peekable<Walk<'a>>,
    counts: Counts,
    /// How many events the next one to come led to, once that is known.
    counted: Option<Option<i64>>,
}

/// The operations that led to the version of a handle, newest first.
pub fn operations<'a>(workspace: &'a Workspace, handle: &Handle) -> Operations<'a> {
    Operations {
        workspace,
        id: handle.id(),
        walk: walk(workspace, handle).peekable(),
        counts: Counts::default(),
        counted: None,
    }
}

impl Iterator for Operations<'_> {
    type Item = Result<Operation, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let last = match self.walk.next()? {
            Ok(record) => record,
            Err(error) => return Some(Err(error)),
        };
        let mut records = vec![last];
        while let Some(Ok(before)) = self.walk.peek() {
            let first = records.last().expect("it has a commit");
            if !is_one_operation(first, before) {
                break;
            }
            records.extend(self.walk.next().and_then(Result::ok));
        }
        let mut count = |record: &Record| self.counts.of(self.workspace, self.id, record);
        let after = self.counted.take().unwrap_or_else(|| count(&records[0]));
        let before = match self.walk.peek() {
            Some(Ok(before)) => count(before),
            Some(Err(_)) => None,
            None => Some(0),
        };
        self.counted = Some(before);
        let more = after.zip(before).map(|(after, before)| after - before);
        Some(Ok(Operation { records, events: more }))
    }
}

/// How many events a version has: from its commit, else from its tree.
pub(super) fn events(workspace: &Workspace, id: ConversationId, record: &Record) -> Option<i64> {
    let count = match record.events {
        Some(count) => count,
        None => workspace.snapshot(id, record.id).ok()?.order.len() as u64,
    };
    i64::try_from(count).ok()
}

/// Whether a commit and the one before it belong to one operation.
pub(super) fn is_one_operation(record: &Record, before: &Record) -> bool {
    match (&record.deed, &before.deed) {
        (Some(one), Some(other)) => one.operation == other.operation && one.begins.is_none(),
        _ => false,
    }
}
