//! The JSON Schema of a list.

use serde_json::{Map, Value, json};

/// The schema of what [`read`](super::read) takes, and so of what [`write`](super::write) makes.
/// That results have calls, and the like, is beyond it.
pub fn schema() -> Value {
    let roles =
        [("system", system()), ("user", user()), ("assistant", assistant()), ("tool", tool())];
    let names: Vec<_> = roles.iter().map(|(name, _)| *name).collect();
    let branches: Vec<_> = roles.iter().map(|(name, _)| branch("role", name)).collect();
    let mut definitions: Map<_, _> =
        roles.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    definitions.insert("attachment".to_owned(), attachment());
    definitions.insert("part".to_owned(), part());
    for (name, schema) in parts() {
        definitions.insert(name.to_owned(), schema);
    }
    definitions.insert("tool_call".to_owned(), tool_call());
    definitions.insert("usage".to_owned(), usage());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "messages",
        "description": "A conversation as a list of messages: what `jp conversation export --format messages` writes, and what `import --format messages` and `append --messages` take.",
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "properties": {
                "role": {"enum": names, "description": "Who speaks."},
                "message_id": text("How programs know the message."),
                "created_at": time("When it was made; now, if it is not said."),
                "turn": {"description": "Its turn, from 0; it follows from where it stands and is not read."},
                "addresses": {"description": "The events that it was made of; not read."},
                "incomplete": {"description": "Whether its turn is under way; not read."},
            },
            "required": ["role"],
            "allOf": branches,
        },
        "$defs": definitions,
    })
}

/// The part of a schema that holds where a key has this value.
fn branch(key: &str, name: &str) -> Value {
    let properties = json!({key: {"const": name}});
    json!({
        "if": {"type": "object", "properties": properties, "required": [key]},
        "then": {"$ref": format!("#/$defs/{name}")},
    })
}

fn system() -> Value {
    json!({
        "description": "What a model is told before anything else. One counts, at the beginning.",
        "properties": {"content": required_text("The system prompt.")},
        "required": ["content"],
    })
}

fn user() -> Value {
    let mut properties = body("content", "What is asked.");
    properties.insert("interrupts".to_owned(), flag("Whether it came while a turn was running."));
    let attachments = json!({
        "description": "What was put beside it.",
        "type": ["array", "null"],
        "items": {"$ref": "#/$defs/attachment"},
    });
    properties.insert("attachments".to_owned(), attachments);
    properties.insert("metadata".to_owned(), metadata());
    json!({"description": "The user asks.", "properties": properties, "required": ["content"]})
}

fn assistant() -> Value {
    json!({
        "description": "A model answers.",
        "properties": {
            "model": text("The model."),
            "answer": text("The id of the answer. One without a `finish` was cut off."),
            "finish": text("Why the answer ended."),
            "usage": {"anyOf": [{"$ref": "#/$defs/usage"}, {"type": "null"}]},
            "content": {
                "description": "What it said, thought and called, in its order; or a text.",
                "type": ["array", "string", "null"],
                "items": {"$ref": "#/$defs/part"},
            },
            "encoding": encoding(),
            "tool_calls": {
                "description": "Tools that it called beside a text.",
                "type": ["array", "null"],
                "items": {"$ref": "#/$defs/tool_call"},
            },
            "metadata": metadata(),
        },
        "anyOf": [
            {"properties": {"content": {"type": ["array", "string"], "minItems": 1}}, "required": ["content"]},
            {"properties": {"tool_calls": {"type": "array", "minItems": 1}}, "required": ["tool_calls"]},
        ],
    })
}

fn tool() -> Value {
    let mut properties = body("content", "What the tool said.");
    properties.insert("id".to_owned(), text("The call."));
    properties.insert("tool_call_id".to_owned(), text("The call, in the form of chat messages."));
    properties.insert("tool".to_owned(), text("The tool."));
    properties.insert("name".to_owned(), text("The tool, in the form of chat messages."));
    properties.insert("is_error".to_owned(), flag("Whether the content tells of a failure."));
    properties.insert("metadata".to_owned(), metadata());
    let names = |key: &str| json!({"properties": {key: {"type": "string"}}, "required": [key]});
    json!({
        "description": "A tool has run.",
        "properties": properties,
        "required": ["content"],
        "anyOf": [names("id"), names("tool_call_id")],
    })
}

