//! What people write in their editor, and what helps the editor with it.
//!
//! Nothing that was typed is lost: a draft is only removed when it is told that it is not needed
//! any more, or when there is nothing in it. The terminal belongs to others: the editor is run by
//! a function that is handed in.

mod apply;
pub mod checkout;
mod desk;
mod draft;
mod editor;
mod event_sheet;
mod left;
mod page;
mod rework;
mod sheet;
mod wiring;

pub use apply::{Applied, ApplyError, Earnest, apply};
pub use desk::{Abandoned, Desk, abandoned, warn_if_long};
pub use draft::{Draft, DraftError};
pub use editor::{Opened, has_windows, opens_directories};
pub use event_sheet::EventSheet;
pub use left::left_behind;
pub use page::abandoned_pages;
pub use rework::Rework;
pub use sheet::Sheet;
pub use wiring::wiring;

#[cfg(test)]
mod tests;
