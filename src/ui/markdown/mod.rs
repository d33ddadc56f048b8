//! Markdown as a terminal shows it: wrapped, indented, and with the only control sequences that
//! ever get there, our own.
//!
//! Time and memory are proportional to the text, whatever is in it.

mod fence;
mod flow;
mod inline;
mod margin;
mod nesting;
mod render;
mod table;
mod wrap;

pub use fence::backticks;
pub(super) use flow::Flow;
pub(super) use nesting::is_too_deep;
pub use render::render;
pub(super) use render::{OPTIONS, Page};
pub(super) use wrap::wrap_lines;

#[cfg(test)]
mod tests;
