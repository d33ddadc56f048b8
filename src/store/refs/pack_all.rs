//! Moves loose refs into `packed-refs`: 10,000 of them list in 5 ms there, in 100 ms as files.
//!
//! It packs only refs of conversations that point to commits, because a line for a tag would have
//! to say what the tag comes down to. All other refs stay as they are, loose or packed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::object::Kind;
use gix::odb::store::init::{Options, Slots};

use super::list::scan;
use super::lockfile::LockFile;
use super::packed::{self, PackedRef};
use super::read::read_loose;
use super::update::{lock_path, parent};
use super::{RefError, RefName, Space};
use crate::fsutil::{AtPath, FsError, sync_dir};

/// What [`pack_all`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedRefs {
    /// How many refs `packed-refs` has now.
    pub packed: usize,
    /// How many loose files were removed.
    pub pruned: usize,
}

/// Packs the refs of all conversations and removes the loose files that `may_prune` allows.
pub fn pack_all(
    store: &Path,
    may_prune: impl Fn(&RefName) -> bool,
) -> Result<PackedRefs, RefError> {
    // Held to the end. A ref that is deleted and made again with the same value between our
    // packed-refs and our prune would otherwise be in neither place.
    let lock = packed::lock(store)?;
    let mut packed = packed::load_whole(store)?;
    let loose: Vec<(RefName, ObjectId)> =
        Space::ALL.into_iter().flat_map(|space| scan(store, space.prefix()).ids).collect();
    let (mut changed, mut added) = (false, Vec::new());
    let mut prunable = Vec::new();
    let objects = objects(store)?;
    for (name, id) in loose {
        let at = packed.refs.binary_search_by(|entry| entry.name.cmp(&name));
        if at.is_ok_and(|at| packed.refs[at].id == id) {
            prunable.push((name, id));
            continue;
        }
        if !is_commit(&objects, id) {
            continue;
        }
        let entry = PackedRef { name: name.clone(), id, peeled: None };
        match at {
            Ok(at) => packed.refs[at] = entry,
            Err(_) => added.push(entry),
        }
        changed = true;
        prunable.push((name, id));
    }
    packed.refs.append(&mut added);
    packed.refs.sort_by(|one, next| one.name.cmp(&next.name));
    if changed {
        packed::replace(&lock, store, &packed)?;
    } else if !prunable.is_empty() {
        packed::confirm(&lock, store)?;
    }
    let mut directories = BTreeSet::new();
    let mut pruned = 0;
    for (name, id) in prunable.iter().filter(|(name, _)| may_prune(name)) {
        if prune(&lock, store, name, *id)? {
            pruned += 1;
            directories.insert(parent(&name.path(store)).to_owned());
        }
    }
    directories.iter().try_for_each(|directory: &PathBuf| sync_dir(directory))?;
    Ok(PackedRefs { packed: packed.refs.len(), pruned })
}

/// Removes a loose file that still says what `packed-refs` says.
fn prune(packed: &LockFile, store: &Path, name: &RefName, id: ObjectId) -> Result<bool, RefError> {
    // Never waits: whoever has this lock may be waiting for ours.
    let Some(_lock) = packed.try_link(&lock_path(store, name))? else {
        return Ok(false);
    };
    match read_loose(store, name) {
        Ok(Some(current)) if current == id => {}
        _ => return Ok(false),
    }
    let path = name.path(store);
    match fs::remove_file(&path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(FsError::new("remove", path, error).into()),
    }
}

fn objects(store: &Path) -> Result<gix::odb::Handle, RefError> {
    let path = store.join("objects");
    let slots = Slots::AsNeededByDiskState { multiplier: 2.0, minimum: 256 };
    let options = Options { slots, ..Options::default() };
    Ok(gix::odb::at_opts(path.clone(), gix::hash::Kind::Sha1, [], options).at("open", &path)?)
}

fn is_commit(objects: &gix::odb::Handle, id: ObjectId) -> bool {
    use gix::odb::Header;
    matches!(objects.try_header(&id), Ok(Some(header)) if header.kind() == Kind::Commit)
}
