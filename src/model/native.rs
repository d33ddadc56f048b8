//! What jp keeps in the metadata of an event: the provider's own form of a block, what an answer
//! cost, how other programs know a message, and marks.

use serde_json::{Value, json};

use super::{Metadata, Signature, Timestamp};

const NATIVE: &str = "native";
const SUPERSEDED: &str = "superseded";
const DELIVERY: &str = "delivery";
const WITHHELD: &str = "withheld";
const EDITED: &str = "edited";
const GIVEN_BY: &str = "given_by";
const USER: &str = "user";
const USAGE: &str = "usage";
const MESSAGE_ID: &str = "message_id";

/// A block as a provider wrote it: what jp does not understand goes back as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Native {
    /// The wire format that it belongs to, such as `anthropic`.
    pub api: String,
    /// The block.
    pub block: Value,
}

impl Native {
    /// Writes it down beside the content that it is another form of.
    pub fn store(&self, metadata: &mut Metadata, content: &[u8]) {
        let covers = Signature::over(content, "").covers;
        let value = json!({ "api": self.api, "covers": covers, "block": self.block });
        metadata.insert(NATIVE.to_owned(), value);
    }

    /// Finds it again, as long as nobody has changed the content.
    pub fn find(metadata: &Metadata, content: &[u8]) -> Option<Self> {
        let value = metadata.get(NATIVE)?;
        let covers = value.get("covers")?.as_str()?.to_owned();
        let signature = Signature { value: String::new(), covers };
        let api = value.get("api")?.as_str()?.to_owned();
        let block = value.get("block")?.clone();
        signature.holds(content).then_some(Self { api, block })
    }

    /// Takes it away if the content was changed. Tells whether it did.
    pub fn drop_stale(metadata: &mut Metadata, content: &[u8]) -> bool {
        let covers = metadata.get(NATIVE).and_then(|native| native.get("covers")?.as_str());
        let is_stale = covers.is_some_and(|covers| Signature::over(content, "").covers != covers);
        if is_stale {
            metadata.shift_remove(NATIVE);
        }
        is_stale
    }
}

/// Writes down how other programs know the message that begins with an event.
pub fn mark_message_id(metadata: &mut Metadata, id: &str) {
    metadata.insert(MESSAGE_ID.to_owned(), Value::String(id.to_owned()));
}

/// How other programs know the message that begins with an event, if they have said it.
pub fn message_id(metadata: &Metadata) -> Option<&str> {
    metadata.get(MESSAGE_ID)?.as_str()
}

/// Takes out of metadata what has a meaning for jp of its own and is told otherwise than by its
/// key: another form of the content, the id of the message, and marks that keep something from a
/// model. Returns the keys.
pub fn take_own_marks(metadata: &mut Metadata) -> Vec<&'static str> {
    let withholds = is_withheld(metadata);
    let own = [(NATIVE, true), (MESSAGE_ID, true), (SUPERSEDED, true), (DELIVERY, withholds)];
    let taken =
        own.into_iter().filter(|(key, goes)| *goes && metadata.shift_remove(*key).is_some());
    taken.map(|(key, _)| key).collect()
}

/// Marks an event as replaced by what came after it: it stays in the history and is not shown to
/// a model.
pub fn mark_superseded(metadata: &mut Metadata) {
    metadata.insert(SUPERSEDED.to_owned(), Value::Bool(true));
}

/// Whether an event was replaced by what came after it.
pub fn is_superseded(metadata: &Metadata) -> bool {
    metadata.get(SUPERSEDED) == Some(&Value::Bool(true))
}

/// Marks a result that the user keeps from the model.
pub fn mark_withheld(metadata: &mut Metadata) {
    metadata.insert(DELIVERY.to_owned(), Value::String(WITHHELD.to_owned()));
}

/// Whether the user keeps a result from the model.
pub fn is_withheld(metadata: &Metadata) -> bool {
    metadata.get(DELIVERY).and_then(Value::as_str) == Some(WITHHELD)
}

/// Marks a result that the user has changed for the model.
pub fn mark_delivered_edited(metadata: &mut Metadata) {
    metadata.insert(DELIVERY.to_owned(), Value::String(EDITED.to_owned()));
}

/// Whether the user has changed a result for the model.
pub fn is_delivered_edited(metadata: &Metadata) -> bool {
    metadata.get(DELIVERY).and_then(Value::as_str) == Some(EDITED)
}

/// Marks a result that the user gave in place of the tool.
pub fn mark_given_by_user(metadata: &mut Metadata) {
    metadata.insert(GIVEN_BY.to_owned(), Value::String(USER.to_owned()));
}

/// Marks an event that a person has changed after it was stored, in place of an older mark.
pub fn mark_edited(metadata: &mut Metadata, at: Timestamp) {
    metadata.insert(EDITED.to_owned(), Value::String(at.to_string()));
}

/// Takes that mark away.
pub fn unmark_edited(metadata: &mut Metadata) {
    metadata.shift_remove(EDITED);
}

/// When a person last changed an event after it was stored, if somebody did.
pub fn edited_at(metadata: &Metadata) -> Option<Timestamp> {
    metadata.get(EDITED)?.as_str()?.parse().ok()
}

