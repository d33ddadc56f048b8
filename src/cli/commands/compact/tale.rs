//! Turns as a plain text, for a model that sums them up.

use crate::{
    model::{Attachment, Body},
    projection::{Message, PartKind, Role},
};

/// The most characters of a result, an attachment or the arguments of a call.
const LONGEST: usize = 4_000;

/// What was said, one paragraph for each.
pub fn tale(messages: &[Message]) -> String {
    let mut paragraphs = Vec::new();
    for message in messages {
        match &message.role {
            Role::System { .. } => {}
            Role::User { content, attachments } => {
                paragraphs.extend(attachments.iter().map(attachment));
                paragraphs.push(format!("User: {}", content.to_text_lossy()));
            }
            Role::Assistant { parts, .. } => {
                paragraphs.extend(parts.iter().filter_map(|part| match &part.kind {
                    PartKind::Text(text) => Some(format!("Assistant: {}", text.to_text_lossy())),
                    PartKind::Data(data) => Some(format!("Assistant: {}", data.as_str())),
                    PartKind::Reasoning(_) => None,
                    PartKind::Call { tool, arguments, .. } => {
                        Some(format!("Assistant calls `{tool}`: {}", cut(arguments.as_str())))
                    }
                }));
            }
            Role::Tool { tool, is_error, content, .. } => {
                let tool = tool.as_ref().map_or("a tool", |tool| tool.as_str());
                let how = if *is_error { "fails" } else { "returns" };
                paragraphs.push(format!("`{tool}` {how}: {}", text(content)));
            }
        }
    }
    paragraphs.join("\n\n")
}

fn attachment(attachment: &Attachment) -> String {
    format!("User attaches {}: {}", attachment.source, text(&attachment.content))
}

fn text(body: &Body) -> String {
    match body.as_text() {
        Some(text) => cut(text),
        None => format!("({} bytes that are no text)", body.as_bytes().len()),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… (cut)", &text[..end]),
        None => text.to_owned(),
    }
}
