//! A pack on disk that is about to be merged: read whole and checked before anything is copied.

use std::fs;
use std::path::Path;

use gix::ObjectId;
use gix::object::Kind;

use super::entry::{EntryKind, read_header};
use super::index;

const HEADER: usize = 12;
const HASH: usize = 20;

/// Why a pack cannot be merged.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It has deltas, which lean on other objects.
    Deltas,
    /// Somebody removed it meanwhile.
    Gone,
    /// It does not read.
    Damaged(String),
}

/// One object, compressed as it lies in the pack.
pub(super) struct OldEntry<'a> {
    pub(super) id: ObjectId,
    pub(super) kind: Kind,
    pub(super) size: u64,
    pub(super) compressed: &'a [u8],
}

/// Passes every object of a pack on, in the order of the pack, if all of them are sound.
pub(super) fn read_pack<'b>(
    stem: &Path,
    bytes: &'b mut Vec<u8>,
) -> Result<Vec<OldEntry<'b>>, Refusal> {
    let damaged = |reason: &str| Refusal::Damaged(reason.to_owned());
    let index = read_file(&stem.with_extension("idx"))?;
    let index = index::decode(&index).map_err(damaged)?;
    *bytes = read_file(&stem.with_extension("pack"))?;
    let bytes = &*bytes;
    if bytes.len() < HEADER + HASH || !bytes.starts_with(b"PACK\0\0\0\x02") {
        return Err(damaged("not a pack of version 2"));
    }
    let end = bytes.len() - HASH;
    if bytes[end..] != *index.pack_checksum.as_bytes() {
        return Err(damaged("the index belongs to another pack"));
    }
    if bytes[8..HEADER] != (index.entries.len() as u32).to_be_bytes() {
        return Err(damaged("pack and index have different numbers of objects"));
    }
    let mut sorted = index.entries;
    sorted.sort_unstable_by_key(|entry| entry.offset);
    let ends: Vec<u64> =
        sorted.iter().skip(1).map(|entry| entry.offset).chain([end as u64]).collect();
    let mut entries = Vec::with_capacity(sorted.len());
    for (entry, next) in sorted.iter().zip(ends) {
        let (start, next) = (entry.offset as usize, next as usize);
        if start < HEADER || start >= next || next > end {
            return Err(damaged("an offset points out of the pack"));
        }
        let raw = &bytes[start..next];
        if crc32fast::hash(raw) != entry.crc32 {
            return Err(Refusal::Damaged(format!(
                "object {} does not match its checksum",
                entry.id
            )));
        }
        match read_header(raw) {
            Some((EntryKind::Whole(kind), size, length)) => {
                let compressed = &raw[length..];
                entries.push(OldEntry { id: entry.id, kind, size, compressed });
            }
            Some((EntryKind::Delta, ..)) => return Err(Refusal::Deltas),
            None => {
                return Err(Refusal::Damaged(format!("object {} has no header", entry.id)));
            }
        }
    }
    Ok(entries)
}

fn read_file(path: &Path) -> Result<Vec<u8>, Refusal> {
    fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Refusal::Gone,
        _ => Refusal::Damaged(error.to_string()),
    })
}
