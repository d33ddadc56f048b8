//! A draft: a file in the user's own state, written in an editor.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use super::{
    Sheet,
    editor::{self, Opened},
    left, sheet,
};
use crate::{
    env::Env,
    fsutil::{self, AtPath, FsError, cause},
};

/// The name of the file, each in a directory of its own, where editors leave their copies too.
pub(super) const FILE: &str = "query.md";

/// A draft that is being written. If it is dropped it stays, unless there is nothing in it.
#[must_use = "say whether the draft is needed any more"]
#[derive(Debug)]
pub struct Draft {
    directory: PathBuf,
    /// A sign of life, for as long as it is locked.
    lock: Option<left::Lock>,
}

/// Why there is no text.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// There is no editor.
    #[error(
        "there is no editor: neither `JP_EDITOR`, `VISUAL` nor `EDITOR` is set{}",
        kept_in(kept)
    )]
    NoEditor {
        /// Where what was written already was left.
        kept: Option<PathBuf>,
    },
    /// It cannot be run.
    #[error("the editor `{}` cannot be run: {}{}", editor.display(), cause(source), kept_in(kept))]
    Start {
        /// The editor.
        editor: OsString,
        /// Why not.
        source: io::Error,
        /// Where what was written already was left.
        kept: Option<PathBuf>,
    },
    /// It failed.
    #[error("the editor `{}` failed ({status}){}", editor.display(), kept_in(kept))]
    Failed {
        /// The editor.
        editor: OsString,
        /// How it ended.
        status: ExitStatus,
        /// Where what was written was left.
        kept: Option<PathBuf>,
    },
    /// What was written is not text.
    #[error("the draft `{}` is not UTF-8 text", .0.display())]
    NotText(PathBuf),
    /// The file system refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

fn kept_in(kept: &Option<PathBuf>) -> String {
    let kept = kept.as_ref();
    kept.map_or_else(String::new, |path| format!("; the draft is kept in `{}`", path.display()))
}

impl Draft {
    /// Makes a draft in the state of the user for a workspace.
    pub fn create(env: &Env, state: &Path, sheet: &Sheet<'_>) -> Result<Self, DraftError> {
        let drafts = left::drafts(state);
        let directory = drafts.join(env.random_name().at("read random bytes for", &drafts)?);
        fsutil::create_dir_private(&directory)?;
        // Locked before there is a file: a directory without one is left alone.
        let lock = left::lock(&directory);
        let draft = Self { directory, lock };
        fsutil::write_private(&draft.path(), sheet.fill().as_bytes())?;
        Ok(draft)
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    /// Lets the user write, in an editor that is run by a function. `None` if nothing was written.
    pub fn edit(
        &mut self,
        env: &Env,
        mut run: impl FnMut(&mut Command) -> io::Result<ExitStatus>,
    ) -> Result<Option<String>, DraftError> {
        let (path, kept) = (self.path(), self.worth_keeping());
        let (editor, status) = editor::open(env, Opened::File(&path), kept, &mut run)?;
        if !status.success() {
            return Err(DraftError::Failed { editor, status, kept: self.worth_keeping() });
        }
        self.text()
    }

    /// What the file says.
    fn text(&self) -> Result<Option<String>, DraftError> {
        let path = self.path();
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            // An editor that takes the file away says that there is nothing to send.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(FsError::new("read", path, error).into()),
        };
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(sheet::written(text).map(str::to_owned)),
            Err(_garbled) => Err(DraftError::NotText(path)),
        }
    }

    /// The file, if there is something in it that should not be lost.
    fn worth_keeping(&self) -> Option<PathBuf> {
        (!left::is_blank(&self.directory)).then(|| self.path())
    }

    /// Leaves the draft where it is, and says where; `None` if there was nothing in it.
    pub fn keep(self) -> Option<PathBuf> {
        self.worth_keeping()
    }

    /// Removes the draft with all copies that the editor made: what it says is safe elsewhere, or
    /// not wanted.
    pub fn discard(self) -> Result<(), DraftError> {
        Ok(std::fs::remove_dir_all(&self.directory).at("remove", &self.directory)?)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if left::is_blank(&self.directory) {
            let _a_leftover = std::fs::remove_dir_all(&self.directory);
        }
        drop(self.lock.take());
    }
}

impl DraftError {
    /// The editor that the error is about.
    pub fn editor(&self) -> Option<&OsStr> {
        match self {
            Self::Start { editor, .. } | Self::Failed { editor, .. } => Some(editor),
            Self::NoEditor { .. } | Self::NotText(_) | Self::Fs(_) => None,
        }
    }
}
