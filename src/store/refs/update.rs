//! Moves a ref by compare-and-swap: lock, read, write, sync, rename, sync the directory.
//!
//! [`RefLock`] has the steps apart, so that a commit can sync the ref together with its objects;
//! [`update`] does them all. Nothing here moves a ref that is not where the caller read it.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gix::ObjectId;

use super::lockfile::LockFile;
use super::{RefError, RefName, read};
use crate::fsutil::{AtPath, FsError, create_dir_durable, keeps_order_of_renames, sync_dir};

/// Where a ref must be for an operation to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// There must be no such ref.
    Absent,
    /// It must point to this object.
    Is(ObjectId),
}

impl Expected {
    fn id(self) -> Option<ObjectId> {
        match self {
            Expected::Absent => None,
            Expected::Is(id) => Some(id),
        }
    }
}

/// The right to move one ref, until it is published or dropped.
#[must_use = "the ref is unlocked when this is dropped"]
#[derive(Debug)]
pub struct RefLock {
    store: PathBuf,
    name: RefName,
    lock: LockFile,
}

impl RefLock {
    /// Takes `<ref>.lock`, creating missing directories; waits for others, breaks leftovers.
    pub fn acquire(store: &Path, name: &RefName) -> Result<RefLock, RefError> {
        let path = lock_path(store, name);
        let lock = match LockFile::acquire(path.clone()) {
            Err(RefError::Fs(error)) if error.source_kind() == io::ErrorKind::NotFound => {
                create_dir_durable(parent(&path))?;
                LockFile::acquire(path)?
            }
            other => other?,
        };
        Ok(RefLock { store: store.to_owned(), name: name.clone(), lock })
    }

    /// Where the ref points now; nobody can move it while we hold the lock.
    pub fn current(&self) -> Result<Option<ObjectId>, RefError> {
        read(&self.store, &self.name)
    }

    /// Fails unless the ref is where it is expected.
    pub fn check(&self, expected: Expected) -> Result<(), RefError> {
        let (expected, actual) = (expected.id(), self.current()?);
        if expected == actual {
            return Ok(());
        }
        Err(RefError::Moved { name: self.name.clone(), expected, actual })
    }

    /// Writes the new value into the lock file. It is not synced yet.
    pub fn write(&self, new: ObjectId) -> Result<(), RefError> {
        let text = format!("{new}\n");
        let mut file = self.lock.file();
        Ok(file.write_all(text.as_bytes()).at("write", self.lock.path())?)
    }

    /// The lock file and its path, for [`sync_together`](crate::fsutil::sync_together).
    pub fn file(&self) -> (&Path, &File) {
        (self.lock.path(), self.lock.file())
    }

    /// Renames the new value onto the ref. The caller has synced [`file`](Self::file), and makes
    /// the move durable with [`Renamed::sync`].
    pub fn publish(self) -> Result<Renamed, RefError> {
        let target = self.name.path(&self.store);
        self.lock.rename_to(&target)?;
        Ok(Renamed { target })
    }
}

/// A ref that moved, which others can see but a power cut may still undo.
#[must_use = "the move is durable only after `sync`"]
#[derive(Debug)]
pub struct Renamed {
    target: PathBuf,
}

impl Renamed {
    /// The directory that has to be synced to make the move durable.
    pub fn directory(&self) -> &Path {
        parent(&self.target)
    }

    /// Makes the move durable.
    pub fn sync(self) -> Result<(), RefError> {
        Ok(sync_dir(parent(&self.target))?)
    }
}

/// Moves a ref by itself: the whole compare-and-swap, durable when it returns.
pub fn update(
    store: &Path,
    name: &RefName,
    expected: Expected,
    new: ObjectId,
) -> Result<(), RefError> {
    let lock = RefLock::acquire(store, name)?;
    lock.check(expected)?;
    lock.write(new)?;
    let (path, file) = lock.file();
    file.sync_all().at("sync", path)?;
    let _renamed = lock.publish()?;
    sync_directories(store, &name.path(store))
}

/// Makes a loose ref durable that is there, whoever wrote it, with the directories that it is in:
/// who did so may have been killed before they were synced.
pub fn confirm(store: &Path, name: &RefName) -> Result<(), RefError> {
    let path = name.path(store);
    match File::open(&path) {
        Ok(file) => file.sync_all().at("sync", &path)?,
        // It is in `packed-refs`, or somebody without locks has deleted it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(FsError::new("open", path, error).into()),
    }
    sync_directories(store, &path)
}

fn sync_directories(store: &Path, path: &Path) -> Result<(), RefError> {
    sync_dir(parent(path))?;
    // Where names are kept in order, those of the directories came before.
    if !keeps_order_of_renames(store) {
        let above = parent(path).ancestors().skip(1);
        above.take_while(|above| above.starts_with(store)).try_for_each(sync_dir)?;
    }
    Ok(())
}

/// Removes the lock of a ref that a killed process left some time before now, if it surely is one.
pub fn clear_lock(store: &Path, name: &RefName, now: SystemTime) -> Result<(), RefError> {
    LockFile::clear(&lock_path(store, name), now)
}

pub(super) fn lock_path(store: &Path, name: &RefName) -> PathBuf {
    store.join(format!("{name}.lock"))
}

pub(super) fn parent(path: &Path) -> &Path {
    path.parent().expect("a ref lies below the store")
}
