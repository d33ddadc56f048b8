//! Builds one pack and its index in memory.
//!
//! No deltas: what is written on the hot path is small, and a pack of whole objects can be merged
//! by copying. It writes no files.

use std::collections::HashSet;

use flate2::{Compress, Compression, FlushCompress, Status};
use gix::ObjectId;
use gix::object::Kind;

use super::entry;
use super::index::{self, IndexEntry};

const HEADER: usize = 12;

/// Why a pack could not be built.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The contents are a known attack on SHA-1.
    #[error("cannot hash an object: {0}")]
    Hash(String),
    /// The compressor failed.
    #[error("cannot compress an object: {0}")]
    Compress(String),
    /// More objects than a pack can count.
    #[error("cannot pack more than 4294967295 objects")]
    TooMany,
}

/// A finished pack, ready to be written.
#[derive(Debug)]
pub struct BuiltPack {
    /// The bytes of the pack.
    pub pack: Vec<u8>,
    /// The bytes of its index.
    pub index: Vec<u8>,
    /// The checksum that names it.
    pub checksum: ObjectId,
    /// Its objects, in the order they were added.
    pub objects: Vec<ObjectId>,
}

/// Collects objects into a pack.
pub struct PackBuilder {
    pack: Vec<u8>,
    entries: Vec<IndexEntry>,
    known: HashSet<ObjectId>,
    compress: Option<Compress>,
}

impl PackBuilder {
    /// An empty pack.
    pub fn new() -> Self {
        let mut pack = b"PACK\0\0\0\x02".to_vec();
        pack.resize(HEADER, 0);
        PackBuilder { pack, entries: Vec::new(), known: HashSet::new(), compress: None }
    }

    /// Adds an object unless it is there already, and tells its id.
    pub fn add(&mut self, kind: Kind, data: &[u8]) -> Result<ObjectId, PackError> {
        let id = hash_object(kind, data)?;
        if self.known.insert(id) {
            let start = self.pack.len();
            entry::write_header(&mut self.pack, kind, data.len() as u64);
            if let Err(error) = self.deflate(data) {
                self.pack.truncate(start);
                self.known.remove(&id);
                return Err(error);
            }
            self.record(id, start);
        }
        Ok(id)
    }

    /// Adds an object that is compressed already; the caller vouches for the id.
    pub fn add_raw(&mut self, id: ObjectId, kind: Kind, inflated_size: u64, compressed: &[u8]) {
        if self.known.insert(id) {
            let start = self.pack.len();
            entry::write_header(&mut self.pack, kind, inflated_size);
            self.pack.extend_from_slice(compressed);
            self.record(id, start);
        }
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the object was added.
    pub fn contains(&self, id: &ObjectId) -> bool {
        self.known.contains(id)
    }

    /// The objects, in the order they were added.
    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.entries.iter().map(|entry| entry.id)
    }

    /// Closes the pack and writes its index.
    pub fn finish(mut self) -> Result<BuiltPack, PackError> {
        let count = u32::try_from(self.entries.len()).map_err(|_error| PackError::TooMany)?;
        self.pack[HEADER - 4..HEADER].copy_from_slice(&count.to_be_bytes());
        let checksum = sha1(&[&self.pack])?;
        self.pack.extend_from_slice(checksum.as_bytes());
        let index = index::encode(&self.entries, &checksum)?;
        let objects = self.ids().collect();
        Ok(BuiltPack { pack: self.pack, index, checksum, objects })
    }

    fn record(&mut self, id: ObjectId, start: usize) {
        let crc32 = crc32fast::hash(&self.pack[start..]);
        self.entries.push(IndexEntry { id, offset: start as u64, crc32 });
    }

    fn deflate(&mut self, data: &[u8]) -> Result<(), PackError> {
        // Its tables are large: set up once, reset for each object.
        let compress =
            self.compress.get_or_insert_with(|| Compress::new(Compression::default(), true));
        compress.reset();
        self.pack.reserve(data.len() + data.len() / 1000 + 64);
        loop {
            let done = compress.total_in() as usize;
            let status = compress
                .compress_vec(&data[done..], &mut self.pack, FlushCompress::Finish)
                .map_err(|error| PackError::Compress(error.to_string()))?;
            if status == Status::StreamEnd {
                return Ok(());
            }
            self.pack.reserve(data.len() / 8 + 256);
        }
    }
}

/// The id git gives to an object.
pub fn hash_object(kind: Kind, data: &[u8]) -> Result<ObjectId, PackError> {
    gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, data)
        .map_err(|error| PackError::Hash(error.to_string()))
}

/// SHA-1 with collision detection, as in git.
pub(super) fn sha1(parts: &[&[u8]]) -> Result<ObjectId, PackError> {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    for part in parts {
        hasher.update(part);
    }
    hasher.try_finalize().map_err(|error| PackError::Hash(error.to_string()))
}
