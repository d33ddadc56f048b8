//! How much messages weigh in the context window of a model, roughly.

use std::{borrow::Cow, collections::BTreeSet};

use super::{Message, PartKind, Role};
use crate::model::{Attachment, Body};

/// What each message costs beside its texts.
const OVERHEAD: u64 = 4;

/// What something costs that is no text, such as a picture.
const PICTURE: u64 = 1_000;

/// What messages amount to. Tokens are estimated: every model counts in its own way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// The turns that something is told of.
    pub turns: u64,
    /// The events that they are made of.
    pub events: u64,
    /// Their tokens.
    pub tokens: u64,
}

impl Weight {
    /// Weighs messages.
    pub fn of(messages: &[Message]) -> Self {
        let turns: BTreeSet<_> = messages.iter().filter_map(|message| message.turn).collect();
        let events = messages.iter().map(|message| message.addresses.len() as u64).sum();
        let tokens = messages.iter().map(|message| OVERHEAD + tokens(&message.role)).sum();
        Self { turns: turns.len() as u64, events, tokens }
    }
}

fn tokens(role: &Role) -> u64 {
    match role {
        Role::System { content } => tokens_of_text(content),
        Role::User { content, attachments } => {
            tokens_of(content) + attachments.iter().map(attachment).sum::<u64>()
        }
        Role::Assistant { parts, .. } => {
            let part = |kind: &PartKind| match kind {
                PartKind::Text(body) | PartKind::Reasoning(body) => tokens_of(body),
                PartKind::Data(json) => tokens_of_text(json.as_str()),
                PartKind::Call { tool, arguments, .. } => {
                    OVERHEAD + tokens_of_text(tool.as_str()) + tokens_of_text(arguments.as_str())
                }
            };
            parts.iter().map(|one| part(&one.kind)).sum()
        }
        Role::Tool { content, .. } => tokens_of(content),
    }
}

fn attachment(attachment: &Attachment) -> u64 {
    let content = attachment.content.as_text().map_or(PICTURE, tokens_of_text);
    OVERHEAD + tokens_of_text(&attachment.source) + content
}

fn tokens_of(body: &Body) -> u64 {
    match body.to_text_lossy() {
        Cow::Borrowed(text) => tokens_of_text(text),
        Cow::Owned(_) => PICTURE,
    }
}

/// About four letters of ASCII, or three bytes of anything else, are a token.
fn tokens_of_text(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let other = text.len() as u64 - ascii;
    ascii.div_ceil(4) + other.div_ceil(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Address;

    #[test]
    fn turns_events_and_tokens_are_counted() {
        let message = |turn, role| Message {
            turn: Some(turn),
            incomplete: false,
            addresses: vec![Address::FIRST, Address::FIRST],
            role,
        };
        let asked = Role::User { content: "abcdefgh".into(), attachments: Vec::new() };
        let system = Role::System { content: "日本".to_owned() };
        let system = Message { turn: None, addresses: Vec::new(), ..message(0, system) };
        let messages = [system, message(0, asked.clone()), message(0, asked)];
        assert_eq!(Weight::of(&messages), Weight { turns: 1, events: 4, tokens: 6 + 6 + 6 });
    }
}
