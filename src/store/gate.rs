//! The gate: many may write at once, but not while objects are thrown away.

use std::{
    fs::{File, OpenOptions},
    path::Path,
    time::Duration,
};

use fs4::TryLockError;

use crate::fsutil::{AtPath, FsError};

/// How long one waits for the other: writers are through in milliseconds, a purge in seconds.
const ATTEMPTS: usize = 2000;
const PAUSE: Duration = Duration::from_millis(10);

/// The right to write, or the right to throw away.
#[must_use = "the gate is free again when this is dropped"]
#[derive(Debug)]
pub struct Gate {
    _file: File,
}

impl Gate {
    /// Waits until nobody throws anything away, but not for ever. A file system without locks has no
    /// gate.
    pub fn enter(store: &Path) -> Result<Self, FsError> {
        let file = open(store)?;
        for _ in 0..ATTEMPTS {
            match fs4::FileExt::try_lock_shared(&file) {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error))
                    if error.kind() == std::io::ErrorKind::Unsupported =>
                {
                    return Ok(Self { _file: file });
                }
                Err(TryLockError::Error(error)) => {
                    return Err(FsError::new("lock", store.join(NAME), error));
                }
            }
        }
        Err(FsError::new("lock", store.join(NAME), std::io::ErrorKind::WouldBlock.into()))
    }

    /// Keeps all writers out; `None` if there is one that does not end.
    pub fn close(store: &Path) -> Result<Option<Self>, FsError> {
        let file = open(store)?;
        for _ in 0..ATTEMPTS {
            match fs4::FileExt::try_lock(&file) {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => {
                    return Err(FsError::new("lock", store.join(NAME), error));
                }
            }
        }
        Ok(None)
    }
}

const NAME: &str = "gate";

fn open(store: &Path) -> Result<File, FsError> {
    let path = store.join(NAME);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).open(&path).at("open", &path)
}
