//! Messages as JSON; `docs/json.md` describes it.

use serde_json::{Value, json};

use super::event::Object;
use crate::{
    model::Attachment,
    projection::{Message, Part, PartKind, Role},
};

/// The messages that a model is sent.
pub fn messages(messages: &[Message]) -> Value {
    messages.iter().map(message).collect()
}

fn message(message: &Message) -> Value {
    let mut object = Object::default();
    let role = match &message.role {
        Role::System { .. } => "system",
        Role::User { .. } => "user",
        Role::Assistant { .. } => "assistant",
        Role::Tool { .. } => "tool",
    };
    object.put("role", role);
    if let Some(turn) = message.turn {
        object.put("turn", turn);
        let addresses = message.addresses.iter().map(|address| address.number());
        object.put("addresses", addresses.collect::<Vec<_>>());
    }
    if message.incomplete {
        object.put("incomplete", true);
    }
    match &message.role {
        Role::System { content } => object.put("content", content.as_str()),
        Role::User { content, attachments } => {
            object.put_body("content", content);
            object.put("attachments", attachments.iter().map(attachment).collect::<Value>());
        }
        Role::Assistant { model, answer, parts, finish } => {
            object.put("model", model.as_ref().map(|model| model.as_str()));
            object.put("answer", answer.as_ref().map(|answer| answer.as_str()));
            object.put("finish", finish.as_ref().map(ToString::to_string));
            object.put("content", parts.iter().map(part).collect::<Value>());
        }
        Role::Tool { id, tool, is_error, content } => {
            object.put("id", id.as_str());
            object.put("tool", tool.as_ref().map(|tool| tool.as_str()));
            object.put("is_error", *is_error);
            object.put_body("content", content);
        }
    }
    Value::Object(object.0)
}

fn attachment(attachment: &Attachment) -> Value {
    let mut object = Object::default();
    object.put("source", attachment.source.as_str());
    object.put("media_type", attachment.media_type.as_deref());
    object.put_body("content", &attachment.content);
    Value::Object(object.0)
}

fn part(part: &Part) -> Value {
    let mut object = Object::default();
    match &part.kind {
        PartKind::Text(text) => {
            object.put("type", "text");
            object.put_body("text", text);
        }
        PartKind::Reasoning(text) => {
            object.put("type", "reasoning");
            object.put_body("text", text);
        }
        PartKind::Data(data) => {
            object.put("type", "data");
            object.put("data", data.as_str());
        }
        PartKind::Call { id, tool, arguments } => {
            object.put("type", "tool-call");
            object.put("id", id.as_str());
            object.put("tool", tool.as_str());
            object.put_arguments(arguments);
        }
    }
    if let Some(signature) = &part.signature {
        object.put("signature", json!(signature));
    }
    Value::Object(object.0)
}
