//! Reading git objects, each no larger than its reader can use.

use std::path::Path;

use gix::{
    ObjectId,
    objs::{Find, Kind},
    odb::{
        Header as _,
        store::init::{Options, Slots},
    },
};

use crate::format::limits;

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
        let handle = gix::odb::at_opts(directory, gix::hash::Kind::Sha1, None, options)?;
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
        let damaged = |message: String| ObjectError::Damaged { id: *id, message };
        let header = self.handle.try_header(id).map_err(|error| damaged(error.to_string()))?;
        let header = header.ok_or(ObjectError::Missing(*id))?;
        if header.kind() != kind {
            return Err(ObjectError::WrongKind { id: *id, expected: kind, actual: header.kind() });
        }
        if header.size() > limit {
            return Err(ObjectError::TooLarge { id: *id, size: header.size(), limit });
        }
        buffer.clear();
        let found = self.handle.try_find(id, buffer).map_err(|error| damaged(error.to_string()))?;
        let length = found.ok_or(ObjectError::Missing(*id))?.data.len();
        buffer.truncate(length);
        Ok(())
    }
}
