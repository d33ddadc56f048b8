//! What Ctrl+C means while a model answers: a menu, then a stop, then the end.

mod menu;
mod presses;

pub use menu::Interruption;
pub use presses::{Press, Presses};
