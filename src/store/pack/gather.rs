//! Gathers loose objects, which plain git leaves when somebody commits with it, into one pack.
//!
//! A loose file is unlinked only after the pack that holds its object is durable. One that does not
//! read is left for `fsck`.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use gix::ObjectId;
use gix::object::Kind;

use super::merge::{MergeError, lock};
use super::{PackBuilder, Staged};
use crate::format::limits;
use crate::fsutil::{AtPath, FsError, sync_dir};

/// One directory of the 256 has this many files when there are about a thousand in all.
const MANY_IN_ONE: usize = 4;

/// The directory that stands for all: hashes are spread evenly.
const SAMPLE: &str = "17";

/// Bytes that are held in memory at once.
const MAX_BYTES: usize = 128 << 20;

/// Whether there are many loose objects, from a look at one directory.
pub fn are_many_loose(objects: &Path) -> bool {
    fs::read_dir(objects.join(SAMPLE)).is_ok_and(|entries| entries.count() >= MANY_IN_ONE)
}

/// Gathers loose objects into a pack, as many as fit; returns how many.
pub fn gather(objects: &Path, stage: &Path) -> Result<usize, MergeError> {
    let _lock = lock(stage)?;
    let mut builder = PackBuilder::new();
    let mut gathered = Vec::new();
    let mut bytes = 0;
    for path in loose_files(objects)? {
        let Some((id, kind, data)) = read(&path) else { continue };
        bytes += data.len();
        if bytes > MAX_BYTES && !gathered.is_empty() {
            break;
        }
        if builder.add(kind, &data)? == id {
            gathered.push(path);
        }
    }
    if gathered.is_empty() {
        return Ok(0);
    }
    let packs = objects.join("pack");
    let built = builder.finish()?;
    let staged = Staged::write(stage, "gather", &built)?;
    staged.sync_with(&[])?;
    staged.install(&packs, &built.checksum)?;
    for path in &gathered {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(FsError::new("remove", path, error).into());
            }
            _ => {}
        }
    }
    sync_dir(objects)?;
    Ok(gathered.len())
}

fn loose_files(objects: &Path) -> Result<Vec<PathBuf>, FsError> {
    let mut files = Vec::new();
    for fan in 0..=u8::MAX {
        let directory = objects.join(format!("{fan:02x}"));
        match fs::read_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(FsError::new("list", directory, error)),
            Ok(entries) => {
                for entry in entries {
                    files.push(entry.at("list", &directory)?.path());
                }
            }
        }
    }
    Ok(files)
}

/// A loose object, if the file is one and is not too large.
fn read(path: &Path) -> Option<(ObjectId, Kind, Vec<u8>)> {
    let fan = path.parent()?.file_name()?.to_str()?;
    let id = ObjectId::from_hex(format!("{fan}{}", path.file_name()?.to_str()?).as_bytes()).ok()?;
    let limit = limits::EVENT_FILE + 64;
    let mut bytes = Vec::new();
    ZlibDecoder::new(File::open(path).ok()?).take(limit).read_to_end(&mut bytes).ok()?;
    let end = bytes.iter().position(|byte| *byte == 0)?;
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let (kind, size) = header.split_once(' ')?;
    let kind = Kind::from_bytes(kind.as_bytes()).ok()?;
    let size: usize = size.parse().ok()?;
    let data = bytes.split_off(end + 1);
    (size == data.len()).then_some((id, kind, data))
}
