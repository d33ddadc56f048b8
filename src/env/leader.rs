//! The process that leads the session of this terminal.
//!
//! A session without a terminal has no leader here: it is that of a service, a timer or a build
//! server, and says nothing about who is at work.
//!
//! A number alone would not do, because numbers are given out again: a leader is known by when it
//! began, too. Linux tells that to a hundredth of a second, in which no number comes again: all
//! others come first. Where nobody tells it, nobody leads, and `JP_SESSION` and the variables of
//! terminals have to do.

#[cfg(target_os = "linux")]
#[path = "leader/linux.rs"]
mod system;
#[cfg(all(unix, not(target_os = "linux")))]
#[path = "leader/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "leader/windows.rs"]
mod system;

/// The leader of a terminal session: its number, and what tells it from others with that number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leader {
    /// Its process id.
    pub pid: u32,
    /// When it began, in ticks since the system started.
    pub started: u64,
    /// Where its number counts: one run of one system, and one namespace of process ids in it.
    pub realm: String,
}

/// Whether a process is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It is.
    Alive,
    /// It is not, or its number is another's now.
    Dead,
    /// It is not one of those that can be seen from here.
    Unknown,
}

impl Leader {
    /// The leader of the session of this process, if the session has a terminal.
    pub(super) fn of_process() -> Option<Self> {
        system::leader()
    }

    /// Whether it is still there.
    pub fn life(&self) -> Life {
        system::life(self)
    }
}
