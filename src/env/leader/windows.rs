//! Sessions on Windows, untested.
//!
//! The window of the console differs from tab to tab, and would be what `GetConsoleWindow` gives and
//! `IsWindow` still knows. Both are foreign calls, which need `unsafe`, and jp has none. So nobody
//! leads, and a session is what `JP_SESSION` or the variable of a terminal names.

use super::{Leader, Life};

/// Nobody.
pub fn leader() -> Option<Leader> {
    None
}

/// What another system wrote down says nothing here.
pub fn life(_leader: &Leader) -> Life {
    Life::Unknown
}
