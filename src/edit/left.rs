//! Drafts that earlier runs left behind.

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{draft::FILE, sheet};

/// How many directories are looked at.
const LOOKED_AT: usize = 200;

/// Where the drafts are in the state of the user for a workspace.
pub(super) fn drafts(state: &Path) -> PathBuf {
    state.join("drafts")
}

/// The drafts that nobody is writing any more and that have something in them, newest first. Those
/// with nothing in them are removed.
pub fn left_behind(state: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(drafts(state)) else { return Vec::new() };
    let directories = entries.take(LOOKED_AT).filter_map(|entry| Some(entry.ok()?.path()));
    let mut left: Vec<_> = directories.filter_map(|directory| look_at(&directory)).collect();
    left.sort();
    left.into_iter().rev().map(|(_, path)| path).collect()
}

/// A draft, if it was left behind.
fn look_at(directory: &Path) -> Option<(SystemTime, PathBuf)> {
    // Whoever writes it holds the lock.
    let _lock = lock(directory)?;
    let path = directory.join(FILE);
    let changed = std::fs::metadata(&path).ok()?.modified().ok()?;
    if is_blank(directory) {
        let _stays_until_next_time = std::fs::remove_dir_all(directory);
        return None;
    }
    Some((changed, path))
}

/// The lock of a draft. It is on the directory, because editors put another file in place of the
/// one that they were given.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough while another thread starts a child, which has a copy until then.
        let _closing_does_it_too = fs4::FileExt::unlock(&self.0);
    }
}

/// Takes the lock of a draft; `None` if somebody has it or the file system has none.
pub(super) fn lock(directory: &Path) -> Option<Lock> {
    let directory = File::open(directory).ok()?;
    fs4::FileExt::try_lock(&directory).is_ok().then_some(Lock(directory))
}

/// Whether nothing can be lost with a draft: nothing is written in it, and no editor left a copy.
pub(super) fn is_blank(directory: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(directory) else { return false };
    entries.into_iter().all(|entry| {
        let Ok(entry) = entry else { return false };
        let is_written = |path: &Path| match std::fs::read(path) {
            Ok(bytes) => {
                std::str::from_utf8(&bytes).map_or(true, |text| sheet::written(text).is_some())
            }
            Err(_unreadable) => true,
        };
        entry.file_name() == FILE && !is_written(&entry.path())
    })
}
