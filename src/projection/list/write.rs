//! A list as JSON; `docs/json.md` describes it.

use serde_json::{Value, json};

use super::{Beside, Listed, Object};
use crate::{
    model::{Attachment, Metadata, Usage},
    projection::{Part, PartKind, Role},
};

/// The list as JSON, with every key that [`read`](super::read) takes.
pub fn write(list: &[Listed]) -> Value {
    list.iter().map(message).collect()
}

fn message(listed: &Listed) -> Value {
    let mut object = Object::default();
    let message = &listed.message;
    let role = match &message.role {
        Role::System { .. } => "system",
        Role::User { .. } => "user",
        Role::Assistant { .. } => "assistant",
        Role::Tool { .. } => "tool",
    };
    object.put("role", role);
    if let Some(id) = &listed.id {
        object.put("message_id", id.as_str());
    }
    if let Some(time) = listed.created_at {
        object.put("created_at", time.to_string());
    }
    if let Some(turn) = message.turn {
        object.put("turn", turn);
        let addresses = message.addresses.iter().map(|address| address.number());
        object.put("addresses", addresses.collect::<Vec<_>>());
    }
    if message.incomplete {
        object.put("incomplete", true);
    }
    let beside = |index: usize| listed.beside.get(index);
    match &message.role {
        Role::System { content } => object.put("content", content.as_str()),
        Role::User { content, attachments } => {
            if listed.interrupts {
                object.put("interrupts", true);
            }
            object.put_body("content", content);
            let all = attachments.iter().enumerate();
            let all = all.map(|(index, one)| attachment(one, beside(index)));
            object.put("attachments", all.collect::<Value>());
            put_metadata(&mut object, beside(attachments.len()));
        }
        Role::Assistant { model, answer, parts, finish } => {
            object.put("model", model.as_ref().map(|model| model.as_str()));
            object.put("answer", answer.as_ref().map(|answer| answer.as_str()));
            object.put("finish", finish.as_ref().map(ToString::to_string));
            if let Some(usage) = &listed.usage {
                object.put("usage", counts(usage));
            }
            let parts = parts.iter().enumerate().map(|(index, one)| part(one, beside(index)));
            object.put("content", parts.collect::<Value>());
        }
        Role::Tool { id, tool, is_error, content } => {
            object.put("id", id.as_str());
            object.put("tool", tool.as_ref().map(|tool| tool.as_str()));
            object.put("is_error", *is_error);
            object.put_body("content", content);
            put_metadata(&mut object, beside(0));
        }
    }
    Value::Object(object.0)
}

fn attachment(attachment: &Attachment, beside: Option<&Beside>) -> Value {
    let mut object = Object::default();
    object.put("source", attachment.source.as_str());
    object.put("media_type", attachment.media_type.as_deref());
    object.put_body("content", &attachment.content);
    put_beside(&mut object, beside);
    Value::Object(object.0)
}

fn part(part: &Part, beside: Option<&Beside>) -> Value {
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
    if let Some(attempts) = beside.map(|beside| beside.attempts).filter(|attempts| *attempts > 0) {
        object.put("attempts", attempts);
    }
    if let Some(signature) = &part.signature {
        object.put("signature", signature.as_str());
    }
    if let Some(native) = &part.native {
        object.put("native", json!({ "api": native.api, "block": native.block }));
    }
    put_beside(&mut object, beside);
    Value::Object(object.0)
}

/// The counts that are known.
fn counts(usage: &Usage) -> Metadata {
    let known = usage.counts().into_iter().filter_map(|(name, count)| Some((name, count?)));
    known.map(|(name, count)| (name.to_owned(), count.into())).collect()
}

fn put_beside(object: &mut Object, beside: Option<&Beside>) {
    if let Some(time) = beside.and_then(|beside| beside.created_at) {
        object.put("created_at", time.to_string());
    }
    put_metadata(object, beside);
}

fn put_metadata(object: &mut Object, beside: Option<&Beside>) {
    if let Some(beside) = beside.filter(|beside| !beside.metadata.is_empty()) {
        object.put("metadata", beside.metadata.clone());
    }
}
