//! The widespread form of chat messages, as far as it differs from jp's own.

use serde_json::Value;

use crate::{
    model::{Arguments, CallId, ToolName},
    projection::{
        Part, PartKind,
        list::{
            fields::{Fields, MISSING},
            problem::{Notes, at_index, at_key},
        },
    },
};

/// A text that has two names. The first one counts; the other one is kept only if it says the same.
pub(super) fn either(fields: &mut Fields<'_>, first: &str, other: &str) -> Option<String> {
    if !fields.has(first) {
        return fields.text(other);
    }
    let found = fields.text(first);
    if let Some(second) = fields.text(other)
        && found.as_ref().is_some_and(|found| *found != second)
    {
        fields.warning(other, format!("it is not kept: `{first}` says otherwise"));
    }
    found
}

/// The same, for a text that must be there.
pub(super) fn required_either(fields: &mut Fields<'_>, first: &str, other: &str) -> Option<String> {
    if !fields.has(first) && !fields.has(other) {
        fields.problem(other, MISSING);
    }
    either(fields, first, other)
}

/// The calls in `tool_calls`.
pub(super) fn calls(fields: &mut Fields<'_>) -> Vec<Part> {
    let place = at_key(&fields.place, "tool_calls");
    let calls = fields.list("tool_calls").into_iter().enumerate();
    calls.filter_map(|(index, value)| call(value, at_index(&place, index), fields.notes)).collect()
}

/// A call, with its function in an object of its own or not.
fn call(value: Value, place: String, notes: &mut Notes) -> Option<Part> {
    let mut fields = Fields::of(value, place, notes)?;
    let id = required_either(&mut fields, "call_id", "id");
    if let Some(other) = fields.text("type").filter(|kind| kind != "function") {
        fields.problem("type", format!("expected `function`, not `{other}`"));
    }
    let named = match fields.value("function") {
        None => function(&mut fields),
        Some(value) => {
            let place = at_key(&fields.place, "function");
            let mut inner = Fields::of(value, place, fields.notes)?;
            let named = function(&mut inner);
            inner.end();
            named
        }
    };
    fields.end();
    let (tool, arguments) = named?;
    let kind = PartKind::Call { id: CallId::new(id?), tool, arguments };
    Some(Part { kind, signature: None, native: None })
}

fn function(fields: &mut Fields<'_>) -> Option<(ToolName, Arguments)> {
    let (name, arguments) = (fields.required_text("name"), fields.required_text("arguments"));
    Some((ToolName::new(name?), Arguments::new(arguments?)))
}
