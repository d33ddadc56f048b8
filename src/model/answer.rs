//! What is known about a block of a model's answer beside its content.

use std::{convert::Infallible, fmt, str::FromStr};

use sha2::{Digest, Sha256};

use super::{AnswerId, ModelName};

/// Where a block of an answer comes from, and whether the answer ended with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The model that wrote it.
    pub model: Option<ModelName>,
    /// The answer that it is part of. An answer whose last block has no `finish` was cut off.
    pub answer: Option<AnswerId>,
    /// Why the answer ended, on its last block only.
    pub finish: Option<Finish>,
    /// What the provider wants back together with the unchanged content.
    pub signature: Option<Signature>,
}

/// Why an answer ended, in the provider-neutral words that jp stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model had said all it wanted to say.
    Stop,
    /// The limit of tokens was reached.
    Length,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// The provider held the content back.
    ContentFilter,
    /// The user stopped the answer.
    Cancelled,
    /// Any other reason, in the provider's word.
    Other(String),
}

impl fmt::Display for Finish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool-calls",
            Self::ContentFilter => "content-filter",
            Self::Cancelled => "cancelled",
            Self::Other(word) => word,
        })
    }
}

impl FromStr for Finish {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Ok(match word {
            "stop" => Self::Stop,
            "length" => Self::Length,
            "tool-calls" => Self::ToolCalls,
            "content-filter" => Self::ContentFilter,
            "cancelled" => Self::Cancelled,
            other => Self::Other(other.to_owned()),
        })
    }
}

/// A provider's signature and the content that it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The signature, opaque.
    pub value: String,
    /// `sha256:` and the hexadecimal hash of the content that was signed.
    pub covers: String,
}

impl Signature {
    /// Binds a signature to the content that it came with.
    pub fn over(content: &[u8], value: impl Into<String>) -> Self {
        Self { value: value.into(), covers: fingerprint(content) }
    }

    /// Whether this is still the content that was signed.
    pub fn holds(&self, content: &[u8]) -> bool {
        self.covers == fingerprint(content)
    }
}

fn fingerprint(content: &[u8]) -> String {
    use fmt::Write;
    let mut text = String::from("sha256:");
    for byte in Sha256::digest(content) {
        write!(text, "{byte:02x}").expect("a String takes any text");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_does_not_survive_an_edit() {
        let signature = Signature::over(b"I think", "c2ln");
        assert!(signature.holds(b"I think"));
        assert!(!signature.holds(b"I thought"));
    }
}
