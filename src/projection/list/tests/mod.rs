use serde_json::{Value, json};

use super::*;
use crate::{
    model::{Address, ConversationId, Entry, Event, Meta, Progress, Status, Stream, Timestamp},
    projection::{Message, messages},
};

mod hostile;
mod left_out;
mod reading;
mod round_trip;
mod streams;

/// The time of what does not say when it was made.
fn now() -> Timestamp {
    "2026-01-31T12:00:00Z".parse().unwrap()
}

fn conversation(number: u64) -> ConversationId {
    format!("jp-c{number}").parse().unwrap()
}

fn stream(events: impl IntoIterator<Item = Event>) -> Stream {
    let entry = |(number, event)| Entry { address: Address::new(number).unwrap(), event };
    Stream::new((0..).zip(events).map(entry))
}

/// A conversation as far as a list is concerned.
#[derive(Clone, Debug, PartialEq)]
struct Kept {
    id: ConversationId,
    meta: Meta,
    config: toml::Table,
    stream: Stream,
}

impl Kept {
    /// A new conversation of what was read.
    fn of(unrolled: Unrolled) -> Self {
        let (mut meta, mut config) = (Meta::default(), toml::Table::new());
        if let Some(system) = &unrolled.system {
            config = system.begin(&mut meta);
        }
        let events = unrolled.events.into_iter().map(|made| made.event);
        Self { id: conversation(2), meta, config, stream: stream(events) }
    }

    fn origin(&self) -> Origin<'_> {
        Origin { id: self.id, meta: &self.meta, config: Some(&self.config) }
    }

    fn list(&self) -> Vec<Listed> {
        list(&self.stream, &self.origin())
    }

    fn messages(&self) -> Vec<Message> {
        messages(&self.stream, Some(&self.config))
    }
}

/// Reads JSON without a warning and makes a conversation of it.
#[track_caller]
fn kept(json: &Value) -> Kept {
    let unrolled = unrolled(json);
    assert_eq!(unrolled.warnings, []);
    Kept::of(unrolled)
}

#[track_caller]
fn unrolled(json: &Value) -> Unrolled {
    read_events(json.to_string().as_bytes(), &Progress::default(), now()).unwrap()
}

/// What is wrong with JSON, in words.
fn problems(json: &Value) -> Vec<String> {
    problems_of(json.to_string().as_bytes())
}

fn problems_of(bytes: &[u8]) -> Vec<String> {
    let read = read_events(bytes, &Progress::default(), now());
    read.err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

/// What is not kept of JSON, in words.
fn warnings(json: &Value) -> Vec<String> {
    unrolled(json).warnings.iter().map(ToString::to_string).collect()
}
