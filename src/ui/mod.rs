//! What reaches a terminal: untrusted text made harmless, and tables.
//!
//! Nothing here decides what is said; it only decides how it looks.

mod confirm;
mod escape;
mod table;

pub use confirm::confirm;
pub use escape::escape;
pub use table::Table;

/// Says something on standard error before a command has begun.
pub fn complain(text: impl std::fmt::Display) {
    use std::io::Write;
    let _unheard = writeln!(std::io::stderr(), "{text}");
}