fn attachment() -> Value {
    let mut properties = body("content", "What was in it at the time.");
    let source = required_text("Where it came from: a path, an address, or `-`.");
    properties.insert("source".to_owned(), source);
    properties.insert("media_type".to_owned(), text("What it is."));
    put_beside(&mut properties);
    json!({
        "description": "Something beside a request.",
        "type": "object",
        "properties": properties,
        "required": ["source", "content"],
    })
}

/// A part of an answer, by its type.
fn part() -> Value {
    let names = parts().map(|(name, _)| name);
    let branches: Vec<_> = names.iter().map(|name| branch("type", name)).collect();
    let mut properties = Map::new();
    properties.insert("type".to_owned(), json!({"enum": names}));
    properties.insert(
        "signature".to_owned(),
        text("What the provider wants back together with the unchanged content."),
    );
    let native = json!({
        "description": "The part as its provider wrote it, as long as the content is the same.",
        "type": ["object", "null"],
        "properties": {"api": required_text("The wire format."), "block": {}},
        "required": ["api", "block"],
    });
    properties.insert("native".to_owned(), native);
    put_beside(&mut properties);
    json!({
        "description": "A part of an answer.",
        "type": "object",
        "properties": properties,
        "required": ["type"],
        "allOf": branches,
    })
}

fn parts() -> [(&'static str, Value); 4] {
    let words = |description: &str| {
        let properties = body("text", description);
        json!({"properties": properties, "required": ["text"]})
    };
    let call = json!({
        "properties": {
            "id": required_text("The id that the result names."),
            "tool": required_text("The tool."),
            "arguments": required_text("What it is called with: JSON, to the letter."),
            "arguments_valid": flag("False if a model wrote something else than JSON."),
            "attempts": {
                "description": "How many times it was started; without a result, what it did is unknown.",
                "type": ["integer", "null"],
                "minimum": 0,
                "maximum": u32::MAX,
            },
        },
        "required": ["id", "tool", "arguments"],
    });
    let data = json!({
        "properties": {"data": required_text("JSON, to the letter.")},
        "required": ["data"],
    });
    [
        ("text", words("What the model said.")),
        ("reasoning", words("What the model thought.")),
        ("data", data),
        ("tool-call", call),
    ]
}

/// A call in the form of chat messages.
fn tool_call() -> Value {
    let function = json!({
        "name": required_text("The tool."),
        "arguments": required_text("What it is called with: JSON, to the letter."),
    });
    let names = |key: &str| json!({"properties": {key: {"type": "string"}}, "required": [key]});
    json!({
        "description": "A tool that was called.",
        "type": "object",
        "properties": {
            "id": text("The id that the result names."),
            "call_id": text("The same."),
            "type": {"enum": ["function", null]},
        },
        "anyOf": [names("id"), names("call_id")],
        "if": {"properties": {"function": {"type": "null"}}},
        "then": {"properties": function.clone(), "required": ["name", "arguments"]},
        "else": {
            "properties": {
                "function": {
                    "type": "object",
                    "properties": function,
                    "required": ["name", "arguments"],
                },
            },
        },
    })
}

fn usage() -> Value {
    let count = |description: &str| json!({"type": ["integer", "null"], "minimum": 0, "description": description});
    json!({
        "description": "What the answer has cost, in tokens.",
        "type": "object",
        "properties": {
            "input": count("Read, with those from the cache."),
            "output": count("Written, with those of thoughts."),
            "cache_read": count("Of those read: found in the cache."),
            "cache_write": count("Of those read: put into the cache."),
            "reasoning": count("Of those written: thoughts."),
        },
    })
}

/// A text, or bytes as base64.
fn body(key: &str, description: &str) -> Map<String, Value> {
    let mut properties = Map::new();
    properties.insert(key.to_owned(), required_text(description));
    properties.insert("encoding".to_owned(), encoding());
    properties
}

fn put_beside(properties: &mut Map<String, Value>) {
    let words = "When it happened, if not when the message was made.";
    properties.insert("created_at".to_owned(), time(words));
    properties.insert("metadata".to_owned(), metadata());
}

fn encoding() -> Value {
    json!({"enum": ["base64", null], "description": "How a content that is not UTF-8 is written."})
}

fn metadata() -> Value {
    json!({"type": ["object", "null"], "description": "Whatever else belongs to it."})
}

fn required_text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn text(description: &str) -> Value {
    json!({"type": ["string", "null"], "description": description})
}

fn flag(description: &str) -> Value {
    json!({"type": ["boolean", "null"], "description": description})
}

fn time(description: &str) -> Value {
    json!({"type": ["string", "null"], "format": "date-time", "description": description})
}
