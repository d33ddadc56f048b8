//! Merges many small packs into few, by copying compressed objects as they are.
//!
//! Old packs are unlinked only after the new one is durable and has every object of theirs. It
//! leaves alone packs with deltas, packs that somebody marked (`.keep` and the like), packs that a
//! multi-pack index names, large packs, and damaged ones, which it reports.

use gix::ObjectId;
use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::build::{PackBuilder, PackError};
use super::midx;
use super::old::{Refusal, read_pack};
use super::tiers::{PackSummary, choose};
use super::{BuiltPack, Staged, index};
use crate::fsutil::{AtPath, FsError, create_dir_durable, sync_dir};
use crate::store::lock::{Holder, Lock, LockError};

/// When a file without its other half counts as left behind.
const LEFTOVER_AGE: Duration = Duration::from_secs(3600);

/// Files that forbid to touch the pack beside them.
const MARKS: [&str; 4] = ["keep", "promisor", "mtimes", "bitmap"];

/// Why packs could not be merged. No object was lost.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// The system refused.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The lock on merging could not be taken.
    #[error(transparent)]
    Lock(LockError),
    /// The new pack could not be built.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The new index does not read back.
    #[error("cannot merge packs: {0}")]
    Unreadable(&'static str),
    /// The new pack lacks an object of an old one.
    #[error("cannot merge packs: object {id} would be lost")]
    WouldLose {
        /// The object.
        id: gix::ObjectId,
    },
}

/// A pack that does not read, and was left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedPack {
    /// The pack, without extension.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for DamagedPack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` was left alone: {}", self.path.display(), self.reason)
    }
}

/// What a merge did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// How many packs there were.
    pub packs_before: usize,
    /// How many there are now.
    pub packs_after: usize,
    /// How many objects were copied.
    pub objects: usize,
    /// Packs that were skipped because they do not read.
    pub damaged: Vec<DamagedPack>,
}

/// How many packs there are.
pub fn count(objects: &Path) -> io::Result<usize> {
    Ok(stems(&objects.join("pack"))?.len())
}

/// Merges packs where it pays off. If another process is at it, does nothing.
pub fn merge(objects: &Path, stage: &Path) -> Result<MergeReport, MergeError> {
    let packs = objects.join("pack");
    let _lock = match lock(stage) {
        Ok(lock) => lock,
        Err(MergeError::Lock(LockError::Held { .. })) => {
            let now = count(objects).at("list", &packs)?;
            return Ok(MergeReport {
                packs_before: now,
                packs_after: now,
                ..MergeReport::default()
            });
        }
        Err(error) => return Err(error),
    };
    clear_leftovers(&packs)?;
    let mut summaries = summarize(&packs)?;
    let mut report = MergeReport { packs_before: summaries.len(), ..MergeReport::default() };
    // A pack that turns out to be unfit is left out, and the choice is made again without it.
    while let Some(group) = choose(&summaries).into_iter().next() {
        match copy(&packs, &group, &summaries)? {
            Copied::Unfit { position, refusal } => {
                let pack = &mut summaries[position];
                pack.mergeable = false;
                if let Refusal::Damaged(reason) = refusal {
                    report.damaged.push(DamagedPack { path: packs.join(&pack.name), reason });
                }
            }
            Copied::All(built) => {
                report.objects += built.objects.len();
                let old = group.iter().map(|&at| summaries[at].name.clone()).collect();
                let staged = Staged::write(stage, "merge", &built)?;
                replace(&packs, staged, &built.checksum, &old)?;
                group.iter().for_each(|&at| summaries[at].mergeable = false);
            }
        }
    }
    report.packs_after = count(objects).at("list", &packs)?;
    Ok(report)
}

/// The right to replace packs, held by one process at a time.
pub(super) fn lock(stage: &Path) -> Result<Lock, MergeError> {
    create_dir_durable(stage)?;
    let acquired_at = String::new();
    let holder = Holder { pid: std::process::id(), session: None, acquired_at, doing: None };
    let lock = Lock::try_acquire(&stage.join("merge.lock"), &holder).map_err(MergeError::Lock)?;
    // Under the lock, what lies here under our names was left by a killed process.
    for entry in fs::read_dir(stage).at("list", stage)? {
        let path = entry.at("list", stage)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let ours = ["merge.", "gather.", "full-"].iter().any(|start| name.starts_with(start));
        if ours && path != lock.path() {
            fs::remove_file(&path).at("remove", &path)?;
        }
    }
    Ok(lock)
}

/// Replaces all packs by one that somebody else writes: those of which it holds everything.
pub fn replace_all<E: From<MergeError>>(
    objects: &Path,
    stage: &Path,
    write: impl FnOnce(&Path) -> Result<ObjectId, E>,
) -> Result<Vec<DamagedPack>, E> {
    replace_by(objects, stage, write, BTreeSet::is_subset)
}

/// Replaces all packs by one that somebody else writes, whatever it leaves out. The caller keeps
/// everybody else from writing.
pub fn replace_and_drop<E: From<MergeError>>(
    objects: &Path,
    stage: &Path,
    write: impl FnOnce(&Path) -> Result<ObjectId, E>,
) -> Result<Vec<DamagedPack>, E> {
    replace_by(objects, stage, write, |_, _| true)
}

