//! Talking to language models: one trait, and one file for each provider.
//!
//! A provider turns messages into its own wire format, streams the answer, and reports it in
//! pieces that every provider shares. It decides nothing about a turn: whether to try again, what
//! to keep and what to run is the turn's business. It never writes to a terminal or a store.

mod calls;
mod error;
pub mod guide;
mod piece;
mod query;
mod room;
mod script;

mod address;
mod connect;
mod preset;
mod secret;

mod dialogue;
mod exchange;
mod json;
mod names;
mod schema;

mod assembly;
mod complaint;
mod decoder;
mod frames;
mod ndjson;
mod sse;
mod stream;

mod anthropic;
mod ollama;
mod openai;

mod chat;
mod fetch;
mod http;
mod tls;
mod web;

#[cfg(test)]
mod tests;

pub use address::Address;
pub use connect::{Endpoint, ProviderOverlay};
pub use error::{ProviderError, Trouble};
pub use fetch::{Fetch, Fetched};
pub use guide::GuideProvider;
pub use piece::{Block, Content, Piece};
pub use preset::{Api, PRESETS, Preset};
pub use query::{Effort, Query, Sampling, ToolSpec};
pub use room::{Room, known_window};
pub use script::{Script, ScriptError, ScriptProblem, ScriptProvider};
pub use secret::Secret;
pub use web::{Cut, Web, WebAnswer, WebError, WebRequest};

use crate::{cancel::Cancel, projection::Takes};

/// Somebody who answers: a service, a server on this machine, or something built in.
pub trait Provider: Send + Sync {
    /// Streams the answer to a query, piece by piece, until it is over.
    ///
    /// Every block is reported in full when it is complete, after the parts that it came in; a
    /// finish comes last. An error may come at any point: blocks that were complete by then have
    /// been reported. A cancelled query ends soon with [`Trouble::Cancelled`].
    fn answer(
        &self,
        query: &Query,
        cancel: &Cancel,
        hear: &mut dyn FnMut(Piece),
    ) -> Result<(), ProviderError>;

    /// How many tokens a model takes, if somebody can tell. It is asked after an answer, and never
    /// for long.
    fn window(&self, _model: &str, _cancel: &Cancel) -> Option<u64> {
        None
    }

    /// What a model takes beside text, as far as anybody knows.
    fn takes(&self, model: &str, cancel: &Cancel) -> Takes;

    /// The names of the models that can be asked right now.
    fn models(&self, cancel: &Cancel) -> Result<Vec<String>, ProviderError>;
}
