//! A file in an editor, in a directory of its own in the state of the user, for the user alone.

use std::{
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use super::{DraftError, Opened, editor, left};
use crate::{
    env::Env,
    fsutil::{self, AtPath},
};

/// What the file said at first, beside it, to tell whether somebody wrote in it.
const WAS: &str = ".was";

/// How many pages are looked at.
const LOOKED_AT: usize = 50;

/// A file in an editor. It stays until it is discarded.
#[must_use = "say whether the text is needed any more"]
#[derive(Debug)]
pub(super) struct Page {
    path: PathBuf,
    /// A sign of life, for as long as it is locked.
    _lock: Option<left::Lock>,
}

impl Page {
    /// Puts bytes into a file of this name.
    pub(super) fn create(
        env: &Env,
        state: &Path,
        name: &str,
        bytes: &[u8],
    ) -> Result<Self, DraftError> {
        let reworks = reworks(state);
        let directory = reworks.join(env.random_name().at("read random bytes for", &reworks)?);
        fsutil::create_dir_private(&directory)?;
        let lock = left::lock(&directory);
        fsutil::write_private(&directory.join(WAS), bytes)?;
        let page = Self { path: directory.join(name), _lock: lock };
        page.write(bytes)?;
        Ok(page)
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts other bytes into it.
    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), DraftError> {
        Ok(fsutil::write_private(&self.path, bytes)?)
    }

    /// Lets the user change it, in an editor that is run by a function; what it says then.
    pub(super) fn edit(
        &self,
        env: &Env,
        mut run: impl FnMut(&mut Command) -> io::Result<ExitStatus>,
    ) -> Result<Vec<u8>, DraftError> {
        let kept = || Some(self.path.clone());
        let (editor, status) = editor::open(env, Opened::File(&self.path), kept(), &mut run)?;
        if !status.success() {
            return Err(DraftError::Failed { editor, status, kept: kept() });
        }
        Ok(std::fs::read(&self.path).at("read", &self.path)?)
    }

    /// Removes it: what it says is used, or not wanted.
    pub(super) fn discard(self) -> Result<(), DraftError> {
        let directory = self.path.parent().unwrap_or(&self.path);
        Ok(std::fs::remove_dir_all(directory).at("remove", directory)?)
    }
}

fn reworks(state: &Path) -> PathBuf {
    state.join("reworks")
}

/// The files that were cut off while somebody wrote in them. Those in which nobody did are removed.
pub fn abandoned_pages(state: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(reworks(state)) else { return Vec::new() };
    let mut abandoned = Vec::new();
    for directory in entries.take(LOOKED_AT).flatten().map(|entry| entry.path()) {
        // Whoever writes there holds the lock.
        let Some(_lock) = left::lock(&directory) else { continue };
        let inner = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        let mut paths = inner.map(|entry| entry.path()).filter(|path| !path.ends_with(WAS));
        let was = std::fs::read(directory.join(WAS)).ok();
        match (paths.next(), paths.next()) {
            (Some(path), None) if std::fs::read(&path).ok() == was && was.is_some() => {
                let _stays_until_next_time = std::fs::remove_dir_all(&directory);
            }
            // An editor that was cut off may have left words beside it.
            (Some(path), _) => abandoned.push(path),
            (None, _) => {}
        }
    }
    abandoned.sort();
    abandoned
}
