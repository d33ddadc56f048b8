//! The durable commit: objects as one pack, then the ref, each on disk before the next is visible.
//!
//! Contents are durable before any name is, the pack's name before the ref's, and the ref's name
//! before we say it is saved. That takes three barriers, or two where the file system never keeps a
//! rename without those before it. An error up to the rename of the ref leaves the old state.

use std::path::Path;

use gix::ObjectId;

use super::pack::{BuiltPack, Staged, heal};
use super::refs::{Expected, RefError, RefLock, RefName};
use crate::fsutil::{FsError, keeps_order_of_renames, sync_dir, sync_dirs_together};

/// Why a commit was not published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The ref is not where it was expected, is locked or does not read. Nothing changed.
    #[error(transparent)]
    Ref(#[from] RefError),
    /// The system refused. Nothing changed.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The ref moved, but whether that survives a power cut is not known: read it again.
    #[error("`{name}` moved, but may not be on disk: {source}")]
    Unconfirmed {
        /// The ref.
        name: RefName,
        /// What failed.
        source: RefError,
    },
}

/// What a publication did besides.
#[derive(Debug, Default)]
pub struct Published {
    /// Objects of which a damaged loose copy was removed.
    pub healed: Vec<ObjectId>,
    /// Damaged loose copies that could not be removed.
    pub unhealed: Vec<FsError>,
}

/// Makes the objects durable, then moves the ref from `expected` to `new`.
///
/// `stage_key` names the staging files. Whoever calls holds the lock of that conversation, so a
/// file of that name is a leftover and is replaced.
pub fn publish(
    store: &Path,
    stage_key: &str,
    pack: BuiltPack,
    name: &RefName,
    expected: Expected,
    new: ObjectId,
) -> Result<Published, PublishError> {
    let lock = RefLock::acquire(store, name)?;
    lock.check(expected)?;
    lock.write(new)?;
    let stage = store.join("stage");
    let objects = store.join("objects");
    let staged = Staged::write(&stage, stage_key, &pack)?;
    staged.sync_with(&[lock.file()])?;
    let packs = objects.join("pack");
    staged.rename_into(&packs, &pack.checksum)?;
    let synced = if keeps_order_of_renames(store) {
        let renamed = lock.publish()?;
        sync_dirs_together(&[&packs, renamed.directory()]).map_err(RefError::from)
    } else {
        sync_dir(&packs)?;
        lock.publish()?.sync()
    };
    let name = name.clone();
    synced.map_err(|source| PublishError::Unconfirmed { name, source })?;
    let heal::Healed { healed, unhealed } = heal::heal(&objects, &pack.objects);
    Ok(Published { healed, unhealed })
}
