//! git's lock files: `<file>.lock`, created exclusively, removed or renamed by whoever made it.
//!
//! A killed process leaves one behind. It is broken only when it stayed the same for a while and
//! nobody living has it: no process has it open (Linux), and nobody holds the flock that every jp
//! takes on it. Whoever breaks it holds that flock, so two breakers cannot remove a third's lock.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use fs4::FileExt;

use super::RefError;
use crate::fsutil::{AtPath, FsError};

/// How long a lock file must stay the same before it can count as left behind. git closes its
/// lock files some time before it renames them, so one that may be git's gets more time.
const STALE_AFTER: Duration =
    if cfg!(target_os = "linux") { Duration::from_millis(500) } else { Duration::from_secs(5) };
const OURS_STALE_AFTER: Duration = Duration::from_millis(20);

/// The bit by which a lock file of jp is known from one of git: it is taken off with the rename.
#[cfg(unix)]
const MARK: u32 = 0o100;
const PATIENCE: Duration = Duration::from_secs(10);
const LONGEST_STEP: Duration = Duration::from_millis(20);

/// A lock file of ours, removed when dropped.
#[must_use = "the lock is released when this is dropped"]
#[derive(Debug)]
pub(super) struct LockFile {
    path: PathBuf,
    file: File,
    ours: bool,
}

