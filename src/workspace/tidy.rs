//! What others left behind, cleared away by whoever comes next, a little at a time.

use std::{
    path::Path,
    time::{Duration, SystemTime},
};

use super::Workspace;
use crate::{model::Timestamp, store::Share};

/// How much of each directory a command looks at when it is done: enough to keep up, too little to
/// be felt.
const SHARE: Share = Share { names: 4096, files: 32, time: Duration::from_micros(300) };

/// What was cleared away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// Lock files that nobody held.
    pub locks: usize,
    /// Sessions that are over.
    pub sessions: usize,
    /// Entries of processes that are dead.
    pub processes: usize,
    /// Answers in conversations that are gone.
    pub answers: usize,
}

impl Workspace {
    /// Removes some of the lock files that nobody holds, of the sessions that are over, of what dead
    /// processes registered and of the answers in conversations that are gone. Nobody asked for it,
    /// so what fails is left to the next one.
    pub fn clear_stale(&self) -> Cleared {
        self.clear_stale_within(SHARE)
    }

    /// The same with another share of the work.
    pub(super) fn clear_stale_within(&self, share: Share) -> Cleared {
        let random = self.env.random().map_or(0, usize::from_le_bytes);
        let locks = self.store.clear_orphaned_locks(share, random);
        let sessions = self.clear_stale_sessions(share, random);
        let processes = self.clear_stale_processes(share, random);
        Cleared { locks, sessions, processes, answers: self.clear_stale_answers(share, random) }
    }
}

/// When a file that a write left behind is certainly nobody's, in seconds.
const LEFT_BEHIND: i64 = 60 * 60;

/// Whether a file is what a write left behind that was cut short.
pub(super) fn is_abandoned(path: &Path, now: Timestamp) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".jp-"))
        && changed(path).is_some_and(|at| now.seconds() - at > LEFT_BEHIND)
}

/// When a file was last changed, in seconds since 1970.
fn changed(path: &Path) -> Option<i64> {
    let changed = std::fs::symlink_metadata(path).ok()?.modified().ok()?;
    let since = changed.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_secs()).ok()
}
