//! Schemas of answers as services accept them: an object at the root, and strict only if it can be.

use serde_json::{Map, Value, json};

use super::json::text_at;

/// What the data is called where it has to have a name.
pub(super) const ANSWER: &str = "answer";

/// The schema with an object at its root, and whether it had to be wrapped for that.
pub(super) fn as_object(schema: &Value) -> (Value, bool) {
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object")
        && !schema.as_object().is_some_and(|keys| keys.contains_key("anyOf"));
    if is_object {
        return (schema.clone(), false);
    }
    let mut inner = schema.clone();
    let mut wrapped = json!({
        "type": "object",
        "properties": {},
        "required": [ANSWER],
        "additionalProperties": false,
    });
    // References into the definitions start at the root.
    if let Some(inner) = inner.as_object_mut() {
        for key in ["$defs", "definitions", "$schema"] {
            if let Some(value) = inner.shift_remove(key) {
                wrapped[key] = value;
            }
        }
    }
    wrapped["properties"][ANSWER] = inner;
    (wrapped, true)
}

/// The data that a model wrote: without the object around it that was asked for, and without the
/// fence that some models put around JSON.
pub(super) fn unwrap(text: &str, wrapped: bool) -> String {
    let bare = without_fence(text);
    if wrapped && let Some(answer) = text_at(bare, &[ANSWER]) {
        return answer.to_owned();
    }
    bare.to_owned()
}

fn without_fence(text: &str) -> &str {
    let bare = text.trim();
    let inside = bare.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let inside = inside.and_then(|rest| rest.split_once('\n')).map(|(_, inside)| inside.trim());
    match inside {
        Some(inside) if serde_json::from_str::<serde::de::IgnoredAny>(inside).is_ok() => inside,
        _ => text,
    }
}

/// Whether a schema qualifies for strict decoding: every object closed, every property required,
/// and nothing in it that such decoders do not know.
pub(super) fn is_strict(schema: &Value) -> bool {
    const UNKNOWN: [&str; 9] = [
        "allOf",
        "oneOf",
        "not",
        "if",
        "dependentRequired",
        "dependentSchemas",
        "patternProperties",
        "unevaluatedProperties",
        "propertyNames",
    ];
    let Value::Object(keys) = schema else {
        return false;
    };
    if UNKNOWN.iter().any(|key| keys.contains_key(*key)) {
        return false;
    }
    let is_typed =
        ["type", "anyOf", "$ref", "enum", "const"].iter().any(|key| keys.contains_key(*key));
    is_typed && is_closed(keys) && inner_schemas(keys).all(is_strict)
}

fn is_closed(keys: &Map<String, Value>) -> bool {
    let names_object = match keys.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        _ => false,
    };
    if !names_object && !keys.contains_key("properties") {
        return true;
    }
    let required: Vec<_> =
        keys.get("required").and_then(Value::as_array).into_iter().flatten().collect();
    let properties = keys.get("properties").and_then(Value::as_object).into_iter().flatten();
    keys.get("additionalProperties") == Some(&Value::Bool(false))
        && properties
            .into_iter()
            .all(|(name, _)| required.iter().any(|given| given.as_str() == Some(name)))
}

fn inner_schemas(keys: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let maps = ["properties", "$defs", "definitions"].into_iter();
    let maps = maps.filter_map(|key| keys.get(key)?.as_object()).flat_map(Map::values);
    let choices = keys.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    maps.chain(choices).chain(keys.get("items"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_without_an_object_at_its_root_is_wrapped_and_its_data_unwrapped() {
        let list =
            json!({ "type": "array", "items": { "$ref": "#/$defs/x" }, "$defs": { "x": {} } });
        let (schema, wrapped) = as_object(&list);
        assert!(wrapped);
        let expected = json!({
            "type": "object",
            "properties": { "answer": { "type": "array", "items": { "$ref": "#/$defs/x" } } },
            "required": ["answer"],
            "additionalProperties": false,
            "$defs": { "x": {} },
        });
        assert_eq!(schema, expected);
        let exact = "{\"b\": 12345678901234567890123.50, \"a\":  [1, 2]}";
        assert_eq!(unwrap(&format!("{{\"answer\": {exact} }}"), true), exact);
        assert_eq!(unwrap("[1]", true), "[1]");
        assert_eq!(unwrap("{\"answer\": [1, 2]}", false), "{\"answer\": [1, 2]}");
        assert_eq!(as_object(&json!({ "type": "object" })), (json!({ "type": "object" }), false));
    }

    #[test]
    fn a_fence_around_json_is_taken_off_and_one_around_anything_else_is_not() {
        assert_eq!(unwrap("```json\n{\"a\": 1}\n```\n", false), "{\"a\": 1}");
        assert_eq!(unwrap("```\nhello\n```", false), "```\nhello\n```");
        assert_eq!(unwrap(" {\"a\": 1}", false), " {\"a\": 1}");
    }

    #[test]
    fn only_closed_schemas_are_strict() {
        let closed = json!({
            "type": "object",
            "properties": { "a": { "type": "string" }, "b": { "type": ["string", "null"] } },
            "required": ["a", "b"],
            "additionalProperties": false,
        });
        assert!(is_strict(&closed));
        let mut open = closed.clone();
        open["additionalProperties"] = json!(true);
        assert!(!is_strict(&open));
        let mut optional = closed.clone();
        optional["required"] = json!(["a"]);
        assert!(!is_strict(&optional));
        let mut deep = closed.clone();
        deep["properties"]["a"] = json!({ "type": "array", "items": { "type": "object" } });
        assert!(!is_strict(&deep));
        let mut odd = closed;
        odd["properties"]["a"] = json!({ "oneOf": [] });
        assert!(!is_strict(&odd));
    }
}
