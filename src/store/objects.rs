//! Reading git objects, each no larger than its reader can use.
//!
//! Commits are kept in memory for a while: whoever changes a conversation reads the same few again
//! and again, and those that were written just now would have to be looked for in new packs.

use std::{
    cell::RefCell,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use gix::{
    ObjectId,
    objs::{Find, Kind},
    odb::{
        Header as _,
        pack::cache::lru::MemoryCappedHashmap,
        store::init::{Options, Slots},
    },
};

use super::recent::Recent;
use crate::format::limits;

/// Bytes of objects that are kept because others are deltas against them.
const DELTA_CACHE: usize = 32 << 20;

/// More packs than a store ever has between two merges.
const PACK_SLOTS: u16 = 1024;

/// The object database of a store.
pub struct Objects {
    directory: PathBuf,
    database: RefCell<Database>,
    commits: RefCell<Recent>,
    /// How many objects were read, for tests of what something costs.
    #[cfg(test)]
    reads: std::cell::Cell<usize>,
}

/// The database as it was opened.
struct Database {
    handle: gix::odb::Handle,
    /// When the directory of packs had last changed.
    packs: Option<SystemTime>,
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
    pub fn open(directory: &Path) -> io::Result<Self> {
        let database = RefCell::new(Database::open(directory)?);
        Ok(Self {
            directory: directory.to_owned(),
            database,
            commits: RefCell::default(),
            #[cfg(test)]
            reads: std::cell::Cell::default(),
        })
    }

    /// How many objects were read.
    #[cfg(test)]
    pub fn reads(&self) -> usize {
        self.reads.get()
    }

    /// Whether an object is there.
    pub fn contains(&self, id: &ObjectId) -> bool {
        let exists = || gix::objs::Exists::exists(&self.database.borrow().handle, id);
        exists() || (self.reopen() && exists())
    }

    /// Remembers a commit that was written just now.
    pub fn remember(&self, id: ObjectId, commit: &[u8]) {
        self.commits.borrow_mut().keep(id, commit);
    }

    /// The content of a blob.
    pub fn blob(&self, id: &ObjectId, limit: u64) -> Result<Vec<u8>, ObjectError> {
        let mut buffer = Vec::new();
        self.read(id, Kind::Blob, limit, &mut buffer)?;
        Ok(buffer)
    }

    /// The same, into a buffer that can be used again.
    pub fn blob_into(
        &self,
        id: &ObjectId,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<(), ObjectError> {
        self.read(id, Kind::Blob, limit, buffer)
    }

    /// The content of a tree.
    pub fn tree(&self, id: &ObjectId) -> Result<Vec<u8>, ObjectError> {
        let mut buffer = Vec::new();
        self.read(id, Kind::Tree, limits::TREE_OBJECT, &mut buffer)?;
        Ok(buffer)
    }

    /// The content of a commit, into a buffer that can be used again.
    pub fn commit(&self, id: &ObjectId, buffer: &mut Vec<u8>) -> Result<(), ObjectError> {
        if let Some(commit) = self.commits.borrow().find(id) {
            buffer.clear();
            buffer.extend_from_slice(commit);
            return Ok(());
        }
        self.read(id, Kind::Commit, limits::COMMIT_OBJECT, buffer)?;
        self.commits.borrow_mut().keep_if_room(*id, buffer);
        Ok(())
    }

    fn read(
        &self,
        id: &ObjectId,
        kind: Kind,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<(), ObjectError> {
        buffer.clear();
        #[cfg(test)]
        self.reads.set(self.reads.get() + 1);
        let mut found = self.look_up(id, limit, buffer)?;
        if found.is_none() && self.reopen() {
            found = self.look_up(id, limit, buffer)?;
        }
        let (actual, length) = found.ok_or(ObjectError::Missing(*id))?;
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

    /// Reads an object into a buffer; its kind and its length, if it is there.
    fn look_up(
        &self,
        id: &ObjectId,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<(Kind, usize)>, ObjectError> {
        let handle = &self.database.borrow().handle;
        // gix allocates no more than the largest limit, whatever the object claims to be.
        match handle.try_find(id, buffer) {
            Ok(found) => Ok(found.map(|found| (found.kind, found.data.len()))),
            Err(error) => Err(match handle.try_header(id) {
                Ok(Some(header)) if header.size() > limit => {
                    ObjectError::TooLarge { id: *id, size: header.size(), limit }
                }
                _ => ObjectError::Damaged { id: *id, message: error.to_string() },
            }),
        }
    }

    /// Opens the database anew if packs have come or gone since, and says whether it did: gix finds
    /// no new packs any more once a process has seen more of them than it has slots.
    fn reopen(&self) -> bool {
        let is_new = changed(&self.directory) != self.database.borrow().packs;
        let opened = is_new.then(|| Database::open(&self.directory).ok()).flatten();
        let Some(database) = opened else { return false };
        self.database.replace(database);
        true
    }
}

impl Database {
    fn open(directory: &Path) -> io::Result<Self> {
        let options = Options {
            slots: Slots::Given(PACK_SLOTS),
            alloc_limit_bytes: usize::try_from(limits::EVENT_FILE).ok(),
            current_dir: Some(directory.to_owned()),
            ..Options::default()
        };
        let packs = changed(directory);
        let mut handle = gix::odb::at_opts(directory, gix::hash::Kind::Sha1, None, options)?;
        handle.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(DELTA_CACHE)));
        Ok(Self { handle, packs })
    }
}

/// The id that a blob of this content has.
pub fn blob_id(content: &[u8]) -> ObjectId {
    let hashed = super::pack::hash_object(Kind::Blob, content);
    // Content that was made to collide is nothing that is stored.
    hashed.unwrap_or_else(|_collision| ObjectId::null(gix::hash::Kind::Sha1))
}

/// When packs last came or went.
fn changed(directory: &Path) -> Option<SystemTime> {
    fs::metadata(directory.join("pack")).and_then(|metadata| metadata.modified()).ok()
}
