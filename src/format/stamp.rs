//! Giving a timestamp to an event file that has none, with every other byte left alone.

use super::{Form, decode, encode};
use crate::model::{Event, EventType, Timestamp};

/// Adds a timestamp to the file of an event that was read without one. The event already has it.
pub fn stamp(bytes: &[u8], form: Form, hint: Option<EventType>, event: &Event) -> Option<Vec<u8>> {
    let inserted = match form {
        Form::Markdown => into_frontmatter(bytes, event.timestamp),
        Form::Toml => into_table(bytes, event),
    };
    let epoch = Timestamp::from_seconds(0);
    let holds = |bytes: &Vec<u8>| {
        decode(bytes, form, hint, epoch).is_ok_and(|decoded| decoded.event == *event)
    };
    inserted.filter(holds).or_else(|| encode(event).ok())
}

fn into_frontmatter(bytes: &[u8], timestamp: Timestamp) -> Option<Vec<u8>> {
    let opening = bytes.iter().position(|byte| *byte == b'\n')? + 1;
    let mut at = opening;
    for line in bytes[opening..].split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii_end() == b"---" {
            break;
        }
        at += line.len();
    }
    let end = if bytes[..opening].ends_with(b"\r\n") { "\r\n" } else { "\n" };
    let line = format!("timestamp: {timestamp}{end}");
    Some([&bytes[..at], line.as_bytes(), &bytes[at..]].concat())
}

fn into_table(bytes: &[u8], event: &Event) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let line = format!("timestamp = \"{}\"\n", event.timestamp);
    let header = |line: &str| line.trim() == "[event]";
    let mut at = 0;
    for existing in text.split_inclusive('\n') {
        at += existing.len();
        if header(existing) && existing.ends_with('\n') {
            return Some([&text[..at], &line, &text[at..]].concat().into_bytes());
        }
    }
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let type_line = format!("type = \"{}\"\n", event.event_type());
    Some(format!("{text}{gap}\n[event]\n{type_line}{line}").into_bytes())
}
