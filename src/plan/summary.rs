//! What a list of conversations shows, and what the next append needs: a cache of the tree that
//! travels in the commit message.

use std::{collections::BTreeMap, fmt::Write};

use super::{
    Outline,
    trailers::{Trailers, many_lines, one_line},
};
use crate::{
    format::FormatVersion,
    model::{Address, ConversationId, Meta, Progress, Status},
};

/// What a list of conversations shows of `meta.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// What people call the conversation.
    pub title: Option<String>,
    /// Marks by which people find it again.
    pub labels: BTreeMap<String, String>,
    /// The conversation that it was forked from.
    pub forked: Option<ConversationId>,
}

impl From<&Meta> for Heading {
    fn from(meta: &Meta) -> Self {
        Self {
            title: meta.title.clone(),
            labels: meta.labels.clone(),
            forked: meta.forked.as_ref().map(|forked| forked.from),
        }
    }
}

/// What a list of conversations shows, and what the next append needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The version of the format that the tree is written in.
    pub format: FormatVersion,
    /// Title, labels and so on.
    pub heading: Heading,
    /// What the conversation is waiting for.
    pub status: Status,
    /// Turns begun.
    pub turns: u64,
    /// Events in the stream.
    pub events: u64,
    /// Bytes of their files.
    pub bytes: u64,
    /// The address of the next event.
    pub next: Option<Address>,
    /// How far the conversation has come.
    pub progress: Progress,
}

const FORMAT: &str = "Jp-Format";
const TITLE: &str = "Jp-Title";
const LABELS: &str = "Jp-Labels";
const FORKED: &str = "Jp-Forked";
const STATUS: &str = "Jp-Status";
const TURNS: &str = "Jp-Turns";
const EVENTS: &str = "Jp-Events";
const BYTES: &str = "Jp-Bytes";
const NEXT: &str = "Jp-Next";
const NONE_LEFT: &str = "none";
const PROGRESS: &str = "Jp-Progress";
const TREE: &str = "Jp-Tree";

/// How much of the id of a tree tells it from the trees before and after it. All of it would be a
/// tenth of what a packed commit takes.
const TREE_DIGITS: usize = 10;

impl Summary {
    /// The summary of a conversation with this heading and outline.
    pub fn new(heading: Heading, outline: &Outline) -> Self {
        Self {
            format: FormatVersion::CURRENT,
            heading,
            status: outline.progress.status(),
            turns: outline.progress.turns(),
            events: outline.events,
            bytes: outline.bytes,
            next: outline.next,
            progress: outline.progress.clone(),
        }
    }

