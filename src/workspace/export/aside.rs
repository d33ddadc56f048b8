//! A directory under a temporary name, until all of it is on disk.
//!
//! Whoever writes one holds an advisory lock on it, so that what a killed process left can be told
//! from what is in use, and is cleared by the next export beside it.

use std::{
    fs::{self, File},
    path::Path,
};

use fs4::{FileExt, TryLockError};
use tempfile::TempDir;

use crate::fsutil::{AtPath, FsError};

/// What the name of a directory begins with while it is being written.
const PREFIX: &str = ".jp-export-";

/// A directory that is being written, removed again unless it is kept.
pub(super) struct Aside {
    directory: TempDir,
    _claim: Claim,
}

impl Aside {
    /// Makes a directory in another one, and clears what killed processes left there.
    pub(super) fn make(parent: &Path) -> Result<Self, FsError> {
        clear(parent);
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        // Less what the user's mask takes away, as for any new directory.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        loop {
            let directory = builder.tempdir_in(parent).at("create a directory in", parent)?;
            match Claim::on(directory.path()) {
                // Another export took it for a leftover before it was claimed.
                Claim::Taken => {}
                _ if !directory.path().exists() => {}
                claim => return Ok(Self { directory, _claim: claim }),
            }
        }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Leaves it, since it has its name.
    pub(super) fn keep(mut self) {
        self.directory.disable_cleanup(true);
    }
}

/// Removes the directories that nobody writes any more. What cannot be removed is in nobody's way.
fn clear(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_aside = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_aside
            && is_directory
            && let Claim::Ours(_claim) = Claim::on(&entry.path())
        {
            let _left = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a directory is ours.
enum Claim {
    /// It is, as long as this is open.
    Ours(File),
    /// Somebody else has it.
    Taken,
    /// The file system knows no locks, so nobody clears anything there.
    Unknown,
}

impl Claim {
    fn on(directory: &Path) -> Self {
        let Ok(opened) = File::open(directory) else { return Self::Unknown };
        match FileExt::try_lock(&opened) {
            Ok(()) => Self::Ours(opened),
            Err(TryLockError::WouldBlock) => Self::Taken,
            Err(TryLockError::Error(_)) => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_export_left_is_cleared_by_the_next_one() {
        let parent = tempfile::tempdir().unwrap();
        fs::create_dir_all(parent.path().join(".jp-export-killed/.conversation")).unwrap();
        fs::write(parent.path().join(".jp-export-a-file"), "").unwrap();
        let living = Aside::make(parent.path()).unwrap();
        let next = Aside::make(parent.path()).unwrap();
        assert!(!parent.path().join(".jp-export-killed").exists());
        assert!(parent.path().join(".jp-export-a-file").exists());
        assert!(living.path().exists() && next.path().exists());
    }
}
