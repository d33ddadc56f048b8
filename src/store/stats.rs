//! How large a store is.

use std::path::Path;

use super::{RefError, Space, Store, pack};
use crate::fsutil::{AtPath, FsError};

/// How large a store is.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    /// Active conversations.
    pub conversations: usize,
    /// Archived conversations.
    pub archived: usize,
    /// Conversations in the trash.
    pub trashed: usize,
    /// Packs.
    pub packs: usize,
    /// Objects in packs.
    pub packed_objects: u64,
    /// Objects in files of their own.
    pub loose_objects: usize,
    /// Bytes of packs and their indices.
    pub pack_bytes: u64,
    /// Bytes of everything in the store.
    pub bytes: u64,
}

/// Why a store could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum StatsError {
    /// The refs cannot be read.
    #[error(transparent)]
    Ref(#[from] RefError),
    /// The system refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Store {
    /// Measures the store.
    pub fn stats(&self) -> Result<Stats, StatsError> {
        let count = |space| Ok::<_, StatsError>(self.list(space)?.refs.len());
        let objects = self.path().join("objects");
        let packs = objects.join("pack");
        let mut stats = Stats {
            conversations: count(Space::Heads)?,
            archived: count(Space::Archive)?,
            trashed: count(Space::Trash)?,
            packs: pack::count(&objects).at("list", &packs)?,
            packed_objects: 0,
            loose_objects: 0,
            pack_bytes: 0,
            bytes: 0,
        };
        walk(self.path(), &mut |path, bytes| {
            stats.bytes += bytes;
            if path.parent() == Some(&packs) {
                stats.pack_bytes += bytes;
                if path.extension().is_some_and(|extension| extension == "idx") {
                    stats.packed_objects += objects_in(path);
                }
            } else if is_loose(&objects, path) {
                stats.loose_objects += 1;
            }
        })?;
        Ok(stats)
    }
}

fn objects_in(index: &Path) -> u64 {
    let mut head = [0; pack::index::HEAD_BYTES];
    let read = std::fs::File::open(index)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut head));
    read.ok().and_then(|()| pack::index::count(&head)).map_or(0, u64::from)
}

fn is_loose(objects: &Path, path: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(objects) else { return false };
    let parts: Vec<_> = inside.iter().filter_map(|part| part.to_str()).collect();
    matches!(parts[..], [fan, rest] if fan.len() == 2 && rest.len() == 38)
}

fn walk(directory: &Path, visit: &mut impl FnMut(&Path, u64)) -> Result<(), FsError> {
    for entry in std::fs::read_dir(directory).at("list", directory)? {
        let entry = entry.at("list", directory)?;
        let path = entry.path();
        // What vanishes while we look is not there any more.
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() {
            walk(&path, visit)?;
        } else {
            visit(&path, metadata.len());
        }
    }
    Ok(())
}
