//! What people write in their editor.
//!
//! Nothing that was typed is lost: a draft is only removed when it is told that it is not needed
//! any more, or when there is nothing in it. The terminal belongs to others: the editor is run by
//! a function that is handed in.

mod draft;
mod editor;
mod left;
mod rework;
mod sheet;

pub use draft::{Draft, DraftError};
pub use left::left_behind;
pub use rework::Rework;
pub use sheet::Sheet;

#[cfg(test)]
mod tests;
