//! The mapping files of a workspace on disk.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};

use super::{Mapping, Session};
use crate::fsutil::{self, DirectoryLock, FsError};

/// More than any mapping has.
const MAX_BYTES: u64 = 1 << 20;

/// The directory of the mapping files.
pub(super) struct Directory(pub(super) PathBuf);

/// What reading a mapping file gave.
pub(super) enum Found {
    Nothing,
    Mapping(Mapping),
    /// There is something, but it is none; why.
    Damaged(String),
}

impl Directory {
    pub(super) fn path_of(&self, session: &Session) -> PathBuf {
        self.0.join(session.file_name())
    }

    /// Waits for its turn to change mapping files. Without it we go on all the same: a mapping is
    /// replaced as a whole in any case, and the lock only keeps two of them from forgetting each
    /// other.
    pub(super) fn lock(&self) -> DirectoryLock {
        DirectoryLock::take(&self.0)
    }

    /// Changes mapping files only if nobody else is about to.
    pub(super) fn try_lock(&self) -> DirectoryLock {
        DirectoryLock::try_take(&self.0)
    }

    /// Writes a mapping.
    pub(super) fn write(&self, session: &Session, mapping: &Mapping) -> Result<(), FsError> {
        fsutil::write_private(&self.path_of(session), &mapping.encode(session))
    }
}

/// Reads a mapping file.
pub(super) fn read(path: &Path) -> Found {
    let damaged = |why: &str| Found::Damaged(format!("`{}` is not used: {why}", path.display()));
    match read_bytes(path) {
        Ok(Some(bytes)) => match Mapping::decode(&bytes) {
            Some(mapping) => Found::Mapping(mapping),
            None => damaged("it does not read as what a session was about"),
        },
        Ok(None) => Found::Nothing,
        Err(why) => damaged(&why),
    }
}

/// What is in a file; `None` if it is not there, and why it cannot be read.
pub(super) fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => Ok(None),
        _ => Err(fsutil::cause(&error).to_string()),
    };
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err("it is not a file".to_owned()),
        Err(error) => return failed(error),
    }
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(bytes)),
        Err(error) => failed(error),
    }
}
