//! Why an answer did not come.

use std::time::Duration;

/// Why an answer did not come, or not to its end. The message never holds a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// What kind of trouble it is.
    pub trouble: Trouble,
    /// What happened, in words for the user, with the address and what the server said.
    pub message: String,
    /// How long the server wants to be left alone.
    pub retry_after: Option<Duration>,
}

/// What kind of trouble it is, by its remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The server could not be reached.
    Unreachable,
    /// The server has had enough for now (408, 429).
    Busy,
    /// The server has trouble of its own (5xx, 529).
    Server,
    /// The connection broke while the answer came.
    Broken,
    /// Nothing came for too long.
    Silent,
    /// What came is not what this kind of server says.
    Garbled,
    /// There is no key, or it is not accepted.
    Key,
    /// There is no such model.
    Model,
    /// The conversation is too long for the model.
    TooLong,
    /// The model takes no tools.
    Tools,
    /// The server cannot show that it is the one that is meant.
    Certificate,
    /// The request was refused for any other reason.
    Refused,
    /// It was cancelled here.
    Cancelled,
}

impl ProviderError {
    /// Trouble of a kind, in words.
    pub fn new(trouble: Trouble, message: impl Into<String>) -> Self {
        Self { trouble, message: message.into(), retry_after: None }
    }

    /// Whether the same query may work a little later.
    pub fn may_pass(&self) -> bool {
        match self.trouble {
            Trouble::Unreachable
            | Trouble::Busy
            | Trouble::Server
            | Trouble::Broken
            | Trouble::Silent
            | Trouble::Garbled => true,
            Trouble::Key
            | Trouble::Model
            | Trouble::TooLong
            | Trouble::Tools
            | Trouble::Certificate
            | Trouble::Refused
            | Trouble::Cancelled => false,
        }
    }
}
