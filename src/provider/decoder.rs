//! From the events of a stream to the pieces of an answer, whatever the wire format is.

use serde_json::Value;

use super::{
    Piece, ProviderError, Trouble, assembly::Assembly, complaint::Complaint, frames::Event,
    json::Document,
};

/// Understands the events of one wire format; pure, and the same for every split of them.
pub(super) trait Wire {
    /// Adds what an event says.
    fn add_event(&mut self, event: &Event, assembly: &mut Assembly) -> Result<(), ProviderError>;

    /// Adds an answer that came as a whole, although a stream was asked for.
    fn add_whole(
        &mut self,
        body: &Document<'_>,
        assembly: &mut Assembly,
    ) -> Result<(), ProviderError>;
}

/// An answer that is still coming, in some wire format.
pub(super) struct Decoder {
    assembly: Assembly,
    wire: Box<dyn Wire>,
}

impl Decoder {
    /// Nothing has come yet.
    pub fn new(assembly: Assembly, wire: impl Wire + 'static) -> Self {
        Self { assembly, wire: Box::new(wire) }
    }

    /// The pieces that come with an event.
    pub fn decode(&mut self, event: &Event) -> Result<Vec<Piece>, ProviderError> {
        self.wire.add_event(event, &mut self.assembly)?;
        Ok(self.assembly.settle())
    }

    /// The pieces of an answer that came as a whole.
    pub fn decode_whole(&mut self, body: &Document<'_>) -> Result<Vec<Piece>, ProviderError> {
        self.wire.add_whole(body, &mut self.assembly)?;
        self.assembly.stop();
        Ok(self.assembly.settle())
    }

    /// Whether the mark at the end of the stream has come.
    pub fn is_over(&self) -> bool {
        self.assembly.is_over()
    }

    /// The last pieces when the stream ends, or nothing if the answer is not complete.
    pub fn end(&mut self) -> Option<Vec<Piece>> {
        self.assembly.end()
    }
}

/// Reads the JSON of an event.
pub(super) fn parse(data: &str) -> Result<Document<'_>, ProviderError> {
    match Document::read(data) {
        Ok(document) if document.value.is_object() => Ok(document),
        _ => Err(garbled(data)),
    }
}

/// What came is not what this kind of server says.
pub(super) fn garbled(data: &str) -> ProviderError {
    let start: String = data.chars().take(80).collect();
    let dots = if start.len() < data.len() { "…" } else { "" };
    ProviderError::new(Trouble::Garbled, format!("sent what cannot be read: `{start}{dots}`"))
}

/// What came in place of a whole answer is a complaint, or nothing that can be read.
pub(super) fn no_answer(body: &Value) -> ProviderError {
    match Complaint::in_json(body) {
        Some(complaint) => complained(&complaint),
        None => garbled(&body.to_string()),
    }
}

/// A server complained in the middle of an answer.
pub(super) fn complain(event: &Value) -> ProviderError {
    complained(&Complaint::in_json(event).unwrap_or_default())
}

fn complained(complaint: &Complaint) -> ProviderError {
    let message = match complaint.message.as_str() {
        "" => "stopped with an error".to_owned(),
        message => format!("stopped with an error: {message}"),
    };
    ProviderError::new(complaint.trouble(None), message)
}
