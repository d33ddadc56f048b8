//! An exclusive advisory lock on a file: one turn at a time in one conversation.
//!
//! The kernel releases it when the process dies, so there is nothing to break and no timeout. What
//! the file says about its holder is for messages only; nothing is ever decided from it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fs4::{FileExt, TryLockError};
use serde::{Deserialize, Serialize};

use crate::fsutil::{AtPath, FsError, create_dir_durable};

/// How often a busy lock is tried: packing refs holds one for some microseconds.
const ATTEMPTS: usize = 4;
const PAUSE: Duration = Duration::from_millis(2);

/// More than any honest holder writes.
const MAX_HOLDER_BYTES: u64 = 4096;

/// Who holds a lock, as the holder wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The process.
    pub pid: u32,
    /// The session it runs in.
    #[serde(default)]
    pub session: Option<String>,
    /// When it took the lock.
    pub acquired_at: String,
    /// What it does with it, in a word, if others can make something of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
}

impl Holder {
    /// Who holds a lock, in a few words; they may hold anything.
    pub fn in_words(holder: Option<&Self>) -> String {
        match holder {
            None => "held by another process".to_owned(),
            Some(Self { pid, session: None, .. }) => format!("held by pid {pid}"),
            Some(Self { pid, session: Some(session), .. }) => {
                format!("held by pid {pid}, session {session}")
            }
        }
    }
}

/// Why a lock could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process, or another handle of this one, holds it.
    #[error("`{}` is locked, {}", path.display(), Holder::in_words(holder.as_ref()))]
    Held {
        /// The lock file.
        path: PathBuf,
        /// Who holds it, if the file says so.
        holder: Option<Holder>,
    },
    /// The file system has no locks.
    #[error("cannot lock `{}`: the file system does not support locks", path.display())]
    Unsupported {
        /// The lock file.
        path: PathBuf,
    },
    /// The lock file could not be opened, or the system refused.
    #[error(transparent)]
    Io(#[from] FsError),
}

/// An exclusive lock, held until it is dropped.
#[must_use = "the lock is released when this is dropped"]
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Takes the lock, or says at once who has it.
    pub fn try_acquire(path: &Path, holder: &Holder) -> Result<Lock, LockError> {
        Self::acquire(path, holder, ATTEMPTS)
    }

    /// Takes the lock if it is free at this very moment.
    pub fn try_once(path: &Path, holder: &Holder) -> Result<Lock, LockError> {
        Self::acquire(path, holder, 1)
    }

    fn acquire(path: &Path, holder: &Holder, most: usize) -> Result<Lock, LockError> {
        let mut attempts = 0;
        loop {
            let file = open(path)?;
            if !try_lock(&file, path)? {
                attempts += 1;
                if attempts == most {
                    let holder = read_holder(file);
                    return Err(LockError::Held { path: path.to_owned(), holder });
                }
                std::thread::sleep(PAUSE);
                continue;
            }
            // The holder before us deleted the file while we opened it: what we locked has no name.
            if !names(path, &file).at("inspect", path)? {
                continue;
            }
            let lock = Lock { path: path.to_owned(), file };
            lock.describe(holder);
            return Ok(lock);
        }
    }

    /// The lock file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes who we are. A full disk must not keep anybody from deleting things, so a failure to
    /// write a mere note is not an error.
    fn describe(&self, holder: &Holder) {
        let text = serde_json::to_vec(holder).unwrap_or_default();
        // Truncating to nothing makes ext4 write the file out when it is closed, which takes as
        // long as a sync: a note is written over, and only what is left of a longer one is cut off.
        let length = text.len() as u64;
        let written = (&self.file).write_all(&text);
        let _ = written.and_then(|()| match self.file.metadata()?.len() > length {
            true => self.file.set_len(length),
            false => Ok(()),
        });
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // If somebody took our file away, the name may be another's lock by now.
        if names(&self.path, &self.file).unwrap_or(false) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Opens a lock file. Its directory may be missing: copies of a store often lack empty ones.
fn open(path: &Path) -> Result<File, FsError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    // What a link leads to is not ours to write.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NOFOLLOW.bits().cast_signed(),
    );
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(parent) = path.parent() {
                create_dir_durable(parent)?;
            }
            options.open(path).at("open", path)
        }
        opened => opened.at("open", path),
    }
}

