//! Processes that can be told apart for good: of this run, and that which leads the session of this
//! terminal.
//!
//! A number alone would not do, because numbers are given out again: a process is known by when it
//! began, too. Linux tells that to a hundredth of a second, in which no number comes again: all
//! others come first. Where nobody tells it, no process is known.
//!
//! A session without a terminal has no leader here: it is that of a service, a timer or a build
//! server, and says nothing about who is at work. Without a leader, `JP_SESSION` and the variables
//! of terminals have to do.

#[cfg(target_os = "linux")]
#[path = "process/linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "process/elsewhere.rs"]
mod system;

/// A process: its number, and what tells it from others with that number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
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

impl Process {
    /// The process that asks.
    pub fn of_this() -> Option<Self> {
        Self::of(std::process::id())
    }

    /// The process that has a number now, if it is alive and can be seen.
    pub fn of(pid: u32) -> Option<Self> {
        system::process(pid)
    }

    /// The leader of the session of this process, if the session has a terminal.
    pub(super) fn leading() -> Option<Self> {
        system::leader()
    }

    /// The processes of the session that it leads, or has led until it ended.
    pub fn session(&self) -> Vec<Self> {
        system::of_session(self.pid)
    }

    /// Whether it is still there.
    pub fn life(&self) -> Life {
        system::life(self)
    }
}
