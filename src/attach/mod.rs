//! What is put beside a request: files, directories, patterns, addresses and standard input.
//!
//! It reads and fetches what the user named and nothing else, tells texts, images and documents
//! apart by their bytes, and refuses what is too much. It stores nothing, and what a model takes is
//! told to it.

mod error;
mod gather;
pub mod limits;
mod name;
mod pattern;
mod source;

#[cfg(test)]
mod tests;

pub use error::AttachError;
pub use gather::{Gathered, Gatherer, LeftOut, Picked};
