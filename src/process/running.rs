//! The programs that run now, for who has to end them all at once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal};

use super::group::signal_all;

/// The groups of the programs that were started with it and have not ended. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Running(Arc<Mutex<Vec<Pid>>>);

impl Running {
    /// Kills them all, because jp itself ends at once: whoever is not waited for any more must not
    /// go on unseen.
    pub fn kill_all(&self) {
        for pid in &*self.groups() {
            signal_all(*pid, Signal::KILL);
        }
    }

    pub(super) fn add(&self, pid: Pid) {
        self.groups().push(pid);
    }

    /// Forgets a program, before it is reaped and its number belongs to somebody else.
    pub(super) fn remove(&self, pid: Pid) {
        self.groups().retain(|running| *running != pid);
    }

    fn groups(&self) -> MutexGuard<'_, Vec<Pid>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
