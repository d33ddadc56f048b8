//! The mapping files of a workspace on disk.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{Mapping, Session};
use crate::fsutil::{self, FsError};

/// More than any mapping has.
const MAX_BYTES: u64 = 1 << 20;

/// How long another process may keep the directory, before we go on without it: a mapping is
/// replaced as a whole in any case, and the lock only keeps two of them from forgetting each other.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);

/// The directory of the mapping files.
pub(super) struct Directory(pub(super) PathBuf);

/// What reading a mapping file gave.
pub(super) enum Found {
    Nothing,
    Mapping(Mapping),
    /// There is something, but it is none; why.
    Damaged(String),
}

/// Keeps other processes from changing mapping files, if the file system knows locks.
#[must_use = "others can write once this is dropped"]
pub(super) struct DirectoryLock(Option<File>);

impl DirectoryLock {
    /// Whether nobody else can have it.
    pub(super) fn is_held(&self) -> bool {
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

impl Directory {
    pub(super) fn path_of(&self, session: &Session) -> PathBuf {
        self.0.join(session.file_name())
    }

    /// Waits for its turn to change mapping files.
    pub(super) fn lock(&self) -> DirectoryLock {
        let began = Instant::now();
        let Ok(directory) = File::open(&self.0) else { return DirectoryLock(None) };
        loop {
            match fs4::FileExt::try_lock(&directory) {
                Ok(()) => return DirectoryLock(Some(directory)),
                Err(fs4::TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                Err(_) => return DirectoryLock(None),
            }
        }
    }

    /// Changes mapping files only if nobody else is about to.
    pub(super) fn try_lock(&self) -> DirectoryLock {
        let directory = File::open(&self.0).ok();
        DirectoryLock(directory.filter(|directory| fs4::FileExt::try_lock(directory).is_ok()))
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
