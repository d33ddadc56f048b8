//! Files that whoever started this process has left open in it: a lock of a timer, the pipe of a
//! build, a `<(…)` of a shell.
//!
//! Whoever waits for the last of them to be closed waits for a process that goes on without its
//! starter. So such a process closes them, as soon as nothing is read from there any more.

use std::os::fd::RawFd;

/// The number of the first file that is none of the standard streams.
const FIRST: RawFd = 3;

/// Files that were open when this process began.
#[derive(Debug, Default)]
#[must_use = "they stay open unless they are closed"]
pub struct Inherited(Vec<RawFd>);

impl Inherited {
    /// All files but the standard streams: to be called before this process opens one that it
    /// keeps, since whatever is open counts. Without `/proc` none is known.
    pub fn at_start() -> Self {
        let listed = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
        let numbers = listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let numbers: Vec<RawFd> = numbers.filter(|number| *number >= FIRST).collect();
        // One of them was the list itself.
        let is_open =
            |number: &RawFd| std::fs::symlink_metadata(format!("/proc/self/fd/{number}")).is_ok();
        Self(numbers.into_iter().filter(is_open).collect())
    }

    /// Closes them. Until then their numbers are theirs, so nobody else's file is closed.
    pub fn close(self) {
        for number in self.0 {
            let _closed = nix::unistd::close(number);
        }
    }
}