    /// In what it says something else than the tree that it speaks of has.
    pub fn differs_in(&self, found: &Self) -> Vec<&'static str> {
        let fields = [
            ("format", self.format == found.format),
            ("title", self.heading.title == found.heading.title),
            ("labels", self.heading.labels == found.heading.labels),
            ("origin", self.heading.forked == found.heading.forked),
            ("status", self.status == found.status),
            ("turns", self.turns == found.turns),
            ("events", self.events == found.events),
            ("bytes", self.bytes == found.bytes),
            // Numbers may be left out, but none may be given again.
            ("next number", self.next.is_none() || self.next >= found.next),
            ("progress", self.progress == found.progress),
        ];
        fields.into_iter().filter(|(_, is_so)| !is_so).map(|(name, _)| name).collect()
    }

    /// The trailers that carry the summary of this tree.
    pub fn to_trailers(&self, tree: &str) -> String {
        let mut text = String::new();
        let mut put = |key: &str, value: &dyn std::fmt::Display| {
            writeln!(text, "{key}: {value}").expect("a String takes any text");
        };
        put(FORMAT, &self.format);
        let Heading { title, labels, forked } = &self.heading;
        if let Some(title) = title {
            put(TITLE, &one_line(title));
        }
        if !labels.is_empty() {
            put(LABELS, &serde_json::to_string(labels).expect("labels have text keys"));
        }
        if let Some(forked) = forked {
            put(FORKED, forked);
        }
        put(STATUS, &one_line(&self.status.to_string()));
        put(TURNS, &self.turns);
        put(EVENTS, &self.events);
        put(BYTES, &self.bytes);
        // As long as nothing was taken out, the count says it.
        match self.next {
            Some(next) if u64::from(next.number()) == self.events => {}
            Some(next) => put(NEXT, &next),
            None => put(NEXT, &NONE_LEFT),
        }
        if self.progress != Progress::plain(&self.status, self.turns) {
            put(PROGRESS, &serde_json::to_string(&self.progress).expect("progress has text keys"));
        }
        put(TREE, &tree.get(..TREE_DIGITS).unwrap_or(tree));
        text
    }

    /// The summary in a commit message, if it is there and speaks of this tree.
    pub fn from_message(message: &str, tree: &str) -> Option<Self> {
        Self::from_trailers(&Trailers::last_of(message), tree)
    }

    /// The number of turns that a summary among these trailers tells.
    pub fn turns_in(trailers: &Trailers<'_>) -> Option<u64> {
        trailers.find(TURNS)?.parse().ok()
    }

    /// The number of events that a summary of this tree among these trailers tells.
    pub fn events_in(trailers: &Trailers<'_>, tree: &str) -> Option<u64> {
        speaks_of(trailers, tree).then(|| trailers.find(EVENTS)?.parse().ok())?
    }

    /// The summary among the trailers of a commit, if it is there and speaks of this tree.
    pub fn from_trailers(trailers: &Trailers<'_>, tree: &str) -> Option<Self> {
        if !speaks_of(trailers, tree) {
            return None;
        }
        let status: Status = many_lines(trailers.find(STATUS)?)?.parse().ok()?;
        let turns = trailers.find(TURNS)?.parse().ok()?;
        let progress = match trailers.find(PROGRESS) {
            Some(text) => serde_json::from_str(text).ok()?,
            None => Progress::plain(&status, turns),
        };
        let events = trailers.find(EVENTS)?.parse().ok()?;
        let next = match trailers.find(NEXT) {
            Some(NONE_LEFT) => None,
            Some(text) => Some(text.parse().ok()?),
            None => Some(Address::new(u32::try_from(events).ok()?)?),
        };
        let heading = Heading {
            title: match trailers.find(TITLE) {
                Some(text) => Some(many_lines(text)?),
                None => None,
            },
            labels: match trailers.find(LABELS) {
                Some(text) => serde_json::from_str(text).ok()?,
                None => BTreeMap::new(),
            },
            forked: match trailers.find(FORKED) {
                Some(text) => Some(text.parse().ok()?),
                None => None,
            },
        };
        Some(Self {
            format: trailers.find(FORMAT)?.parse().ok()?,
            heading,
            status,
            turns,
            events,
            bytes: trailers.find(BYTES)?.parse().ok()?,
            next,
            progress,
        })
    }
}

fn speaks_of(trailers: &Trailers<'_>, tree: &str) -> bool {
    let named = trailers.find(TREE).unwrap_or_default();
    named.len() >= TREE_DIGITS.min(tree.len()) && tree.starts_with(named)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn summary(title: Option<String>) -> Summary {
        Summary::new(Heading { title, ..Heading::default() }, &Outline::new())
    }

    #[test]
    fn a_summary_counts_only_for_its_own_tree() {
        let summary = summary(Some("A title".to_owned()));
        let message = format!("append\n\nsome words\n\n{}", summary.to_trailers("abc"));
        assert_eq!(Summary::from_message(&message, "abc"), Some(summary));
        assert_eq!(Summary::from_message(&message, "def"), None);
        assert_eq!(Summary::from_message("by hand\n", "abc"), None);
    }

    proptest! {
        #[test]
        fn any_title_travels(title in any::<Option<String>>()) {
            let summary = summary(title);
            let message = format!("subject\n\n{}", summary.to_trailers("abc"));
            prop_assert_eq!(Summary::from_message(&message, "abc"), Some(summary));
        }

        #[test]
        fn any_labels_travel(labels in any::<BTreeMap<String, String>>()) {
            let forked = Some("jp-c17528832001".parse().unwrap());
            let heading = Heading { labels, forked, ..Heading::default() };
            let summary = Summary::new(heading, &Outline::new());
            let message = format!("subject\n\n{}", summary.to_trailers("abc"));
            prop_assert_eq!(Summary::from_message(&message, "abc"), Some(summary));
        }

        #[test]
        fn any_message_is_read_without_a_panic(message in any::<String>()) {
            prop_assert_eq!(Summary::from_message(&message, "abc"), None);
        }
    }
}
