//! What a list of messages cannot hold.

use std::fmt;

use toml::{Table, Value};

use super::Origin;
use crate::{
    model::{
        Entry, EventKind, IncompleteTurn, Stream, counted, is_superseded, is_withheld, title_from,
    },
    projection::system::{in_force, with_system_prompt},
};

/// What a list of messages does not have of a conversation, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Questions that came up in a turn, with their answers.
    pub questions: u64,
    /// Starts of tools, but those whose outcome is unknown.
    pub starts: u64,
    /// Settings that the conversation began with.
    pub settings: u64,
    /// Changes of the configuration.
    pub changes: u64,
    /// Compactions.
    pub compactions: u64,
    /// Blocks that were begun anew.
    pub superseded: u64,
    /// Results that the user keeps from the model.
    pub withheld: u64,
    /// Attachments that wait for a request.
    pub waiting: u64,
    /// Requests that wait for a running turn to end.
    pub queued: u64,
    /// Keys of events that jp does not know.
    pub unknown: u64,
    /// Labels.
    pub labels: u64,
    /// A title that is not the beginning of the first request.
    pub title: bool,
    /// The conversation that it was forked from.
    pub fork: bool,
}

impl LeftOut {
    /// What a list of this stream does not have.
    pub fn of(stream: &Stream, origin: &Origin<'_>) -> Self {
        let Origin { meta, config, .. } = *origin;
        let mut left = Self {
            labels: meta.labels.len() as u64,
            title: meta.title.is_some() && meta.title != first_words(stream),
            fork: meta.forked.is_some(),
            ..Self::default()
        };
        let prompt = in_force(config, stream);
        let is_of_base = prompt.is_some_and(|(_, source)| source.is_none());
        left.settings = config.map_or(0, leaves).saturating_sub(u64::from(is_of_base));
        for entry in stream.entries() {
            left.add(entry);
        }
        left.starts = left.starts.saturating_sub(told_starts(stream));
        // A change that does nothing but set the system prompt in force is the system message.
        if let Some((text, Some(Entry { event, .. }))) = prompt
            && event.kind == EventKind::ConfigDelta(with_system_prompt(text))
        {
            left.changes = left.changes.saturating_sub(1);
        }
        let waits = |entry: &&Entry| matches!(entry.event.kind, EventKind::Attachment(_));
        left.waiting = stream.waiting.iter().filter(waits).count() as u64;
        left
    }

    fn add(&mut self, entry: &Entry) {
        let metadata = &entry.event.metadata;
        self.unknown += entry.event.extra.len() as u64;
        if is_superseded(metadata) {
            self.superseded += 1;
            return;
        }
        match &entry.event.kind {
            EventKind::InquiryRequest(_) => self.questions += 1,
            EventKind::ToolStart(_) => self.starts += 1,
            EventKind::ToolResult(_) => self.withheld += u64::from(is_withheld(metadata)),
            EventKind::ConfigDelta(_) => self.changes += 1,
            EventKind::Compaction(_) => self.compactions += 1,
            EventKind::InquiryResponse(_)
            | EventKind::Request(_)
            | EventKind::Message(_)
            | EventKind::Reasoning(_)
            | EventKind::Structured(_)
            | EventKind::ToolCall(_)
            | EventKind::Attachment(_) => {}
        }
    }

    /// Whether the list has everything.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.questions, "question", " with what was answered"),
            (self.starts, "start", " of tools"),
            (self.settings, "setting", ""),
            (self.changes, "change", " of the configuration"),
            (self.compactions, "compaction", ""),
            (self.superseded, "superseded block", ""),
            (self.withheld, "result", " that the model does not get"),
            (self.waiting, "attachment", " without a request"),
            (self.queued, "queued request", ""),
            (self.unknown, "unknown key", ""),
            (self.labels, "label", ""),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let counts = counts.map(|(count, thing, more)| format!("{}{more}", counted(count, thing)));
        let others = [(self.title, "the title"), (self.fork, "where it was forked from")];
        let others = others.into_iter().filter(|(is_there, _)| *is_there);
        let words = counts.chain(others.map(|(_, words)| words.to_owned()));
        f.write_str(&words.collect::<Vec<_>>().join(", "))
    }
}

/// Starts that a list tells: those of calls without a result, if they say nothing else.
fn told_starts(stream: &Stream) -> u64 {
    let Some(IncompleteTurn { turn, progress }) = &stream.incomplete else { return 0 };
    let is_told = |entry: &&Entry| match &entry.event.kind {
        EventKind::ToolStart(start) => {
            let calls = progress.pending_calls();
            start.rest.is_empty() && calls.iter().any(|call| call.id == start.id)
        }
        _ => false,
    };
    turn.entries.iter().filter(is_told).count() as u64
}

/// The title that a conversation gets of itself.
fn first_words(stream: &Stream) -> Option<String> {
    stream.entries().find_map(|entry| match &entry.event.kind {
        EventKind::Request(request) => title_from(&request.content.to_text_lossy()),
        _ => None,
    })
}

/// How many values a table holds.
fn leaves(table: &Table) -> u64 {
    let value = |value: &Value| match value {
        Value::Table(table) => leaves(table),
        _ => 1,
    };
    table.values().map(value).sum()
}
