//! The size of the terminal.

use std::os::fd::AsFd;

use crate::env::Env;

/// Rows and columns of a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Lines that can be seen at once.
    pub rows: usize,
    /// Characters in a line.
    pub columns: usize,
}

impl Size {
    /// The size of the terminal that standard output goes to; else what the variables `LINES` and
    /// `COLUMNS` say; else that of a classic terminal.
    pub fn of_stdout(env: &Env) -> Self {
        Self::of(std::io::stdout(), env)
    }

    /// The same for another terminal.
    pub(super) fn of(terminal: impl AsFd, env: &Env) -> Self {
        let known = rustix::termios::tcgetwinsize(terminal).ok();
        let rows = known.map_or(0, |size| usize::from(size.ws_row));
        let columns = known.map_or(0, |size| usize::from(size.ws_col));
        Self {
            rows: or_variable(rows, env, "LINES", 24),
            columns: or_variable(columns, env, "COLUMNS", 80),
        }
    }
}

fn or_variable(known: usize, env: &Env, name: &str, otherwise: usize) -> usize {
    if known > 0 {
        return known;
    }
    let said = env.var(name).and_then(|value| value.to_str()?.parse().ok());
    said.filter(|value| (1..=10_000).contains(value)).unwrap_or(otherwise)
}
