//! An answer of a model, in parts or as a text with calls beside it.

use serde_json::Value;

use super::{beside, chat};
use crate::{
    model::{AnswerId, Arguments, CallId, Json, ModelName, Native, ToolName, Usage},
    projection::{
        Part, PartKind, Role,
        list::{
            Beside, Listed,
            fields::{Fields, kind},
            problem::{Notes, at_index, at_key},
        },
    },
};

/// Reads an answer.
pub(super) fn read(fields: &mut Fields<'_>) -> Option<Listed> {
    let before = fields.notes.problems.count();
    let model = fields.text("model").map(ModelName::new);
    let answer = fields.text("answer").map(AnswerId::new);
    let Ok(finish) = fields.text("finish").map(|word| word.parse()).transpose();
    let (usage, metadata) = (usage(fields), fields.metadata());
    let mut parts = content(fields);
    let calls = chat::calls(fields).into_iter().map(|part| (part, Beside::default()));
    parts.extend(calls);
    if parts.is_empty() {
        if fields.notes.problems.count() == before {
            fields.problem("content", "an answer needs a text, parts, or `tool_calls` beside it");
        }
        return None;
    }
    let (parts, mut beside): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    if let Some(first) = beside.first_mut() {
        first.metadata.extend(metadata);
    }
    let listed = Listed::new(Role::Assistant { model, answer, parts, finish });
    Some(Listed { usage, beside, ..listed })
}

/// The parts in `content`: those of a list, or a text as the only one.
fn content(fields: &mut Fields<'_>) -> Vec<(Part, Beside)> {
    let place = at_key(&fields.place, "content");
    match fields.peek("content") {
        None => Vec::new(),
        Some(Value::Array(_)) => {
            let parts = fields.list("content").into_iter().enumerate();
            let read = |(index, value)| part(value, at_index(&place, index), fields.notes);
            parts.filter_map(read).collect()
        }
        // Where a program has nothing to say beside its calls.
        Some(Value::String(text)) if text.is_empty() && fields.has("tool_calls") => {
            fields.ignore(&["content"]);
            Vec::new()
        }
        Some(Value::String(_)) => {
            let text = fields.body("content").map(PartKind::Text);
            text.map(|kind| (plain(kind), Beside::default())).into_iter().collect()
        }
        Some(other) => {
            let message = format!("expected a text or a list of parts, not {}", kind(other));
            fields.ignore(&["content"]);
            fields.problem("content", message);
            Vec::new()
        }
    }
}

fn plain(kind: PartKind) -> Part {
    Part { kind, signature: None, native: None }
}

const TYPES: &str = "`text`, `reasoning`, `data` or `tool-call`";

fn part(value: Value, place: String, notes: &mut Notes) -> Option<(Part, Beside)> {
    let mut fields = Fields::of(value, place, notes)?;
    let of = fields.required_text("type")?;
    let mut attempts = 0;
    let kind = match of.as_str() {
        "text" => fields.body("text").map(PartKind::Text),
        "reasoning" => fields.body("text").map(PartKind::Reasoning),
        "data" => data(&mut fields).map(PartKind::Data),
        "tool-call" => {
            attempts = self::attempts(&mut fields);
            call(&mut fields)
        }
        other => {
            fields.problem("type", format!("`{other}` is no type of a part: expected {TYPES}"));
            return None;
        }
    };
    let (signature, native) = (fields.text("signature"), native(&mut fields));
    let beside = Beside { attempts, ..beside(&mut fields) };
    fields.end();
    Some((Part { kind: kind?, signature, native }, beside))
}

fn data(fields: &mut Fields<'_>) -> Option<Json> {
    match Json::new(fields.required_text("data")?) {
        Ok(data) => Some(data),
        Err(error) => {
            fields.problem("data", error.to_string());
            None
        }
    }
}

fn call(fields: &mut Fields<'_>) -> Option<PartKind> {
    let (id, tool) = (fields.required_text("id"), fields.required_text("tool"));
    let (arguments, valid) =
        (fields.required_text("arguments"), fields.optional_flag("arguments_valid"));
    let arguments = match valid {
        // What was no JSON for its author is none here.
        Some(false) => Arguments::Text(arguments?),
        Some(true) | None => Arguments::new(arguments?),
    };
    Some(PartKind::Call { id: CallId::new(id?), tool: ToolName::new(tool?), arguments })
}

/// How many times a call was started.
fn attempts(fields: &mut Fields<'_>) -> u32 {
    let Some(attempts) = fields.count("attempts") else { return 0 };
    u32::try_from(attempts).unwrap_or_else(|_too_many| {
        fields.problem("attempts", format!("expected at most {}", u32::MAX));
        0
    })
}

/// The block as a provider wrote it.
fn native(fields: &mut Fields<'_>) -> Option<Native> {
    let (value, place) = (fields.value("native")?, at_key(&fields.place, "native"));
    let mut inner = Fields::of(value, place, fields.notes)?;
    let (api, block) = (inner.required_text("api"), inner.anything("block"));
    inner.end();
    Some(Native { api: api?, block: block? })
}

fn usage(fields: &mut Fields<'_>) -> Option<Usage> {
    let (value, place) = (fields.value("usage")?, at_key(&fields.place, "usage"));
    let mut inner = Fields::of(value, place, fields.notes)?;
    let usage = Usage {
        input: inner.count("input"),
        output: inner.count("output"),
        cache_read: inner.count("cache_read"),
        cache_write: inner.count("cache_write"),
        reasoning: inner.count("reasoning"),
    };
    inner.end();
    Some(usage).filter(|usage| *usage != Usage::default())
}
