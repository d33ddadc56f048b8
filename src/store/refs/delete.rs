//! Deletes a ref from both places, so that at no moment an older value shows through.

use std::fs;
use std::io;
use std::path::Path;

use super::update::parent;
use super::{Expected, RefError, RefLock, RefName, packed};
use crate::fsutil::{FsError, sync_dir};

/// Deletes a ref if it is where the caller read it; gone for good when it returns.
pub fn delete(store: &Path, name: &RefName, expected: Expected) -> Result<(), RefError> {
    let lock = RefLock::acquire(store, name)?;
    lock.check(expected)?;
    // Held until the loose file is gone: otherwise a `pack-refs` in between reads the loose file
    // into the new packed-refs, and the ref comes back.
    let packed_lock = packed::lock(store)?;
    let mut packed = packed::load_whole(store)?;
    match packed.refs.binary_search_by(|entry| entry.name.cmp(name)) {
        Ok(at) => {
            packed.refs.remove(at);
            packed::replace(&packed_lock, store, &packed)?;
        }
        // A power cut must not bring back a line that somebody was killed while removing.
        Err(_) => packed::confirm(&packed_lock, store)?,
    }
    let path = name.path(store);
    match fs::remove_file(&path) {
        Ok(()) => sync_dir(parent(&path))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(FsError::new("remove", path, error).into()),
    }
    Ok(())
}
