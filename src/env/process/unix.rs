//! Sessions on macOS and other Unix systems, untested.
//!
//! `getsid(0)` gives the number of the leader as on Linux, but no call without `unsafe` tells when a
//! process began, and a number that is given out again would lead to another's conversation. So
//! nobody leads; the terminals of macOS name each tab in `TERM_SESSION_ID` or `ITERM_SESSION_ID`.

use super::{Life, Process};

/// None is known.
pub fn process(_pid: u32) -> Option<Process> {
    None
}

/// Nobody.
pub fn leader() -> Option<Process> {
    None
}

/// What another system wrote down says nothing here.
pub fn life(_process: &Process) -> Life {
    Life::Unknown
}

/// The processes of a session: nobody tells here.
pub fn of_session(_leader: u32) -> Vec<Process> {
    Vec::new()
}
