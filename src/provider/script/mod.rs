//! A model that is played from a file: for tests, demos and bug reports.
//!
//! Which answer is played follows from the messages alone, so that a conversation goes on in
//! another process where it stopped. Nothing here reads a file: the text is handed in.
//! `docs/scripts.md` describes the format.

mod answer;
mod choice;
mod expect;
mod fields;
mod parse;
mod play;
mod problem;
mod step;

#[cfg(test)]
mod tests;

pub use answer::Script;
pub use play::ScriptProvider;
pub use problem::{ScriptError, ScriptProblem};
