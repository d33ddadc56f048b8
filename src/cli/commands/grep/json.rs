//! What grep found, for programs.

use serde_json::{Value, json};

use super::print::{Line, per_conversation};
use crate::search::{Hit, HitLine, Pattern, Role, Searched};

pub fn ids(found: &[Searched]) -> Value {
    per_conversation(found).iter().map(|(version, _)| json!(version.id)).collect()
}

pub fn counts(found: &[Searched]) -> Value {
    let count = |(version, count): &(&Searched, usize)| {
        json!({
            "id": version.id,
            "title": version.title,
            "space": version.space.name(),
            "count": count,
        })
    };
    per_conversation(found).iter().map(count).collect()
}

pub fn lines(found: &[Searched], pattern: &Pattern) -> Value {
    let mut values = Vec::new();
    for version in found {
        for hit in &version.hits {
            values.extend(hit.lines.iter().map(|line| value(version, hit, line, pattern)));
        }
    }
    Value::Array(values)
}

fn value(version: &Searched, hit: &Hit, line: &HitLine, pattern: &Pattern) -> Value {
    // JSON escapes for itself.
    let Line { text, matches } = Line::new(&line.text, pattern, |text| text.to_owned());
    let matches: Vec<_> =
        matches.iter().map(|range| json!({ "start": range.start, "end": range.end })).collect();
    let event_type = hit.event_type.or_else(|| hit.file.hinted_type());
    json!({
        "id": version.id,
        "title": version.title,
        "space": version.space.name(),
        "commit": version.commit.to_string(),
        "past": version.is_past,
        "address": hit.file.address().number(),
        "file": hit.file.as_str(),
        "type": event_type.map(|event_type| event_type.name()),
        "role": event_type.map(|event_type| Role::of(event_type).name()),
        "timestamp": hit.timestamp,
        "line": line.number,
        "text": text,
        "matches": matches,
    })
}
