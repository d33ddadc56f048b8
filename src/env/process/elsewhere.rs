//! Processes on systems other than Linux, where none of them is known.
//!
//! No call without `unsafe` tells there when a process began, and a number that is given out again
//! would lead to another's conversation. So nobody leads, and a session is what `JP_SESSION` or the
//! variable of a terminal names.

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
