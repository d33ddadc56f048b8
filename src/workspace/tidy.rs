//! What others left behind, cleared away by whoever comes next, a little at a time.

use std::time::Duration;

use super::Workspace;
use crate::store::Share;

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
}

impl Workspace {
    /// Removes some of the lock files that nobody holds and some of the sessions that are over.
    /// Nobody asked for it, so what fails is left to the next one.
    pub fn clear_stale(&self) -> Cleared {
        self.clear_stale_within(SHARE)
    }

    /// The same with another share of the work.
    pub(super) fn clear_stale_within(&self, share: Share) -> Cleared {
        let random = self.env.random().map_or(0, usize::from_le_bytes);
        let locks = self.store.clear_orphaned_locks(share, random);
        Cleared { locks, sessions: self.clear_stale_sessions(share, random) }
    }
}
