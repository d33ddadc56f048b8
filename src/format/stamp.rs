//! Completing an event file that leaves out its timestamp or type, with every other byte left alone.

use super::{Decoded, EncodeError, Form, decode, encode, frontmatter};
use crate::model::Timestamp;

/// The bytes of a file that says everything by itself: those that were read if they do, else with
/// the timestamp and the type put in.
pub fn stamp(bytes: Vec<u8>, form: Form, decoded: &Decoded) -> Result<Vec<u8>, EncodeError> {
    if decoded.has_timestamp && decoded.has_type {
        return Ok(bytes);
    }
    let inserted = match form {
        Form::Markdown => into_frontmatter(&bytes, decoded.event.timestamp),
        Form::Toml => into_table(&bytes, decoded),
    };
    let epoch = Timestamp::from_seconds(0);
    let says_all = |bytes: &Vec<u8>| {
        let read = decode(bytes, form, None, epoch);
        read.is_ok_and(|read| read.has_timestamp && read.event == decoded.event)
    };
    // A file that is written in an unusual way is written anew.
    inserted.filter(says_all).map_or_else(|| encode(&decoded.event), Ok)
}

fn into_frontmatter(bytes: &[u8], timestamp: Timestamp) -> Option<Vec<u8>> {
    frontmatter::change(bytes, |header, end| Some(format!("{header}timestamp: {timestamp}{end}")))
}

fn into_table(bytes: &[u8], decoded: &Decoded) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let event = &decoded.event;
    let mut lines = String::new();
    if !decoded.has_type {
        lines.push_str(&format!("type = \"{}\"\n", event.event_type()));
    }
    if !decoded.has_timestamp {
        lines.push_str(&format!("timestamp = \"{}\"\n", event.timestamp));
    }
    let mut at = 0;
    for existing in text.split_inclusive('\n') {
        at += existing.len();
        if existing.trim() == "[event]" && existing.ends_with('\n') {
            return Some([&text[..at], &lines, &text[at..]].concat().into_bytes());
        }
    }
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Some(format!("{text}{gap}\n[event]\n{lines}").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EventType;

    fn stamped(text: &str, hint: Option<EventType>) -> String {
        let now = "2026-01-31T12:00:00Z".parse().unwrap();
        let form = Form::sniff(text.as_bytes());
        let decoded = decode(text.as_bytes(), form, hint, now).unwrap();
        String::from_utf8(stamp(text.as_bytes().to_vec(), form, &decoded).unwrap()).unwrap()
    }

    #[test]
    fn only_what_is_missing_is_put_in() {
        assert_eq!(
            stamped("---\n# mine\ntype:   request\n---\n\n---\nx", None),
            "---\n# mine\ntype:   request\ntimestamp: 2026-01-31T12:00:00Z\n---\n\n---\nx"
        );
        assert_eq!(
            stamped("---\r\ntype: request\r\n---\r\nx\r\n", None),
            "---\r\ntype: request\r\ntimestamp: 2026-01-31T12:00:00Z\r\n---\r\nx\r\n"
        );
        assert_eq!(
            stamped("a = 1 # mine", Some(EventType::ConfigDelta)),
            "a = 1 # mine\n\n[event]\ntype = \"config-delta\"\ntimestamp = \"2026-01-31T12:00:00Z\"\n"
        );
        assert_eq!(
            stamped("[event]\ntype = \"config-delta\"\n\n[b]\nc = 1\n", None),
            "[event]\ntimestamp = \"2026-01-31T12:00:00Z\"\ntype = \"config-delta\"\n\n[b]\nc = 1\n"
        );
    }

    #[test]
    fn a_complete_file_is_taken_as_it_is() {
        let text = "---\ntimestamp:  2020-01-01T00:00:00Z # then\ntype: request\n---\nx";
        assert_eq!(stamped(text, None), text);
    }
}
