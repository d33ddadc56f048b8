//! OpenAI's Chat Completions API, as OpenAI and many others speak it.

mod calls;
mod decode;
mod dialect;
mod encode;

#[cfg(test)]
mod tests;

pub(super) use decode::decoder;
pub(super) use dialect::{Dialect, Thinking};
pub(super) use encode::encode;

/// The name of this wire format, on blocks that are kept in it.
pub(super) const API: &str = "openai";
