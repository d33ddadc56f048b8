//! What a list of conversations shows, and what the next append needs: a cache of the tree that
//! travels in the commit message.

use std::fmt::Write;

use super::Outline;
use crate::{
    format::FormatVersion,
    model::{Address, Progress, Status},
};

/// What a list of conversations shows, and what the next append needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The version of the format that the tree is written in.
    pub format: FormatVersion,
    /// The title.
    pub title: Option<String>,
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
    /// The summary of a conversation with this title and outline.
    pub fn new(title: Option<String>, outline: &Outline) -> Self {
        Self {
            format: FormatVersion::CURRENT,
            title,
            status: outline.progress.status(),
            turns: outline.progress.turns(),
            events: outline.events,
            bytes: outline.bytes,
            next: outline.next,
            progress: outline.progress.clone(),
        }
    }

    /// The trailers that carry the summary of this tree.
    pub fn to_trailers(&self, tree: &str) -> String {
        let mut text = String::new();
        let mut put = |key: &str, value: &dyn std::fmt::Display| {
            writeln!(text, "{key}: {value}").expect("a String takes any text");
        };
        put(FORMAT, &self.format);
        if let Some(title) = &self.title {
            put(TITLE, &one_line(title));
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
        let trailers = Trailers::last_of(message);
        let named = trailers.find(TREE)?;
        if named.len() < TREE_DIGITS.min(tree.len()) || !tree.starts_with(named) {
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
        let title = match trailers.find(TITLE) {
            Some(text) => Some(many_lines(text)?),
            None => None,
        };
        Some(Self {
            format: trailers.find(FORMAT)?.parse().ok()?,
            title,
            status,
            turns,
            events,
            bytes: trailers.find(BYTES)?.parse().ok()?,
            next,
            progress,
        })
    }
}

/// The last paragraph of a commit message.
struct Trailers<'a>(&'a str);

impl<'a> Trailers<'a> {
    fn last_of(message: &'a str) -> Self {
        let message = message.trim_end();
        Self(message.rsplit_once("\n\n").map_or(message, |(_, last)| last))
    }

    fn find(&self, key: &str) -> Option<&'a str> {
        let value = |line: &'a str| line.strip_prefix(key)?.strip_prefix(": ");
        self.0.lines().find_map(value)
    }
}

/// A text on one line: as it is if that is safe, else as a JSON string.
fn one_line(text: &str) -> String {
    let safe = !text.is_empty()
        && !text.starts_with('"')
        && text.trim() == text
        && !text.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
    if safe {
        return text.to_owned();
    }
    serde_json::Value::from(text).to_string()
}

fn many_lines(text: &str) -> Option<String> {
    if text.starts_with('"') { serde_json::from_str(text).ok() } else { Some(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn summary(title: Option<String>) -> Summary {
        Summary::new(title, &Outline::new())
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
        fn any_message_is_read_without_a_panic(message in any::<String>()) {
            prop_assert_eq!(Summary::from_message(&message, "abc"), None);
        }
    }
}
