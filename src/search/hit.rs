//! What was found, and what could not be searched.

use std::sync::Arc;

use crate::{
    format::FileName,
    model::{ConversationId, EventType, Timestamp},
    plan::TreePath,
    store::{ObjectId, Space},
};

/// What was found in one version of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    /// The conversation.
    pub id: ConversationId,
    /// Where it is kept.
    pub space: Space,
    /// Its title in that version.
    pub title: Option<String>,
    /// The version.
    pub commit: ObjectId,
    /// When it was made.
    pub committed: Timestamp,
    /// Whether what was found is no longer in the version that was asked for; this one is then the
    /// last that had it.
    pub is_past: bool,
    /// When the version that was asked for was made.
    pub updated: Timestamp,
    /// The events with a match, in the order of the stream.
    pub hits: Vec<Hit>,
}

/// An event with a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its file.
    pub file: FileName,
    /// Its type; `None` if nobody asked, or if it cannot be read.
    pub event_type: Option<EventType>,
    /// When it happened, or else was committed; `None` if nobody asked.
    pub timestamp: Option<Timestamp>,
    /// The lines that match.
    pub lines: Arc<[HitLine]>,
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitLine {
    /// Its number in the file, from 1.
    pub number: usize,
    /// What it says, without what ends it.
    pub text: Vec<u8>,
}

/// What could not be searched, or is wrong with what was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum SearchProblem {
    #[error("conversation {id} cannot be searched: {why}")]
    Conversation { id: ConversationId, why: String },
    #[error("{id}: {path} cannot be searched: {why}")]
    File { id: ConversationId, path: TreePath, why: String },
    #[error("{id}: not all of its history can be searched: {why}")]
    History { id: ConversationId, why: String },
    #[error("{id} is damaged: {why}")]
    Damaged { id: ConversationId, why: String },
}
