//! The descriptions of the commits of one operation.

use super::{Workspace, WriteFailure, guard::State};
use crate::{
    model::{ConversationId, Event, Timestamp, Writer},
    plan::{self, Change, Summary},
    store::{Content, Description, Identity, Links, NewCommit, ObjectId, Origin},
};

/// Every so many commits of an operation, one names the commit before it. An undo reads no more
/// commits than this, however long the operation was.
const BASE_EVERY: u64 = 32;

/// The most that a summary takes in a commit.
const SUMMARY: usize = 256 << 10;

/// An operation: commits that share an id, and that one undo takes back.
#[derive(Clone, Debug)]
pub struct Operation {
    id: String,
    base: Option<ObjectId>,
    commits: u64,
}

impl Operation {
    /// An operation that goes on from a commit under an id.
    pub(super) fn on(base: Option<ObjectId>, id: String) -> Self {
        Self { id, base, commits: 0 }
    }

    /// The operation goes on from here, because something else came in between.
    pub(super) fn rebase(&mut self, base: ObjectId) {
        (self.base, self.commits) = (Some(base), 0);
    }
}

/// Writes the descriptions of the commits of one operation.
pub(super) struct Scribe<'a> {
    user: Identity,
    now: Timestamp,
    operation: &'a mut Operation,
}

impl<'a> Scribe<'a> {
    /// A scribe for an operation.
    pub(super) fn new(workspace: &Workspace, operation: &'a mut Operation) -> Self {
        Self { user: workspace.user(), now: workspace.env.now(), operation }
    }

    /// The commit that makes a conversation.
    pub(super) fn creation(
        &mut self,
        id: ConversationId,
        state: &State,
        changes: Vec<Change>,
    ) -> NewCommit {
        let summary = Summary::new(state.heading.clone(), &state.outline);
        let content = Content::Changed(changes);
        let mut commit = self.commit(format!("create {id}"), Origin::User, Some(summary), content);
        commit.description.begins = Some(id);
        commit
    }

    /// The commit of an event.
    pub(super) fn step(&mut self, state: &State, event: &Event, step: &plan::Step) -> NewCommit {
        self.event(format!("append {}", step.name), state, event, step)
    }

    /// The commit of an event that is kept beside the stream.
    pub(super) fn aside(&mut self, state: &State, event: &Event, step: &plan::Step) -> NewCommit {
        self.event(format!("set {} aside", step.name), state, event, step)
    }

    fn event(
        &mut self,
        subject: String,
        state: &State,
        event: &Event,
        step: &plan::Step,
    ) -> NewCommit {
        let summary = Summary::new(state.heading.clone(), &state.outline);
        let content = Content::Changed(step.changes.clone());
        let mut commit = self.by_writer_of(event, subject, summary, content);
        commit.description.turn = Some(step.turn);
        commit.description.authored = event.timestamp;
        commit
    }

    /// A commit by who wrote an event.
    pub(super) fn by_writer_of(
        &mut self,
        event: &Event,
        subject: String,
        summary: Summary,
        content: Content,
    ) -> NewCommit {
        let (origin, author) = match event.writer() {
            Writer::User => (Origin::User, self.user.clone()),
            Writer::Model(name) => {
                (Origin::Model, Identity::new(name.unwrap_or("model"), "model@jp.invalid"))
            }
            Writer::Tool(name) => {
                (Origin::Tool, Identity::new(name.unwrap_or("tool"), "tool@jp.invalid"))
            }
        };
        let mut commit = self.commit(subject, origin, Some(summary), content);
        commit.description.author = author;
        commit
    }

    /// Any other commit, by the user.
    pub(super) fn commit(
        &mut self,
        subject: String,
        origin: Origin,
        summary: Option<Summary>,
        content: Content,
    ) -> NewCommit {
        // Names and ids may be of any length; a commit may not. Without one, readers look at the
        // tree.
        let summary = summary.filter(|summary| summary.to_trailers("").len() <= SUMMARY);
        self.operation.commits += 1;
        let is_due = self.operation.commits.is_multiple_of(BASE_EVERY);
        let base = self.operation.base.filter(|_| is_due);
        let description = Description {
            subject,
            body: Vec::new(),
            operation: self.operation.id.clone(),
            origin,
            turn: None,
            links: Links { base, ..Links::default() },
            begins: None,
            summary,
            author: self.user.clone(),
            authored: self.now,
            committer: self.user.clone(),
            committed: self.now,
        };
        NewCommit { content, description }
    }
}

impl Workspace {
    /// Begins an operation on top of a commit.
    pub(super) fn new_operation(&self, base: Option<ObjectId>) -> Result<Operation, WriteFailure> {
        let random: [u8; 4] = self.env.random().map_err(WriteFailure::Random)?;
        let id = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Operation::on(base, id))
    }
}
