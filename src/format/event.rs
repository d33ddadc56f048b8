//! An event to the bytes of its file and back.

use super::{Flaw, frontmatter, limits, markdown, toml_event};
use crate::model::{Event, EventType, Timestamp};

/// How an event file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Markdown with YAML frontmatter.
    Markdown,
    /// TOML.
    Toml,
}

impl Form {
    /// The form in which events of a type are written.
    pub fn of_type(event_type: EventType) -> Self {
        match event_type {
            EventType::ConfigDelta | EventType::Compaction | EventType::ToolStart => Self::Toml,
            EventType::Request
            | EventType::Message
            | EventType::Reasoning
            | EventType::Structured
            | EventType::ToolCall
            | EventType::ToolResult
            | EventType::InquiryRequest
            | EventType::InquiryResponse
            | EventType::Attachment => Self::Markdown,
        }
    }

    /// The form of a file of unknown name.
    pub fn sniff(bytes: &[u8]) -> Self {
        if frontmatter::is_present(bytes) { Self::Markdown } else { Self::Toml }
    }

    /// What the names of such files end in.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Toml => "toml",
        }
    }
}

/// An event read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The event; its timestamp is the fallback if the file has none.
    pub event: Event,
    /// Whether the file has a timestamp.
    pub has_timestamp: bool,
    /// Whether the file tells its type, or only its name does.
    pub has_type: bool,
}

/// Why an event cannot be written as a file.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum EncodeError {
    #[error("the metadata of the event takes {0} bytes: at most {max} fit", max = limits::FRONTMATTER)]
    HeaderTooLarge(usize),
    #[error("the event takes {0} bytes: at most {max} fit", max = limits::EVENT_FILE)]
    TooLarge(usize),
    #[error("the key `{0}` cannot be written as TOML")]
    NotToml(String),
    #[error("a configuration cannot have a key `event`: it is reserved")]
    ReservedKey,
}

/// Reads an event file. The hint, from its name, tells the type of a TOML file that does not say;
/// the fallback is the time of an event that does not say.
pub fn decode(
    bytes: &[u8],
    form: Form,
    hint: Option<EventType>,
    fallback: Timestamp,
) -> Result<Decoded, Vec<Flaw>> {
    if bytes.len() as u64 > limits::EVENT_FILE {
        return Err(vec![Flaw::new(format!(
            "the file is larger than {} bytes",
            limits::EVENT_FILE
        ))]);
    }
    match form {
        Form::Markdown => markdown::decode(bytes, fallback),
        Form::Toml => toml_event::decode(bytes, hint, fallback),
    }
}

/// Writes an event file. Equal events are equal bytes.
pub fn encode(event: &Event) -> Result<Vec<u8>, EncodeError> {
    let bytes = match Form::of_type(event.event_type()) {
        Form::Markdown => markdown::encode(event)?,
        Form::Toml => toml_event::encode(event)?,
    };
    if bytes.len() as u64 > limits::EVENT_FILE {
        return Err(EncodeError::TooLarge(bytes.len()));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
