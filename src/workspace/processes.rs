//! The processes that serve a conversation each: one file for each, as long as it runs.
//!
//! Whoever registers holds the lock of the conversation. A file is only a sign where to look: what
//! counts is whether its process is alive. It is removed by that process, or by whoever finds it
//! dead; both do so with the lock of the directory, which is held to register, too. So nobody removes
//! what came a moment later.

mod entry;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

pub use entry::ProcessEntry;

use super::{Workspace, WorkspaceError, tidy::is_abandoned};
use crate::{
    env::{Life, Process},
    fsutil::{self, DirectoryLock, FsError, Leftover},
    model::ConversationId,
    store::{Handful, Share},
};

/// The entry of this process. Entry and socket go when it is dropped, if they are still its own.
#[must_use = "the process is registered until this is dropped"]
#[derive(Debug)]
pub struct Registration {
    path: PathBuf,
    entry: ProcessEntry,
    socket: Option<Mark>,
}

impl Registration {
    /// What others read about this process.
    pub fn entry(&self) -> &ProcessEntry {
        &self.entry
    }

    /// Whether others still find this process: its entry is there, and its socket.
    pub fn is_found(&self) -> bool {
        self.socket.is_some()
            && Mark::of(&self.entry.socket).zip(self.socket.as_ref()).is_some_and(is_same_file)
            && entry::read(&self.path).as_ref() == Some(&self.entry)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let lock = DirectoryLock::take(parent(&self.path));
        // Without the lock another one could come in between.
        if !lock.is_held() || entry::read(&self.path).as_ref() != Some(&self.entry) {
            return;
        }
        // What fails is left to whoever finds it.
        let _ = fs::remove_file(&self.path);
        let socket = &self.entry.socket;
        let sockets = DirectoryLock::take(parent(socket));
        if sockets.is_held() && self.socket.is_some() && Mark::of(socket) == self.socket {
            let _ = fs::remove_file(socket);
        }
    }
}

impl Workspace {
    /// Registers this process as that which serves a conversation, on a socket that it listens on.
    /// Whoever calls this holds the lock of the conversation.
    pub fn register(
        &self,
        id: ConversationId,
        socket: &Path,
    ) -> Result<Registration, WorkspaceError> {
        let directory = self.processes_dir()?;
        fsutil::create_dir_private(&directory)?;
        let process = Process::of_this().ok_or_else(|| {
            let cause = io::Error::other("it does not tell when this process began");
            FsError::new("read", "/proc", cause)
        })?;
        let (workspace, started_at) = (self.store.id().clone(), self.env.now());
        let socket = socket.to_owned();
        let entry = ProcessEntry { conversation: id, workspace, process, started_at, socket };
        let bytes = entry.encode()?;
        let path = entry_path(&directory, id);
        let lock = DirectoryLock::take(&directory);
        if !lock.is_held() {
            let cause = io::Error::other("another process keeps it locked");
            return Err(FsError::new("register in", directory, cause).into());
        }
        if let Some(before) = entry::read(&path).filter(|before| before.process != entry.process) {
            if before.process.life() == Life::Alive {
                return Err(WorkspaceError::Served { id, pid: before.process.pid });
            }
            if before.socket != entry.socket {
                clear_socket(&before.socket);
            }
        }
        fsutil::write_fleeting(&path, &bytes)?;
        let socket = Mark::of(&entry.socket);
        Ok(Registration { path, entry, socket })
    }

    /// The process that serves a conversation, if there is one and it is alive. What a dead one left
    /// is removed.
    pub fn process_of(&self, id: ConversationId) -> Option<ProcessEntry> {
        let path = entry_path(&self.processes_dir().ok()?, id);
        let entry = self.entry_at(id, &path)?;
        if entry.process.life() == Life::Alive {
            return Some(entry);
        }
        self.clear_entry(id, &path);
        None
    }

    /// All processes that serve a conversation and are alive, by conversation. What dead ones left is
    /// removed.
    pub fn processes(&self) -> Vec<ProcessEntry> {
        let Ok(directory) = self.processes_dir() else { return Vec::new() };
        let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| id_of(&directory, &entry.path()));
        let mut found: Vec<_> = ids.filter_map(|id| self.process_of(id)).collect();
        found.sort_by_key(|entry| entry.conversation);
        found
    }

    /// Removes some of the entries that dead processes left, and says how many.
    pub(super) fn clear_stale_processes(&self, share: Share, random: usize) -> usize {
        let Ok(directory) = self.processes_dir() else { return 0 };
        let now = self.env.now();
        let clear = |path: &PathBuf| match id_of(&directory, path) {
            Some(id) => {
                let entry = self.entry_at(id, path);
                entry.is_some_and(|entry| entry.process.life() != Life::Alive)
                    && self.clear_entry(id, path)
            }
            None => is_abandoned(path, now) && fs::remove_file(path).is_ok(),
        };
        Handful::of(&directory, share, random).filter(clear).count()
    }

    /// Removes an entry and its socket if its process is not alive.
    fn clear_entry(&self, id: ConversationId, path: &Path) -> bool {
        let lock = DirectoryLock::try_take(parent(path));
        // Another one may have registered meanwhile.
        let Some(entry) = self.entry_at(id, path).filter(|_| lock.is_held()) else { return false };
        let is_over = match entry.process.life() {
            Life::Alive => false,
            Life::Dead => true,
            // It was of another run of the system, or is in a container or on another machine: then
            // it holds the lock of its conversation.
            Life::Unknown => self.store.lock(id, &self.holder()).is_ok(),
        };
        if !is_over || fs::remove_file(path).is_err() {
            return false;
        }
        clear_socket(&entry.socket);
        true
    }

    /// What a file says, if it is about this conversation of this workspace.
    fn entry_at(&self, id: ConversationId, path: &Path) -> Option<ProcessEntry> {
        let entry = entry::read(path)?;
        (entry.conversation == id && entry.workspace == *self.store.id()).then_some(entry)
    }

    fn processes_dir(&self) -> Result<PathBuf, WorkspaceError> {
        Ok(self.state_dir()?.join("processes"))
    }
}

/// A socket file, told from another at the same path.
#[derive(Debug, PartialEq, Eq)]
struct Mark([i128; 4]);

impl Mark {
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let found = fs::symlink_metadata(path).ok()?;
        let (seconds, nanos) = (found.ctime(), found.ctime_nsec());
        // The number of a file that is gone is given out again, at another time.
        Some(Self([found.dev().into(), found.ino().into(), seconds.into(), nanos.into()]))
    }
}

/// Whether it is the same file, whatever was changed about it meanwhile.
fn is_same_file((one, other): (Mark, &Mark)) -> bool {
    one.0[..2] == other.0[..2]
}

fn clear_socket(socket: &Path) {
    let lock = DirectoryLock::try_take(parent(socket));
    let _left_to_the_next_one = Leftover::clear(socket, &lock);
}

fn entry_path(directory: &Path, id: ConversationId) -> PathBuf {
    directory.join(format!("{id}.json"))
}

/// The conversation of a file with the name of an entry.
fn id_of(directory: &Path, path: &Path) -> Option<ConversationId> {
    let id = path.file_stem()?.to_str()?.parse().ok()?;
    (entry_path(directory, id) == path).then_some(id)
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

#[cfg(test)]
mod tests;
