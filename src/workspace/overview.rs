//! The list of conversations, from one commit each.

use super::Workspace;
use crate::{
    model::{ConversationId, Status, Timestamp},
    store::{Commit, ObjectId, RefError, Space},
};

/// All conversations, and the refs that cannot be read.
#[derive(Debug)]
pub struct Overview {
    /// The conversations, last used first.
    pub rows: Vec<Row>,
    /// Refs that cannot be read.
    pub problems: Vec<RefError>,
}

/// A conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The conversation.
    pub id: ConversationId,
    /// What people call it.
    pub title: Option<String>,
    /// What it is waiting for; what is wrong if it cannot be read.
    pub status: Result<Status, String>,
    /// Turns begun.
    pub turns: u64,
    /// Events in the stream.
    pub events: u64,
    /// When it was last changed.
    pub updated: Timestamp,
}

impl Workspace {
    /// Lists the active conversations.
    pub fn overview(&self) -> Result<Overview, RefError> {
        let refs = self.store.list(Space::Heads)?;
        let mut buffer = Vec::new();
        let mut rows = Vec::with_capacity(refs.refs.len());
        for (name, commit) in refs.refs {
            let id = name.conversation().and_then(|(_, id)| id.parse().ok());
            if let Some(id) = id {
                rows.push(self.row(id, commit, &mut buffer));
            }
        }
        rows.sort_by_key(|row: &Row| std::cmp::Reverse((row.updated.instant(), row.id)));
        Ok(Overview { rows, problems: refs.problems })
    }

    /// A conversation as a list shows it.
    pub fn row(&self, id: ConversationId, commit: ObjectId, buffer: &mut Vec<u8>) -> Row {
        match Commit::read(self.store.objects(), commit, buffer) {
            Err(error) => unreadable(id, id.begun(), error.to_string()),
            Ok(Commit { summary: Some(summary), committed, .. }) => Row {
                id,
                title: summary.title,
                status: Ok(summary.status),
                turns: summary.turns,
                events: summary.events,
                updated: committed,
            },
            Ok(commit) => self.row_from_tree(id, &commit),
        }
    }

    /// A conversation whose last commit somebody else made: its tree is read.
    fn row_from_tree(&self, id: ConversationId, commit: &Commit) -> Row {
        match self.examine_at(id, commit.id) {
            Err(error) => unreadable(id, commit.committed, error.to_string()),
            Ok(conversation) => {
                let progress = conversation.progress();
                let status =
                    match conversation.problems.iter().find(|problem| !problem.is_harmless()) {
                        Some(problem) => Err(problem.to_string()),
                        None => Ok(progress.status()),
                    };
                Row {
                    id,
                    title: conversation.snapshot.meta.title.clone(),
                    status,
                    turns: progress.turns(),
                    events: conversation.listed.len() as u64,
                    updated: commit.committed,
                }
            }
        }
    }
}

fn unreadable(id: ConversationId, updated: Timestamp, why: String) -> Row {
    Row { id, title: None, status: Err(why), turns: 0, events: 0, updated }
}