fn try_lock(file: &File, path: &Path) -> Result<bool, LockError> {
    match FileExt::try_lock(file) {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(classify(path, error)),
    }
}

fn classify(path: &Path, error: io::Error) -> LockError {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let without_locks = [Errno::NOLCK, Errno::NOSYS, Errno::OPNOTSUPP];
        if without_locks.iter().any(|code| error.raw_os_error() == Some(code.raw_os_error())) {
            return LockError::Unsupported { path: path.to_owned() };
        }
    }
    FsError::new("lock", path, error).into()
}

/// Whether `path` still is the file that is open as `file`.
#[cfg(unix)]
pub(super) fn names(path: &Path, file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let ours = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere an open file cannot lose its name.
#[cfg(not(unix))]
pub(super) fn names(path: &Path, _file: &File) -> io::Result<bool> {
    path.try_exists()
}

pub(super) fn read_holder(file: File) -> Option<Holder> {
    let mut text = Vec::new();
    file.take(MAX_HOLDER_BYTES).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(pid: u32) -> Holder {
        let acquired_at = "2026-11-03T10:00:00Z".to_owned();
        Holder { pid, session: Some("s1".to_owned()), acquired_at, doing: None }
    }

    #[test]
    fn a_second_lock_is_refused_and_names_the_holder() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c.lock");
        let lock = Lock::try_acquire(&path, &holder(7)).unwrap();
        let error = Lock::try_acquire(&path, &holder(8)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{}` is locked, held by pid 7, session s1", path.display())
        );
        drop(lock);
        assert!(!path.exists());
        drop(Lock::try_acquire(&path, &holder(8)).unwrap());
    }

    #[test]
    fn a_lock_whose_file_was_taken_away_leaves_that_of_another_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c.lock");
        let robbed = Lock::try_acquire(&path, &holder(7)).unwrap();
        fs::remove_file(&path).unwrap();
        let other = Lock::try_acquire(&path, &holder(8)).unwrap();
        drop(robbed);
        assert!(matches!(Lock::try_once(&path, &holder(9)), Err(LockError::Held { .. })));
        drop(other);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_link_leads_to_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let (path, victim) = (directory.path().join("c.lock"), directory.path().join("victim"));
        fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        assert!(matches!(Lock::try_acquire(&path, &holder(9)), Err(LockError::Io(_))));
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        assert!(path.is_symlink());
    }

    #[test]
    fn a_leftover_file_without_a_living_holder_does_not_count() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c.lock");
        fs::write(&path, "{\"pid\":1,\"acquired_at\":\"a very long text that is longer\"}")
            .unwrap();
        let _lock = Lock::try_acquire(&path, &holder(9)).unwrap();
    }

    #[test]
    fn what_other_versions_of_jp_wrote_about_themselves_reads() {
        let read = |text: &str| {
            let holder: Option<Holder> = serde_json::from_str(text).ok();
            Holder::in_words(holder.as_ref())
        };
        assert_eq!(read(r#"{"pid":7,"acquired_at":"then"}"#), "held by pid 7");
        let later = r#"{"pid":7,"session":"s1","acquired_at":"then","doing":"query","more":1}"#;
        assert_eq!(read(later), "held by pid 7, session s1");
        assert_eq!(read("garbage"), "held by another process");
    }

    #[test]
    fn garbage_in_the_file_is_an_unknown_holder() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c.lock");
        let _lock = Lock::try_acquire(&path, &holder(1)).unwrap();
        fs::write(&path, "garbage").unwrap();
    }

    #[test]
    fn never_two_holders_at_once() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c.lock");
        let (inside, entered) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (path, inside, entered) = (&path, &inside, &entered);
                scope.spawn(move || {
                    while entered.load(Ordering::SeqCst) < 200 {
                        if let Ok(_lock) = Lock::try_acquire(path, &holder(thread)) {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            entered.fetch_add(1, Ordering::SeqCst);
                            std::thread::yield_now();
                            inside.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
    }
}
