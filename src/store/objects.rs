//! Reading git objects, each no larger than its reader can use.

use std::path::Path;

use gix::{
    ObjectId,
    objs::{Find, Kind},
    odb::{
        Header as _,
        pack::cache::lru::MemoryCappedHashmap,
        store::init::{Options, Slots},
    },
};

use crate::format::limits;

/// Bytes of objects that are kept because others are deltas against them.
const DELTA_CACHE: usize = 32 << 20;

/// More packs than a store ever has between two merges.
const PACK_SLOTS: u16 = 1024;

/// The object database of a store.
pub struct Objects {
    handle: gix::odb::Handle,
}

/// Why an object could not be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ObjectError {
    #[error("object {0} is missing")]
    Missing(ObjectId),
    #[error("object {id} has {size} bytes: at most {limit} are read")]
    TooLarge { id: ObjectId, size: u64, limit: u64 },
    #[error("object {id} is a {actual}, not a {expected}")]
    WrongKind { id: ObjectId, expected: Kind, actual: Kind },
    #[error("object {id} is damaged: {message}")]
    Damaged { id: ObjectId, message: String },
}

impl Objects {
    /// Opens the object database in a directory.
    pub fn open(directory: &Path) -> std::io::Result<Self> {
        let options = Options {
            slots: Slots::Given(PACK_SLOTS),
            alloc_limit_bytes: usize::try_from(limits::EVENT_FILE).ok(),
            current_dir: Some(directory.to_owned()),
            ..Options::default()
        };
        let mut handle = gix::odb::at_opts(directory, gix::hash::Kind::Sha1, None, options)?;
        handle.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(DELTA_CACHE)));
        Ok(Self { handle })
    }

    /// Whether an object is there.
    pub fn contains(&self, id: &ObjectId) -> bool {
        gix::objs::Exists::exists(&self.handle, id)
    }

    /// The content of a blob.
    pub fn blob(&self, id: &ObjectId, limit: u64) -> Result<Vec<u8>, ObjectError> {
        let mut buffer = Vec::new();
        self.read(id, Kind::Blob, limit, &mut buffer)?;
        Ok(buffer)
    }

    /// The content of a tree.
    pub fn tree(&self, id: &ObjectId) -> Result<Vec<u8>, ObjectError> {
        let mut buffer = Vec::new();
        self.read(id, Kind::Tree, limits::TREE_OBJECT, &mut buffer)?;
        Ok(buffer)
    }

    /// The content of a commit, into a buffer that can be used again.
    pub fn commit(&self, id: &ObjectId, buffer: &mut Vec<u8>) -> Result<(), ObjectError> {
        self.read(id, Kind::Commit, limits::COMMIT_OBJECT, buffer)
    }

    fn read(
        &self,
        id: &ObjectId,
        kind: Kind,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<(), ObjectError> {
        buffer.clear();
        // gix allocates no more than the largest limit, whatever the object claims to be.
        let found = match self.handle.try_find(id, buffer) {
            Ok(found) => found.ok_or(ObjectError::Missing(*id))?,
            Err(error) => return Err(self.explain(id, limit, error.to_string())),
        };
        let (actual, length) = (found.kind, found.data.len());
        if actual != kind {
            return Err(ObjectError::WrongKind { id: *id, expected: kind, actual });
        }
        let size = length as u64;
        if size > limit {
            return Err(ObjectError::TooLarge { id: *id, size, limit });
        }
        buffer.truncate(length);
        Ok(())
    }
    /// Why an object did not read: it is too large, or damaged.
    fn explain(&self, id: &ObjectId, limit: u64, message: String) -> ObjectError {
        match self.handle.try_header(id) {
            Ok(Some(header)) if header.size() > limit => {
                ObjectError::TooLarge { id: *id, size: header.size(), limit }
            }
            _ => ObjectError::Damaged { id: *id, message },
        }
    }
}
