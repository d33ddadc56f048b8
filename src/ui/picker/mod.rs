//! Choosing a conversation from a list that fills the terminal: typing filters it, and what is
//! chosen can be looked into.
//!
//! The list is there at once, from what is known of all conversations. Whatever has to be read from
//! inside one comes later, from a thread that asks a [`Reader`], and nobody waits for it. Texts may
//! come from anywhere, and are made harmless when they are drawn.

mod fuzzy;
mod item;
mod pattern;

mod draw;
mod layout;
mod state;

mod numbered;
mod screen;
mod worker;

pub use item::{Content, Glance, Item, Reader};
pub use screen::{Picked, pick};

#[cfg(test)]
mod tests;
