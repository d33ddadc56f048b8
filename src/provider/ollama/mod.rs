//! Ollama's own API.

mod decode;
mod encode;

#[cfg(test)]
mod tests;

pub(super) use decode::decoder;
pub(super) use encode::encode;

/// The name of this wire format, on blocks that are kept in it.
pub(super) const API: &str = "ollama";