impl LockFile {
    /// Creates the lock file, waiting for a living holder and breaking what a dead one left.
    pub(super) fn acquire(path: PathBuf) -> Result<LockFile, RefError> {
        let started = Instant::now();
        let mut step = Duration::from_millis(1);
        let mut seen: Option<(Fingerprint, Instant)> = None;
        loop {
            if let Some(lock) = LockFile::try_create(&path)? {
                return Ok(lock);
            }
            let metadata = match fs::symlink_metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(FsError::new("inspect", &path, error).into()),
            };
            let now = Fingerprint::of(&metadata);
            match &seen {
                Some((before, since)) if *before == now => {
                    if since.elapsed() >= stale_after(&metadata) {
                        if !is_open_somewhere(&path, &metadata) && break_stale(&path, &now)? {
                            continue;
                        }
                        // Somebody has it: look again after another while.
                        seen = Some((now, Instant::now()));
                    }
                }
                _ => seen = Some((now, Instant::now())),
            }
            if started.elapsed() >= PATIENCE {
                return Err(RefError::Busy { path });
            }
            std::thread::sleep(step);
            step = (step * 2).min(LONGEST_STEP);
        }
    }

    /// Removes a lock file that a killed process left some time before now. One that somebody has,
    /// or that is young and may be git's, stays.
    pub(super) fn clear(path: &Path, now: SystemTime) -> Result<(), RefError> {
        let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
        let age = metadata.modified().ok().and_then(|then| now.duration_since(then).ok());
        let is_old = age.is_some_and(|age| age >= STALE_AFTER);
        if (is_marked(&metadata) || is_old) && !is_open_somewhere(path, &metadata) {
            break_stale(path, &Fingerprint::of(&metadata))?;
        }
        Ok(())
    }

    /// Creates the lock file, or gives up at once if there is one.
    pub(super) fn try_create(path: &Path) -> Result<Option<LockFile>, RefError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o666 | MARK);
        match options.open(path) {
            Ok(file) => {
                // A sign of life for processes that cannot see ours, as in another container.
                // Where there are no such locks, the wait alone has to do.
                let _ = FileExt::try_lock(&file);
                Ok(Some(LockFile { path: path.to_owned(), file, ours: true }))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(FsError::new("create", path, error).into()),
        }
    }

    /// Takes another lock with the same file under a second name, or gives up at once.
    ///
    /// For many short locks: ext4 takes up to half a millisecond to create a file where thousands
    /// were deleted a moment ago, and a link creates none.
    pub(super) fn try_link(&self, path: &Path) -> Result<Option<LockFile>, RefError> {
        match fs::hard_link(&self.path, path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            // A file system without links, or one that has enough of them.
            Err(_) => return LockFile::try_create(path),
        }
        match self.file.try_clone() {
            Ok(file) => Ok(Some(LockFile { path: path.to_owned(), file, ours: true })),
            Err(error) => {
                let _ = fs::remove_file(path);
                Err(FsError::new("lock", path, error).into())
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Renames the lock file onto what it locks; the caller has synced it.
    pub(super) fn rename_to(mut self, target: &Path) -> Result<(), RefError> {
        let named = fs::symlink_metadata(&self.path).at("inspect", &self.path)?;
        let held = self.file.metadata().at("inspect", &self.path)?;
        if !Fingerprint::of(&named).same_file(&Fingerprint::of(&held)) {
            // Somebody took us for dead. What lies there now is theirs.
            self.ours = false;
            return Err(RefError::Stolen { path: self.path.clone() });
        }
        unmark(&self.file, &held).at("change the mode of", &self.path)?;
        let renamed = fs::rename(&self.path, target).or_else(|error| {
            // git leaves empty directories where refs with longer names were.
            if target.is_dir() && fs::remove_dir(target).is_ok() {
                return fs::rename(&self.path, target);
            }
            Err(error)
        });
        renamed.at("replace", target)?;
        self.ours = false;
        Ok(())
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        if self.ours {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn stale_after(metadata: &Metadata) -> Duration {
    if is_marked(metadata) { OURS_STALE_AFTER } else { STALE_AFTER }
}

#[cfg(unix)]
fn is_marked(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & MARK != 0
}

#[cfg(not(unix))]
fn is_marked(_metadata: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn unmark(file: &File, metadata: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode() & !MARK;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn unmark(_file: &File, _metadata: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Removes a lock file that nobody living has; `false` if somebody does, or it changed.
fn break_stale(path: &Path, expected: &Fingerprint) -> Result<bool, RefError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(FsError::new("open", path, error).into()),
    };
    if let Err(fs4::TryLockError::WouldBlock) = FileExt::try_lock(&file) {
        return Ok(false);
    }
    // Another breaker may have been here first: look at the name again, now under the flock.
    match fs::symlink_metadata(path) {
        Ok(metadata) if Fingerprint::of(&metadata) == *expected => {}
        _ => return Ok(false),
    }
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(FsError::new("remove stale lock", path, error).into()),
    }
}

/// What must stay the same for a lock file to count as untouched.
#[derive(Debug, PartialEq, Eq)]
struct Fingerprint {
    inode: (u64, u64),
    length: u64,
    modified: Option<SystemTime>,
}

impl Fingerprint {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let inode = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let inode = (0, 0);
        Fingerprint { inode, length: metadata.len(), modified: metadata.modified().ok() }
    }

    fn same_file(&self, other: &Fingerprint) -> bool {
        self.inode == other.inode
    }
}

/// Whether a process that we can look into has the file open.
#[cfg(target_os = "linux")]
fn is_open_somewhere(path: &Path, metadata: &Metadata) -> bool {
    let Some(name) = path.file_name() else {
        return false;
    };
    let wanted = Fingerprint::of(metadata);
    let Ok(processes) = fs::read_dir("/proc") else {
        return false;
    };
    processes
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit))
        .filter_map(|entry| fs::read_dir(entry.path().join("fd")).ok())
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        // By name first: asking a remote file for its metadata can take for ever.
        .filter(|link| fs::read_link(link).is_ok_and(|target| target.file_name() == Some(name)))
        .filter_map(|link| fs::metadata(link).ok())
        .any(|open| Fingerprint::of(&open).same_file(&wanted))
}

#[cfg(not(target_os = "linux"))]
fn is_open_somewhere(_path: &Path, _metadata: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leftover_is_broken_within_a_second() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.lock");
        fs::write(&path, "half").unwrap();
        let started = Instant::now();
        let lock = LockFile::acquire(path.clone()).unwrap();
        assert!(started.elapsed() >= STALE_AFTER);
        assert!(started.elapsed() < STALE_AFTER * 2);
        drop(lock);
        assert!(!path.exists());
    }

    #[test]
    fn a_lock_that_is_open_is_respected_until_it_goes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.lock");
        let held = File::create(&path).unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| LockFile::acquire(path.clone()).map(drop));
            std::thread::sleep(STALE_AFTER * 5 / 2);
            assert!(path.exists() && !waiter.is_finished());
            fs::remove_file(&path).unwrap();
            drop(held);
            waiter.join().unwrap().unwrap();
        });
    }

    #[test]
    fn many_waiters_on_one_leftover_hold_it_one_after_the_other() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.lock");
        fs::write(&path, "").unwrap();
        let inside = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let lock = LockFile::acquire(path.clone()).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    std::thread::sleep(Duration::from_millis(5));
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(lock);
                });
            }
        });
    }
}
