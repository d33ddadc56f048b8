//! The list of conversations, from one commit each.

use super::{Handle, Workspace};
use crate::{
    model::{ConversationId, Progress, Status, Timestamp},
    plan::Heading,
    store::{Commit, ObjectId, RefError, Space},
};

/// All conversations, and the refs that cannot be read.
#[derive(Debug)]
pub struct Overview {
    /// The conversations, last changed first.
    pub rows: Vec<Row>,
    /// Refs that cannot be read.
    pub problems: Vec<RefError>,
}

/// A conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The conversation.
    pub id: ConversationId,
    /// Where it is kept.
    pub space: Space,
    /// The version that the row shows.
    pub commit: ObjectId,
    /// Title, labels and so on.
    pub heading: Heading,
    /// What it is waiting for; what is wrong if it cannot be read.
    pub status: Result<Status, String>,
    /// How far it has come, as far as that is known.
    pub progress: Progress,
    /// Turns begun.
    pub turns: u64,
    /// Events in the stream.
    pub events: u64,
    /// Whether its last commit may have been made by something else than jp.
    pub by_hand: bool,
    /// When it was last changed.
    pub updated: Timestamp,
}

impl Row {
    /// A handle to the conversation.
    pub fn handle(&self) -> Handle {
        Handle::new(self.id, self.space, self.commit)
    }
}

impl Workspace {
    /// Lists the conversations of a space.
    pub fn overview(&self, space: Space) -> Result<Overview, RefError> {
        let refs = self.store.list(space)?;
        let mut buffer = Vec::new();
        let mut rows = Vec::with_capacity(refs.refs.len());
        for (id, commit) in self.keep_strongest(space, refs.refs)? {
            rows.push(self.row(&Handle::new(id, space, commit), &mut buffer));
        }
        rows.sort_by_key(|row: &Row| std::cmp::Reverse((row.updated.instant(), row.id)));
        Ok(Overview { rows, problems: refs.problems })
    }

    /// A conversation as a list shows it.
    pub fn row(&self, handle: &Handle, buffer: &mut Vec<u8>) -> Row {
        let (id, space) = (handle.id(), handle.space());
        match Commit::read(self.store.objects(), handle.commit(), buffer) {
            Err(error) => unreadable(handle, id.begun(), error.to_string()),
            Ok(Commit { summary: Some(summary), committed, .. }) => Row {
                id,
                space,
                commit: handle.commit(),
                heading: summary.heading,
                status: Ok(summary.status),
                progress: summary.progress,
                turns: summary.turns,
                events: summary.events,
                by_hand: false,
                updated: committed,
            },
            Ok(commit) => self.row_from_tree(handle, &commit),
        }
    }

    /// A conversation whose last commit somebody else made: its tree is read.
    fn row_from_tree(&self, handle: &Handle, commit: &Commit) -> Row {
        match self.examine(handle) {
            Err(error) => unreadable(handle, commit.committed, error.to_string()),
            Ok(conversation) => {
                let progress = conversation.progress();
                let status =
                    match conversation.problems.iter().find(|problem| !problem.is_harmless()) {
                        Some(problem) => Err(problem.to_string()),
                        None => Ok(progress.status()),
                    };
                Row {
                    id: handle.id(),
                    space: handle.space(),
                    commit: commit.id,
                    heading: Heading::from(&conversation.snapshot.meta),
                    status,
                    turns: progress.turns(),
                    progress,
                    events: conversation.listed.len() as u64,
                    by_hand: true,
                    updated: commit.committed,
                }
            }
        }
    }
}

fn unreadable(handle: &Handle, updated: Timestamp, why: String) -> Row {
    let (id, space, commit) = (handle.id(), handle.space(), handle.commit());
    let heading = Heading::default();
    Row {
        id,
        space,
        commit,
        heading,
        status: Err(why),
        progress: Progress::default(),
        turns: 0,
        events: 0,
        by_hand: false,
        updated,
    }
}
