//! What every decoder does: it takes the events of a stream and gives the pieces of an answer.

use serde_json::Value;

use super::{Piece, ProviderError, Trouble, complaint::Complaint, frames::Event};

/// Turns the events of one wire format into pieces; pure, and the same for every split of them.
pub(super) trait Decode {
    /// The pieces that come with an event.
    fn decode(&mut self, event: &Event) -> Result<Vec<Piece>, ProviderError>;

    /// The pieces of an answer that came as a whole, although a stream was asked for.
    fn decode_whole(&mut self, body: &Value) -> Result<Vec<Piece>, ProviderError>;

    /// Whether the mark at the end of the stream has come.
    fn is_over(&self) -> bool;

    /// The last pieces when the stream ends, or nothing if the answer is not complete.
    fn end(&mut self) -> Option<Vec<Piece>>;
}

/// Reads the JSON of an event.
pub(super) fn parse(data: &str) -> Result<Value, ProviderError> {
    match serde_json::from_str(data) {
        Ok(value @ Value::Object(_)) => Ok(value),
        _ => Err(garbled(data)),
    }
}

/// What came is not what this kind of server says.
pub(super) fn garbled(data: &str) -> ProviderError {
    let start: String = data.chars().take(80).collect();
    let dots = if start.len() < data.len() { "…" } else { "" };
    ProviderError::new(Trouble::Garbled, format!("sent what cannot be read: `{start}{dots}`"))
}

/// A server complained in the middle of an answer.
pub(super) fn complain(complaint: &Complaint) -> ProviderError {
    let message = match complaint.message.as_str() {
        "" => "stopped with an error".to_owned(),
        message => format!("stopped with an error: {message}"),
    };
    ProviderError::new(complaint.trouble(None), message)
}
