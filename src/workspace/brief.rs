//! How a conversation stands, without its events: what it costs does not depend on their number.
//!
//! The summary in the last commit says how far the conversation has come; only what it waits for is
//! read from its end. A commit that something else made has no summary, and then all is read.

use std::collections::HashSet;

use super::{
    Handle, LoadError, Row, Workspace,
    load::decode_one,
    tail::{problem_in, read_one},
};
use crate::{
    format::{Flaw, FormatVersion},
    model::{
        CallId, Entry, Event, EventKind, EventType, IncompleteTurn, InquiryId, Meta, Progress,
        Turn, is_superseded,
    },
    store::{Commit, Ends, Problem, ProblemKind},
};

/// How many events of a turn under way are read, even if fewer say what it waits for.
const OF_A_TURN: usize = 100;

/// How many events are passed in search of a question.
const PASSED: usize = 500;

/// Bytes of a question that is read for a list.
const QUESTION: u64 = 1 << 20;

/// How a conversation stands.
#[derive(Debug)]
pub struct Brief {
    /// The conversation as a list shows it.
    pub row: Row,
    /// Its last commit.
    pub commit: Commit,
    /// The version of the format.
    pub version: FormatVersion,
    /// Title, labels and so on; empty if the file cannot be read.
    pub meta: Meta,
    /// The turn under way, if there is one: of a long one the end, with everything that it waits
    /// for.
    pub incomplete: Option<IncompleteTurn>,
    /// How many requests wait for a running turn to end.
    pub queued: usize,
    /// What is wrong with what was read.
    pub problems: Vec<Problem>,
}

/// The questions that a conversation waits for, as far as they stand near its end.
#[derive(Debug, Default)]
pub struct Questions {
    /// The events, in order.
    pub events: Vec<Event>,
    /// What is wrong with what was read.
    pub problems: Vec<Problem>,
}

impl Workspace {
    /// Finds out how a conversation stands.
    pub fn brief(&self, handle: &Handle) -> Result<Brief, LoadError> {
        let id = handle.id();
        let row = self.row(handle, &mut Vec::new());
        let commit = self.store.commit(handle.commit());
        let commit = commit.map_err(|source| LoadError::object(id, source))?;
        let Some(summary) = commit.summary else {
            let conversation = self.load(handle)?;
            let incomplete = conversation.stream().incomplete;
            let queued = conversation.queued();
            let (snapshot, problems) = (conversation.snapshot, conversation.problems);
            let (commit, version, meta) = (snapshot.commit, snapshot.version, snapshot.meta);
            return Ok(Brief { row, commit, version, meta, incomplete, queued, problems });
        };
        let mut ends = self.ends(id, handle.commit())?;
        let incomplete = summary.progress.is_incomplete().then(|| {
            let progress = summary.progress;
            let number = progress.current_turn().unwrap_or_default();
            let entries = self.end_of_turn(&mut ends, &progress);
            IncompleteTurn { turn: Turn { number, entries }, progress }
        });
        let queued = ends.queued();
        let Ends { commit, version, meta, problems, .. } = ends;
        Ok(Brief { row, commit, version, meta, incomplete, queued, problems })
    }

    /// The questions that a conversation waits for. Nothing is read if it waits for none.
    pub fn questions(&self, row: &Row) -> Result<Questions, LoadError> {
        let mut found = Questions::default();
        let open = row.progress.open_questions().iter();
        let mut wanted: HashSet<_> = open.map(|question| &question.id).collect();
        if wanted.is_empty() || !row.progress.is_incomplete() {
            return Ok(found);
        }
        let mut ends = self.ends(row.id, row.commit)?;
        let mut passed = 0;
        while passed < PASSED && !wanted.is_empty() {
            passed += 1;
            let located = match ends.previous() {
                Some(Ok(located)) => located,
                Some(Err(problem)) => {
                    found.problems.push(problem);
                    continue;
                }
                None => break,
            };
            let hint = located.name.hinted_type();
            if hint.is_some_and(|hint| hint != EventType::InquiryRequest) {
                continue;
            }
            let (objects, committed) = (self.store.objects(), ends.commit.committed);
            match decode_one(objects, &located, QUESTION, committed, &mut 0) {
                Ok(Some(event)) => {
                    if inquiry(&event).is_some_and(|id| wanted.remove(id)) {
                        found.events.push(event);
                    }
                }
                Ok(None) => {}
                Err(flaws) => found.problems.push(problem_in(&located, flaws)),
            }
        }
        found.events.reverse();
        Ok(found)
    }

    /// The events from the end of a conversation back to the request of its last turn, or, if that
    /// is far, back to everything that the turn waits for.
    fn end_of_turn(&self, ends: &mut Ends<'_>, progress: &Progress) -> Vec<Entry> {
        let mut missing = Missing::of(progress);
        let (mut entries, mut problems) = (Vec::new(), Vec::new());
        while let Some(found) = ends.previous() {
            let read = found.and_then(|located| {
                let event = read_one(self.store.objects(), ends, &located)?;
                let event = event.ok_or_else(|| Problem {
                    path: located.path(),
                    flaw: Flaw::new("there is no such file"),
                    kind: ProblemKind::Damage,
                })?;
                Ok(Entry { address: located.name.address(), event })
            });
            let entry = match read {
                Ok(entry) => entry,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            missing.find(&entry.event);
            // Nothing that a turn waits for stands before its request.
            let is_first =
                matches!(&entry.event.kind, EventKind::Request(request) if !request.interrupts);
            entries.push(entry);
            if is_first || (entries.len() >= OF_A_TURN && missing.is_nothing()) {
                break;
            }
        }
        ends.problems.extend(problems.into_iter().rev());
        entries.reverse();
        entries
    }
}

fn inquiry(event: &Event) -> Option<&InquiryId> {
    match &event.kind {
        EventKind::InquiryRequest(inquiry) => Some(&inquiry.id),
        _ => None,
    }
}

/// What was not found yet of what a turn waits for.
struct Missing<'a> {
    calls: HashSet<&'a CallId>,
    questions: HashSet<&'a InquiryId>,
    /// Whether the last words of somebody were not found yet.
    words: bool,
}

impl<'a> Missing<'a> {
    fn of(progress: &'a Progress) -> Self {
        Self {
            calls: progress.pending_calls().iter().map(|call| &call.id).collect(),
            questions: progress.open_questions().iter().map(|question| &question.id).collect(),
            words: true,
        }
    }

    fn find(&mut self, event: &Event) {
        match &event.kind {
            EventKind::ToolCall(call) => drop(self.calls.remove(&call.id)),
            EventKind::InquiryRequest(inquiry) => drop(self.questions.remove(&inquiry.id)),
            EventKind::Request(_) => self.words = false,
            EventKind::Message(_) | EventKind::Reasoning(_) | EventKind::Structured(_) => {
                self.words &= is_superseded(&event.metadata);
            }
            _ => {}
        }
    }

    fn is_nothing(&self) -> bool {
        self.calls.is_empty() && self.questions.is_empty() && !self.words
    }
}

#[cfg(test)]
mod tests;
