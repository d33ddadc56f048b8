//! What changed, for programs.

use serde_json::{Value, json};

use super::{Contents, Texts};
use crate::history::{Detail, Hunk, Kind, Mark, Place, Version};

/// Everything that changed; without the texts if only their size is asked for.
pub fn diff(texts: &mut Texts<'_>, stat: bool) -> Value {
    let diff = texts.diff;
    let fields = diff.fields.iter();
    let fields: Vec<_> =
        fields.map(|field| json!({"key": field.key, "from": field.from, "to": field.to})).collect();
    let mut files = Vec::new();
    for change in &diff.files {
        let mut value = json!({"change": change.kind().as_str(), "file": change.path.to_string()});
        put_text(&mut value, texts, &change.contents, stat);
        files.push(value);
    }
    let mut events = Vec::new();
    for change in &diff.events {
        let mut value = json!({
            "change": change.kind().as_str(),
            "moved": change.moved,
            "address": change.address().map(crate::model::Address::number),
            "from": change.from.as_ref().map(place),
            "to": change.to.as_ref().map(place),
        });
        if change.kind() != Kind::Moved {
            put_text(&mut value, texts, &change.contents(), stat);
        }
        events.push(value);
    }
    json!({
        "from": version(&diff.from),
        "to": version(&diff.to),
        "fields": fields,
        "files": files,
        "events": events,
    })
}

fn version(version: &Version) -> Value {
    let problems: Vec<_> = version.problems.iter().map(ToString::to_string).collect();
    json!({"id": version.id, "commit": version.commit.to_string(), "problems": problems})
}

fn place(place: &Place) -> Value {
    json!({"file": place.file.as_str(), "position": place.position})
}

fn put_text(value: &mut Value, texts: &mut Texts<'_>, contents: &Contents, stat: bool) {
    let compared = match stat {
        true => texts.count(contents).map(|count| (count, None)),
        false => texts.text(contents).map(|text| (text.count, Some(text))),
    };
    let (count, text) = match compared {
        Ok(compared) => compared,
        Err(error) => {
            value["problem"] = json!(error.to_string());
            return;
        }
    };
    value["lines_added"] = json!(count.added);
    value["lines_removed"] = json!(count.removed);
    value["binary"] = json!(count.binary);
    if let Some(text) = text {
        value["detail"] = json!(match text.detail {
            Detail::Words => "words",
            Detail::Lines => "lines",
            Detail::Whole => "whole",
        });
        value["hunks"] = text.hunks.iter().map(hunk).collect();
    }
}

fn hunk(hunk: &Hunk) -> Value {
    let segments = hunk.segments.iter().map(|segment| {
        let mark = match segment.mark {
            Mark::Same => "same",
            Mark::Removed => "removed",
            Mark::Added => "added",
        };
        json!({"mark": mark, "text": segment.text})
    });
    let range =
        |range: &std::ops::Range<usize>| json!({"start": range.start, "lines": range.len()});
    json!({
        "from": range(&hunk.before),
        "to": range(&hunk.after),
        "segments": segments.collect::<Vec<_>>(),
    })
}
