//! The descriptions of the commits of one operation.

use super::{AppendFailure, Workspace, guard::State};
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

/// Writes the descriptions of the commits of one operation.
pub(super) struct Scribe {
    user: Identity,
    operation: String,
    now: Timestamp,
    base: Option<ObjectId>,
    commits: u64,
}

impl Scribe {
    /// A scribe for an operation that begins on top of a commit.
    pub(super) fn new(
        workspace: &Workspace,
        base: Option<ObjectId>,
    ) -> Result<Self, AppendFailure> {
        Ok(Self::of(workspace, base, workspace.new_operation()?))
    }

    /// A scribe for an operation that goes on.
    pub(super) fn of(workspace: &Workspace, base: Option<ObjectId>, operation: String) -> Self {
        let (user, now) = (workspace.user(), workspace.env.now());
        Self { user, operation, now, base, commits: 0 }
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
        let (origin, author) = match event.writer() {
            Writer::User => (Origin::User, self.user.clone()),
            Writer::Model(name) => {
                (Origin::Model, Identity::new(name.unwrap_or("model"), "model@jp.invalid"))
            }
            Writer::Tool(name) => {
                (Origin::Tool, Identity::new(name.unwrap_or("tool"), "tool@jp.invalid"))
            }
        };
        let subject = format!("append {}", step.name);
        let summary = Summary::new(state.heading.clone(), &state.outline);
        let content = Content::Changed(step.changes.clone());
        let mut commit = self.commit(subject, origin, Some(summary), content);
        commit.description.turn = Some(step.turn);
        commit.description.author = author;
        commit.description.authored = event.timestamp;
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
        self.commits += 1;
        let base = self.base.filter(|_| self.commits.is_multiple_of(BASE_EVERY));
        let description = Description {
            subject,
            body: Vec::new(),
            operation: self.operation.clone(),
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
    /// What the commits of one command share.
    pub(super) fn new_operation(&self) -> Result<String, AppendFailure> {
        let random: [u8; 4] = self.env.random().map_err(AppendFailure::Random)?;
        Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}
