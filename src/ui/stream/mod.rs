//! Markdown as it comes in: every block is laid out and written as soon as it is known to be
//! complete, and nothing that was written is ever touched again.
//!
//! The text is the same as that of [`render`](super::render) for the whole, except where what comes
//! later would change what was written already:
//!
//! - a list whose blank lines come late has them from there on only;
//! - a reference to a link that is defined further down stays as it is written;
//! - a text that nests too deeply is shown as it is from there on, not from its beginning;
//! - a lone carriage return is a line break everywhere.
//!
//! How the text is split into pieces changes nothing, and the work is in proportion to the text.

mod cut;
mod fence;
mod lines;
mod renderer;

pub use renderer::StreamRenderer;

#[cfg(test)]
mod tests;
