//! Anthropic's Messages API, as Anthropic and servers like llama.cpp speak it.

mod decode;
mod encode;
mod thinking;

#[cfg(test)]
mod tests;

pub(super) use decode::decoder;
pub(super) use encode::encode;

/// The name of this wire format, on blocks that are kept in it.
pub(super) const API: &str = "anthropic";
