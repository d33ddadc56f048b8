//! Questions to the person at the terminal, wherever standard input and output go.
//!
//! A question ends with an answer, because it was cancelled (Ctrl+C, Ctrl+D), because the terminal
//! is gone, or because another thread says that it no longer matters. However it ends, the terminal
//! is left as it was found. What a question shows may come from anywhere.

mod arguments;
mod draft;
mod keys;
mod permission;
mod prompter;
mod question;
mod tty;
mod wake;

pub(super) use draft::{Draft, Step};
pub(super) use keys::{Keys, Motion, Pressed};
pub(super) use tty::{Heard, Tty};

pub use arguments::lines as argument_lines;
pub use permission::{Handover, Permission, Proposal};
pub use prompter::{Asked, Key, Prompter};
pub use question::{Question, Reply, Secret};
pub use tty::{leave_terminal, restore_terminal};
pub use wake::{Wake, Waker};

#[cfg(test)]
mod tests;
