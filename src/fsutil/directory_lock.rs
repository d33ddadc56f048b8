//! One at a time in a directory: an advisory lock on the directory itself, so that no file is left.

use std::{
    fs::File,
    path::Path,
    time::{Duration, Instant},
};

/// How long another process may keep a directory. Everybody has it for some microseconds, so whoever
/// has it longer was stopped.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);

/// Keeps others out of a directory who ask for it too, if the file system knows locks.
#[must_use = "others can write once this is dropped"]
#[derive(Debug)]
pub struct DirectoryLock(Option<File>);

impl DirectoryLock {
    /// Waits for its turn, for two seconds at most.
    pub fn take(directory: &Path) -> Self {
        let began = Instant::now();
        let Ok(file) = File::open(directory) else { return Self(None) };
        loop {
            match fs4::FileExt::try_lock(&file) {
                Ok(()) => return Self(Some(file)),
                Err(fs4::TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                Err(_) => return Self(None),
            }
        }
    }

    /// Takes it only if nobody else has it.
    pub fn try_take(directory: &Path) -> Self {
        let file = File::open(directory).ok();
        Self(file.filter(|file| fs4::FileExt::try_lock(file).is_ok()))
    }

    /// Whether nobody else can have it.
    pub fn is_held(&self) -> bool {
        self.0.is_some()
    }
}

impl Drop for DirectoryLock {
    fn drop(&mut self) {
        // Closing is not enough while another thread starts a child, which has a copy until then.
        if let Some(directory) = &self.0 {
            let _closing_does_it_too = fs4::FileExt::unlock(directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_had_by_one_at_a_time_and_nothing_is_left_in_it() {
        let directory = tempfile::tempdir().unwrap();
        let lock = DirectoryLock::take(directory.path());
        assert!(lock.is_held());
        assert!(!DirectoryLock::try_take(directory.path()).is_held());
        drop(lock);
        assert!(DirectoryLock::try_take(directory.path()).is_held());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        assert!(!DirectoryLock::take(&directory.path().join("none")).is_held());
    }
}
