//! Conversations that somebody turned to, newest first, each once.

use std::{collections::BTreeSet, str::FromStr};

use serde_json::{Value, json};

use crate::model::{ConversationId, Timestamp};

/// The name of the list in a file.
pub(super) const HISTORY: &str = "history";

/// A conversation, and when somebody last turned to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    /// The conversation.
    pub id: ConversationId,
    /// When.
    pub activated_at: Timestamp,
}

/// What somebody turned to, newest first, each conversation once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Activations(Vec<Activation>);

impl Activations {
    pub(super) fn all(&self) -> &[Activation] {
        &self.0
    }

    /// Somebody turns to a conversation; so many are remembered.
    pub(super) fn activate(&mut self, id: ConversationId, activated_at: Timestamp, most: usize) {
        self.0.retain(|activation| activation.id != id);
        self.0.insert(0, Activation { id, activated_at });
        self.0.truncate(most);
    }

    pub(super) fn encode(&self) -> Value {
        let activation = |Activation { id, activated_at }: &Activation| json!({ "id": id.to_string(), "activated_at": activated_at.to_string() });
        self.0.iter().map(activation).collect()
    }

    /// Reads what was written; `None` if any of it is something else.
    pub(super) fn decode(value: &Value) -> Option<Self> {
        let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let activation = |value: &Value| {
            let id = ConversationId::from_str(&text(value, "id")?).ok()?;
            let activated_at = Timestamp::from_str(&text(value, "activated_at")?).ok()?;
            Some(Activation { id, activated_at })
        };
        let mut all = value.as_array()?.iter().map(activation).collect::<Option<Vec<_>>>()?;
        let mut seen = BTreeSet::new();
        all.retain(|activation| seen.insert(activation.id));
        Some(Self(all))
    }
}
