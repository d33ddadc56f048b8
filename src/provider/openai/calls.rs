//! Which call a part of a call belongs to: services disagree about how they say it.

use serde_json::{Map, Value};

use crate::provider::assembly::{Assembly, Draft, Kind};

/// Keys of calls in an assembly begin here: the index of the stream, and above it a count of the
/// calls that were given the same one.
const CALLS: u64 = 1 << 32;
const INDEX: u64 = 0xffff;

/// Adds a part of a call to the call that it belongs to, or begins one. Arguments that come as an
/// object instead of a text are found by `object`.
pub(super) fn extend<'a>(
    assembly: &mut Assembly,
    delta: &Value,
    position: usize,
    object: impl Fn() -> Option<&'a str>,
) {
    let text = |value: &Value, key: &str| {
        value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let function = &delta["function"];
    let (id, name) = (text(delta, "id"), text(function, "name"));
    let index = delta.get("index").and_then(Value::as_u64);
    let draft = match find(assembly, index, &id, &name) {
        Some(key) => assembly.find(key),
        None => None,
    };
    let draft = match draft {
        Some(draft) => draft,
        None => {
            let slot = index.unwrap_or(position as u64) & INDEX;
            let taken: Vec<u64> = assembly.open().map(|draft| draft.key).collect();
            // An index that is given to a second call makes room for it behind all others.
            let free = (0..).map(|round: u64| CALLS + slot + (round << 16));
            let key = free.into_iter().find(|key| !taken.contains(key)).unwrap_or(CALLS);
            assembly.begin(key, Kind::Call)
        }
    };
    if draft.id.is_empty() {
        draft.id = id;
    }
    if draft.name.is_empty() {
        draft.name = name;
    }
    match &function["arguments"] {
        Value::String(part) => draft.content.push_str(part),
        Value::Null => {}
        // Some servers send the object itself.
        _ if draft.content.is_empty() => draft.content = object().unwrap_or_default().to_owned(),
        _ => {}
    }
    keep_unknown(draft, delta);
}

/// The call that is meant, if it has begun.
fn find(assembly: &mut Assembly, index: Option<u64>, id: &str, name: &str) -> Option<u64> {
    let mut calls = assembly.open().filter(|draft| draft.kind == Kind::Call);
    let same_id = |draft: &Draft| !id.is_empty() && draft.id == id;
    let found = match index {
        // The last one of an index: it may have been given twice.
        Some(index) => calls.rfind(|draft| (draft.key - CALLS) & INDEX == index & INDEX)?,
        None if !id.is_empty() => {
            return calls.rfind(|draft| same_id(draft)).map(|draft| draft.key);
        }
        None => calls.next_back()?,
    };
    // A call that is complete and another name or id: the service counts wrongly.
    let other_id = !id.is_empty() && !found.id.is_empty() && found.id != id && !name.is_empty();
    let other_call = index.is_none() && !name.is_empty() && (found.name != name || is_whole(found));
    (!other_id && !other_call).then_some(found.key)
}

fn is_whole(draft: &Draft) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(&draft.content).is_ok()
}

/// Keeps what a service says of a call beside the usual: it may want it back.
fn keep_unknown(draft: &mut Draft, delta: &Value) {
    const KNOWN: [&str; 4] = ["index", "id", "type", "function"];
    let unknown = delta.as_object().into_iter().flatten();
    for (key, value) in
        unknown.filter(|(key, value)| !KNOWN.contains(&key.as_str()) && !value.is_null())
    {
        let native = draft.native.get_or_insert_with(|| Value::Object(Map::new()));
        native[key.as_str()] = value.clone();
    }
}
