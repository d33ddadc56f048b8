//! What is known about a conversation beside its events.

use std::collections::BTreeMap;

use super::{ConversationId, Timestamp};

/// What is known about a conversation beside its events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// What people call it.
    pub title: Option<String>,
    /// Marks by which people find it again.
    pub labels: BTreeMap<String, String>,
    /// When it began.
    pub created: Option<Timestamp>,
    /// Where it was forked from.
    pub forked: Option<Forked>,
    /// Fields that this version of jp does not know and carries along.
    pub extra: toml::Table,
}

/// Where a conversation was forked from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forked {
    /// The conversation.
    pub from: ConversationId,
    /// The commit of it.
    pub commit: String,
}
