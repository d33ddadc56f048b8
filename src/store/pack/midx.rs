//! Which packs a multi-pack index names. Removing one of those would break the index.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use crate::fsutil::FsError;

/// What a store with multi-pack indices says of its packs.
#[derive(Debug)]
pub(super) enum NamedPacks {
    /// These packs are named.
    Some(BTreeSet<String>),
    /// There is an index that we do not read: any pack may be named.
    Any,
}

impl NamedPacks {
    /// Whether the pack may be named.
    pub(super) fn contains(&self, stem: &str) -> bool {
        match self {
            NamedPacks::Some(names) => names.contains(stem),
            NamedPacks::Any => true,
        }
    }
}

/// Reads the multi-pack index beside the packs, if there is one.
pub(super) fn named_packs(packs: &Path) -> Result<NamedPacks, FsError> {
    // A chain of several indices.
    if packs.join("multi-pack-index.d").exists() {
        return Ok(NamedPacks::Any);
    }
    let path = packs.join("multi-pack-index");
    match fs::read(&path) {
        Ok(bytes) => Ok(parse(&bytes).map_or(NamedPacks::Any, NamedPacks::Some)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(NamedPacks::Some(BTreeSet::new()))
        }
        Err(error) => Err(FsError::new("read", path, error)),
    }
}

fn parse(bytes: &[u8]) -> Option<BTreeSet<String>> {
    const HEADER: usize = 12;
    const ROW: usize = 12;
    if !bytes.starts_with(b"MIDX\x01") {
        return None;
    }
    let chunks = usize::from(*bytes.get(6)?);
    let packs = u32::from_be_bytes(bytes.get(8..HEADER)?.try_into().ok()?) as usize;
    let rows = bytes.get(HEADER..HEADER + (chunks + 1) * ROW)?;
    let offset = |row: &[u8]| usize::try_from(u64::from_be_bytes(row[4..].try_into().ok()?)).ok();
    let (row, next) =
        rows.chunks(ROW).zip(rows.chunks(ROW).skip(1)).find(|(row, _)| row.starts_with(b"PNAM"))?;
    let text = bytes.get(offset(row)?..offset(next)?)?;
    let names: BTreeSet<String> = text
        .split(|&byte| byte == 0)
        .filter_map(|name| std::str::from_utf8(name).ok()?.strip_suffix(".idx"))
        .map(str::to_owned)
        .collect();
    (names.len() == packs).then_some(names)
}
