//! Removes damaged loose objects once the same objects are durable in a pack.
//!
//! An empty loose object is poison: git and gix take it for written and never write it again. It
//! refuses to remove one that reads, and one that is not in the list it is given.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use gix::ObjectId;

use crate::fsutil::FsError;

/// What was found beside the pack.
#[derive(Debug, Default)]
pub struct Healed {
    /// Objects whose damaged loose copy was removed.
    pub healed: Vec<ObjectId>,
    /// Damaged copies that could not be removed.
    pub unhealed: Vec<FsError>,
}

/// Removes the damaged loose copies of objects that are durable elsewhere.
pub fn heal(objects: &Path, ids: &[ObjectId]) -> Healed {
    let mut outcome = Healed::default();
    for id in ids {
        let path = loose_path(objects, id);
        let Ok(file) = File::open(&path) else {
            continue;
        };
        // An error of the device is not damage: leave such a file to `fsck`.
        if matches!(reads_as(file, id), Ok(true) | Err(_)) {
            continue;
        }
        match fs::remove_file(&path) {
            Ok(()) => outcome.healed.push(*id),
            Err(error) => outcome.unhealed.push(FsError::new("remove damaged", path, error)),
        }
    }
    outcome
}

/// The file of a loose object.
pub fn loose_path(objects: &Path, id: &ObjectId) -> PathBuf {
    let hex = id.to_string();
    objects.join(&hex[..2]).join(&hex[2..])
}

/// Whether a loose file inflates to the object; an error only if the file itself cannot be read.
fn reads_as(file: File, id: &ObjectId) -> io::Result<bool> {
    // The header says how long the object is; the hash covers both, so a wrong length shows.
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    let mut decoder = ZlibDecoder::new(file);
    let mut buffer = [0; 16 << 10];
    loop {
        match decoder.read(&mut buffer) {
            Ok(0) => return Ok(hasher.try_finalize().is_ok_and(|actual| actual == *id)),
            Ok(read) => hasher.update(&buffer[..read]),
            Err(error) if error.raw_os_error().is_some() => return Err(error),
            Err(_) => return Ok(false),
        }
    }
}
