//! What is known about a conversation beside its events.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::{ConversationId, Timestamp};

const SYSTEM: &str = "system_message";
const MESSAGE_ID: &str = "message_id";
const CREATED_AT: &str = "created_at";

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
    pub extra: Table,
}

/// Where a conversation was forked from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forked {
    /// The conversation.
    pub from: ConversationId,
    /// The commit of it.
    pub commit: String,
}

impl Meta {
    /// Writes down how another program knows the message that the base configuration has the
    /// system prompt of, and when it was made.
    pub fn note_system_message(&mut self, id: Option<&str>, at: Option<Timestamp>) {
        let id = id.map(|id| (MESSAGE_ID.to_owned(), Value::from(id)));
        let at = at.map(|at| (CREATED_AT.to_owned(), Value::from(at.to_string())));
        let note: Table = id.into_iter().chain(at).collect();
        if !note.is_empty() {
            self.extra.insert(SYSTEM.to_owned(), Value::Table(note));
        }
    }

    /// How another program knows that message, if it has said it.
    pub fn system_message_id(&self) -> Option<&str> {
        self.system_note(MESSAGE_ID)
    }

    /// When that message was made, if a program has said it.
    pub fn system_message_time(&self) -> Option<Timestamp> {
        self.system_note(CREATED_AT)?.parse().ok()
    }

    fn system_note(&self, key: &str) -> Option<&str> {
        self.extra.get(SYSTEM)?.as_table()?.get(key)?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_of_a_system_message_is_found_again() {
        let at = "2026-01-31T12:00:00+01:00".parse().unwrap();
        let mut meta = Meta::default();
        meta.note_system_message(None, None);
        assert_eq!(meta, Meta::default());
        meta.note_system_message(Some("m0"), Some(at));
        assert_eq!((meta.system_message_id(), meta.system_message_time()), (Some("m0"), Some(at)));
    }
}
