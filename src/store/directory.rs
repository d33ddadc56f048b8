//! A tree that is being changed.

use std::collections::BTreeMap;

use gix::{
    ObjectId,
    objs::{Kind, TreeRefIter},
};

use super::{
    ObjectError, Objects,
    pack::{PackBuilder, PackError},
};
use crate::plan::{Change, TreePath};

const FILE: u16 = 0o100_644;
const TREE: u16 = 0o040_000;

/// The tree of a conversation, in memory. Directories are opened as they are changed.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    entries: BTreeMap<Vec<u8>, Entry>,
    open: BTreeMap<Vec<u8>, Directory>,
    /// Whether it was entered since it was written.
    is_entered: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    mode: u16,
    id: ObjectId,
}

/// Why a change set could not be applied.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// A tree of the conversation cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The new objects cannot be packed.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The plan moves a file that is not there.
    #[error("`{0}` is not in the tree")]
    NotThere(TreePath),
}

impl Directory {
    /// Reads a tree.
    pub fn read(objects: &Objects, id: &ObjectId) -> Result<Self, ObjectError> {
        let bytes = objects.tree(id)?;
        let mut entries = BTreeMap::new();
        for entry in TreeRefIter::from_bytes(&bytes, gix::hash::Kind::Sha1) {
            let entry = entry.map_err(|error| {
                let message = error.to_string();
                ObjectError::Damaged { id: *id, message }
            })?;
            let (mode, id) = (entry.mode.value(), entry.oid.to_owned());
            entries.insert(entry.filename.to_vec(), Entry { mode, id });
        }
        Ok(Self { entries, ..Self::default() })
    }

    /// The file at a path, if there is one.
    pub fn file(
        &mut self,
        path: &TreePath,
        objects: &Objects,
    ) -> Result<Option<ObjectId>, ObjectError> {
        let entry = self.place(path, objects)?.entries.get(path.name().as_bytes());
        Ok(entry.filter(|entry| entry.mode != TREE).map(|entry| entry.id))
    }

    /// Applies a change set and adds the new objects to a pack; returns the id of the new tree.
    pub fn apply(
        &mut self,
        changes: &[Change],
        objects: &Objects,
        pack: &mut PackBuilder,
    ) -> Result<ObjectId, ApplyError> {
        for change in changes {
            match change {
                Change::Put(path, bytes) => {
                    let id = pack.add(Kind::Blob, bytes)?;
                    self.place(path, objects)?.insert(path.name(), Entry { mode: FILE, id });
                }
                Change::Move(from, to) => {
                    let entry = self.place(from, objects)?.entries.remove(from.name().as_bytes());
                    let mut entry = entry.ok_or_else(|| ApplyError::NotThere(from.clone()))?;
                    if entry.mode & 0o170_000 == FILE & 0o170_000 {
                        entry.mode = FILE;
                    }
                    self.place(to, objects)?.insert(to.name(), entry);
                }
                Change::Remove(path) => {
                    self.place(path, objects)?.remove(path.name());
                }
            }
        }
        self.write(pack)
    }

    /// The directory in which a path stands.
    fn place(&mut self, path: &TreePath, objects: &Objects) -> Result<&mut Self, ObjectError> {
        let mut place = self;
        for part in path.directory().into_iter().flat_map(|directory| directory.split('/')) {
            place = place.enter(part.as_bytes(), objects)?;
        }
        Ok(place)
    }

    fn enter(&mut self, name: &[u8], objects: &Objects) -> Result<&mut Self, ObjectError> {
        if !self.open.contains_key(name) {
            let directory = match self.entries.get(name) {
                Some(entry) if entry.mode == TREE => Self::read(objects, &entry.id)?,
                _ => Self::default(),
            };
            self.open.insert(name.to_vec(), directory);
        }
        let directory = self.open.get_mut(name).expect("it was opened just now");
        directory.is_entered = true;
        Ok(directory)
    }

    fn insert(&mut self, name: &str, entry: Entry) {
        self.entries.insert(name.as_bytes().to_vec(), entry);
    }

    fn remove(&mut self, name: &str) {
        self.open.remove(name.as_bytes());
        if self.entries.remove(name.as_bytes()).is_none() {
            // A name that is not UTF-8 is known by what is left of it.
            self.entries.retain(|own, _| String::from_utf8_lossy(own) != name);
        }
    }

    /// Closes all directories, once they are where they can be read again.
    pub fn close(&mut self) {
        self.open.clear();
    }

    /// Adds the trees to a pack, inner ones first. Directories stay open: what is in the pack cannot
    /// be read yet.
    fn write(&mut self, pack: &mut PackBuilder) -> Result<ObjectId, ApplyError> {
        for (name, directory) in &mut self.open {
            if !std::mem::take(&mut directory.is_entered) {
                continue;
            }
            let id = directory.write(pack)?;
            if directory.entries.is_empty() {
                self.entries.remove(name);
            } else {
                self.entries.insert(name.clone(), Entry { mode: TREE, id });
            }
        }
        Ok(pack.add(Kind::Tree, &self.encode())?)
    }

    /// The bytes of the tree object, in git's order: a directory sorts as if it ended in a slash.
    fn encode(&self) -> Vec<u8> {
        let mut sorted: Vec<_> = self.entries.iter().collect();
        let key = |name: &[u8], entry: &Entry| {
            let slash: &[u8] = if entry.mode == TREE { b"/" } else { b"" };
            [name, slash].concat()
        };
        if sorted.iter().any(|(_, entry)| entry.mode == TREE) {
            sorted.sort_by_cached_key(|(name, entry)| key(name, entry));
        }
        let mut bytes = Vec::with_capacity(sorted.len() * 56);
        for (name, entry) in sorted {
            bytes.extend_from_slice(format!("{:o} ", entry.mode).as_bytes());
            bytes.extend_from_slice(name);
            bytes.push(0);
            bytes.extend_from_slice(entry.id.as_slice());
        }
        bytes
    }
}