fn replace_by<E: From<MergeError>>(
    objects: &Path,
    stage: &Path,
    write: impl FnOnce(&Path) -> Result<ObjectId, E>,
    may_go: fn(&BTreeSet<ObjectId>, &BTreeSet<ObjectId>) -> bool,
) -> Result<Vec<DamagedPack>, E> {
    let packs = objects.join("pack");
    let _lock = lock(stage)?;
    let old = summarize(&packs)?;
    let base = stage.join("full");
    let checksum = write(&base)?;
    let file = |extension: &str| stage.join(format!("full-{checksum}.{extension}"));
    let staged = Staged::adopt(file("pack"), file("idx")).map_err(MergeError::Fs)?;
    let ids = |path: &Path| {
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        let index = index::decode(&bytes).map_err(str::to_owned)?;
        Ok::<_, String>(index.entries.into_iter().map(|entry| entry.id).collect::<BTreeSet<_>>())
    };
    let new = ids(&file("idx")).map_err(|_error| MergeError::Unreadable("git's index"))?;
    let (mut covered, mut damaged) = (BTreeSet::new(), Vec::new());
    for pack in old.into_iter().filter(|pack| pack.mergeable) {
        let path = packs.join(&pack.name);
        match ids(&path.with_extension("idx")) {
            Ok(ids) if may_go(&ids, &new) => drop(covered.insert(pack.name)),
            Ok(_) => {}
            Err(reason) => damaged.push(DamagedPack { path, reason }),
        }
    }
    replace(&packs, staged, &checksum, &covered)?;
    Ok(damaged)
}

enum Copied {
    All(BuiltPack),
    Unfit { position: usize, refusal: Refusal },
}

/// Copies a group of packs into one, in memory.
fn copy(packs: &Path, group: &[usize], all: &[PackSummary]) -> Result<Copied, MergeError> {
    let mut builder = PackBuilder::new();
    let mut needed = Vec::new();
    let mut bytes = Vec::new();
    for &position in group {
        match read_pack(&packs.join(&all[position].name), &mut bytes) {
            Err(refusal) => return Ok(Copied::Unfit { position, refusal }),
            Ok(entries) => {
                for entry in entries {
                    needed.push(entry.id);
                    builder.add_raw(entry.id, entry.kind, entry.size, entry.compressed);
                }
            }
        }
    }
    let built = builder.finish()?;
    // From the bytes that will be written, not from what we believe we put in.
    let written = index::decode(&built.index).map_err(MergeError::Unreadable)?;
    let has = |id| written.entries.binary_search_by_key(id, |entry| entry.id).is_ok();
    match needed.iter().find(|id| !has(*id)) {
        Some(&id) => Err(MergeError::WouldLose { id }),
        None => Ok(Copied::All(built)),
    }
}

/// Makes the new pack durable, then removes the old ones.
fn replace(
    packs: &Path,
    staged: Staged,
    checksum: &ObjectId,
    old: &BTreeSet<String>,
) -> Result<(), MergeError> {
    staged.sync_with(&[])?;
    staged.install(packs, checksum)?;
    let new = format!("pack-{checksum}");
    // An old pack that had all objects of the others is, byte for byte, the new one.
    for stem in old.iter().filter(|stem| **stem != new) {
        for extension in ["idx", "pack", "rev"] {
            let path = packs.join(format!("{stem}.{extension}"));
            match fs::remove_file(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(FsError::new("remove", path, error).into()),
            }
        }
    }
    Ok(sync_dir(packs)?)
}

/// Removes what killed processes left beside the packs: one without an index, which nobody reads,
/// and what git was writing. Younger ones may be about to get their index.
fn clear_leftovers(packs: &Path) -> Result<(), FsError> {
    for entry in fs::read_dir(packs).at("list", packs)? {
        let path = entry.at("list", packs)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_orphan = path.extension().is_some_and(|extension| extension == "pack")
            && !path.with_extension("idx").exists()
            && !path.with_extension("keep").exists();
        let is_old = || {
            let modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).ok();
            modified.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > LEFTOVER_AGE)
        };
        if (is_orphan || name.starts_with("tmp_")) && is_old() {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(FsError::new("remove", path, error));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Looks at all packs, the oldest first.
fn summarize(packs: &Path) -> Result<Vec<PackSummary>, MergeError> {
    let named = midx::named_packs(packs)?;
    let mut found = Vec::new();
    for name in stems(packs).at("list", packs)? {
        let stem = packs.join(&name);
        let Ok(metadata) = fs::metadata(stem.with_extension("pack")) else {
            continue;
        };
        let marked = MARKS.iter().any(|mark| stem.with_extension(mark).exists());
        let objects = count_objects(&stem.with_extension("idx"));
        // A damaged index is taken for a small one, so that it is read, noticed and reported.
        let mergeable = !marked && !named.contains(&name);
        let (bytes, objects) = (metadata.len(), u64::from(objects.unwrap_or(0)));
        found.push((metadata.modified().ok(), PackSummary { name, objects, bytes, mergeable }));
    }
    found.sort_by(|one, next| (one.0, &one.1.name).cmp(&(next.0, &next.1.name)));
    Ok(found.into_iter().map(|(_, pack)| pack).collect())
}

fn count_objects(path: &Path) -> Option<u32> {
    let mut head = [0; index::HEAD_BYTES];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).ok()?;
    index::count(&head)
}

/// The names of all packs that have an index, without extension.
fn stems(packs: &Path) -> io::Result<Vec<String>> {
    let mut stems = Vec::new();
    for entry in fs::read_dir(packs)? {
        let name = entry?.file_name();
        let stem = name.to_str().and_then(|name| name.strip_suffix(".idx"));
        stems.extend(stem.map(str::to_owned));
    }
    Ok(stems)
}
