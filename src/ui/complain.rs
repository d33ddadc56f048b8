//! What has to be said when there is no command yet that could say it.

use std::{fmt, io::Write};

/// Says something on standard error before a command has begun.
pub fn complain(text: impl fmt::Display) {
    let _unheard = writeln!(std::io::stderr(), "{text}");
}