/// What an answer has cost, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Read, with those from the cache.
    pub input: Option<u64>,
    /// Written, with those of thoughts.
    pub output: Option<u64>,
    /// Of those read: found in the cache.
    pub cache_read: Option<u64>,
    /// Of those read: put into the cache.
    pub cache_write: Option<u64>,
    /// Of those written: thoughts.
    pub reasoning: Option<u64>,
}

impl Usage {
    /// Writes it down on the last block of the answer.
    pub fn store(&self, metadata: &mut Metadata) {
        let known = self.counts().into_iter().filter_map(|(name, count)| Some((name, count?)));
        let counts: Metadata = known.map(|(name, count)| (name.to_owned(), count.into())).collect();
        if !counts.is_empty() {
            metadata.insert(USAGE.to_owned(), counts.into());
        }
    }

    /// Finds it again.
    pub fn find(metadata: &Metadata) -> Option<Self> {
        let counts = metadata.get(USAGE)?.as_object()?;
        let count = |name: &str| counts.get(name).and_then(Value::as_u64);
        Some(Self {
            input: count("input"),
            output: count("output"),
            cache_read: count("cache_read"),
            cache_write: count("cache_write"),
            reasoning: count("reasoning"),
        })
    }

    /// Finds it and takes it out, if nothing else is said beside it.
    pub fn take(metadata: &mut Metadata) -> Option<Self> {
        let usage = Self::find(metadata)?;
        let mut told = Metadata::new();
        usage.store(&mut told);
        if told.get(USAGE) != metadata.get(USAGE) {
            return None;
        }
        metadata.shift_remove(USAGE);
        Some(usage)
    }

    /// The cost of two answers together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let sum = |one: Option<u64>, two: Option<u64>| match (one, two) {
            (Some(one), Some(two)) => Some(one.saturating_add(two)),
            (one, two) => one.or(two),
        };
        Self {
            input: sum(self.input, other.input),
            output: sum(self.output, other.output),
            cache_read: sum(self.cache_read, other.cache_read),
            cache_write: sum(self.cache_write, other.cache_write),
            reasoning: sum(self.reasoning, other.reasoning),
        }
    }

    /// Each count by its name.
    pub fn counts(&self) -> [(&'static str, Option<u64>); 5] {
        [
            ("input", self.input),
            ("output", self.output),
            ("cache_read", self.cache_read),
            ("cache_write", self.cache_write),
            ("reasoning", self.reasoning),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_native_block_is_found_as_long_as_the_content_is_the_same() {
        let native = Native { api: "anthropic".to_owned(), block: json!({ "type": "x" }) };
        let mut metadata = Metadata::new();
        native.store(&mut metadata, b"text");
        assert_eq!(Native::find(&metadata, b"text"), Some(native));
        assert_eq!(Native::find(&metadata, b"other"), None);
        assert!(!Native::drop_stale(&mut metadata, b"text"));
        assert!(Native::drop_stale(&mut metadata, b"other"));
        assert!(metadata.is_empty());
    }

    #[test]
    fn the_mark_of_an_edit_is_none_of_a_delivery() {
        let mut metadata = Metadata::new();
        mark_delivered_edited(&mut metadata);
        assert_eq!(edited_at(&metadata), None);
        mark_edited(&mut metadata, Timestamp::from_seconds(0));
        mark_edited(&mut metadata, Timestamp::from_seconds(1));
        assert_eq!(edited_at(&metadata), Some(Timestamp::from_seconds(1)));
        unmark_edited(&mut metadata);
        assert_eq!((edited_at(&metadata), is_delivered_edited(&metadata)), (None, true));
    }

    #[test]
    fn usage_is_taken_only_as_a_whole() {
        let mut metadata = Metadata::new();
        metadata.insert("usage".to_owned(), json!({ "input": 7, "cost": 0.1 }));
        assert_eq!((Usage::take(&mut metadata), metadata.len()), (None, 1));
        metadata.insert("usage".to_owned(), json!({ "output": 1, "input": 7 }));
        let usage = Usage { input: Some(7), output: Some(1), ..Usage::default() };
        assert_eq!((Usage::take(&mut metadata), metadata.len()), (Some(usage), 0));
    }

    #[test]
    fn what_has_a_meaning_of_its_own_is_taken_out_of_metadata() {
        let mut metadata = Metadata::new();
        mark_superseded(&mut metadata);
        mark_message_id(&mut metadata, "m1");
        mark_delivered_edited(&mut metadata);
        assert_eq!(take_own_marks(&mut metadata), ["message_id", "superseded"]);
        assert!(is_delivered_edited(&metadata));
        mark_withheld(&mut metadata);
        assert_eq!(take_own_marks(&mut metadata), ["delivery"]);
        assert!(metadata.is_empty());
    }

    #[test]
    fn usage_is_found_again_and_nothing_is_written_for_none() {
        let usage = Usage { input: Some(7), reasoning: Some(2), ..Usage::default() };
        let mut metadata = Metadata::new();
        Usage::default().store(&mut metadata);
        assert_eq!((metadata.len(), Usage::find(&metadata)), (0, None));
        usage.store(&mut metadata);
        assert_eq!(Usage::find(&metadata), Some(usage));
        assert_eq!(usage.plus(usage).input, Some(14));
    }
}
