//! What a tree holds, sorted into what the format allows and what does not belong.
//!
//! Trees may come from anywhere. Nothing of one is used before it was sorted here.

use std::collections::BTreeMap;

use gix::{ObjectId, objs::TreeRefIter};

use super::{ObjectError, Objects};
use crate::{
    format::{
        BriefingFile, CONFIG_FILE, FileName, MANIFEST_FILE, META_DIR, META_FILE, QUEUE_DIR,
        RunName, limits,
    },
    plan::TreePath,
};

/// A directory of a conversation: the top, or a sealed run.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The manifest.
    pub manifest: Option<ObjectId>,
    /// Event files, listed or not.
    pub files: BTreeMap<FileName, ObjectId>,
    /// Sealed runs; only at the top.
    pub runs: BTreeMap<RunName, ObjectId>,
    /// `meta.toml`; only at the top.
    pub meta: Option<ObjectId>,
    /// The configuration that the conversation began with; only at the top.
    pub config: Option<ObjectId>,
    /// What a model was told before the last turn; only at the top.
    pub briefing: BTreeMap<BriefingFile, ObjectId>,
    /// Requests that wait for a running turn to end; only at the top.
    pub queue: BTreeMap<FileName, ObjectId>,
    /// What does not belong.
    pub foreign: Vec<Foreign>,
    /// Everything that was looked at, whatever it is.
    pub entries: usize,
}

/// An entry that does not belong, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Where it stands.
    pub path: TreePath,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Why the second of two names that some systems take for one is refused.
pub const CASE_TWIN: &str = "its name differs from another's by case only";

/// Why a file that could be run is refused.
pub const EXECUTABLE: &str = "it is executable";

/// Why a plain file with odd permissions is refused.
pub const ODD_MODE: &str = "its file mode has no place";

/// Why the second entry of a name is refused.
pub const TWICE: &str = "its name is there twice";

/// Why anything else beside the stream is refused.
const NOT_PART: &str = "it is not part of the format";

/// How much is looked at before a tree is refused as a whole.
const MAX_FOREIGN: usize = 1000;

impl Listing {
    /// Sorts the top directory.
    pub fn top(objects: &Objects, id: &ObjectId) -> Result<Self, ObjectError> {
        let mut listing = Self::default();
        each_entry(objects, id, &mut listing, None, |listing, entry| {
            match (entry.name, entry.kind) {
                (MANIFEST_FILE, EntryKind::File) => listing.manifest = Some(entry.id),
                (META_DIR, EntryKind::Directory) => listing.read_meta(objects, &entry.id)?,
                (name, EntryKind::Directory) => match name.parse() {
                    Ok(run) => drop(listing.runs.insert(run, entry.id)),
                    Err(_) => listing.refuse(None, name, "a directory of this name has no place"),
                },
                (name, EntryKind::File) => listing.add_file(None, name, entry.id),
                (name, EntryKind::Other(why)) => listing.refuse(None, name, why),
            }
            Ok(())
        })?;
        Ok(listing)
    }

    /// Sorts a sealed run.
    pub fn run(objects: &Objects, run: &RunName, id: &ObjectId) -> Result<Self, ObjectError> {
        let directory = Some(run.as_str());
        let mut listing = Self::default();
        each_entry(objects, id, &mut listing, directory, |listing, entry| {
            match (entry.name, entry.kind) {
                (MANIFEST_FILE, EntryKind::File) => listing.manifest = Some(entry.id),
                (name, EntryKind::File) => listing.add_file(directory, name, entry.id),
                (name, EntryKind::Directory) => {
                    listing.refuse(directory, name, "a sealed run has no directories");
                }
                (name, EntryKind::Other(why)) => listing.refuse(directory, name, why),
            }
            Ok(())
        })?;
        Ok(listing)
    }

    fn read_meta(&mut self, objects: &Objects, id: &ObjectId) -> Result<(), ObjectError> {
        each_entry(objects, id, self, Some(META_DIR), |listing, entry| {
            match (entry.name, entry.kind) {
                (META_FILE, EntryKind::File) => listing.meta = Some(entry.id),
                (CONFIG_FILE, EntryKind::File) => listing.config = Some(entry.id),
                (QUEUE_DIR, EntryKind::Directory) => listing.read_queue(objects, &entry.id)?,
                (name, EntryKind::Other(why)) => listing.refuse(Some(META_DIR), name, why),
                (name, EntryKind::File) => match BriefingFile::find(name) {
                    Some(file) => drop(listing.briefing.insert(file, entry.id)),
                    None => listing.refuse(Some(META_DIR), name, NOT_PART),
                },
                (name, EntryKind::Directory) => listing.refuse(Some(META_DIR), name, NOT_PART),
            }
            Ok(())
        })
    }

    fn read_queue(&mut self, objects: &Objects, id: &ObjectId) -> Result<(), ObjectError> {
        let directory = format!("{META_DIR}/{QUEUE_DIR}");
        each_entry(objects, id, self, Some(&directory), |listing, entry| {
            match (entry.name.parse::<FileName>(), entry.kind) {
                (Ok(name), EntryKind::File) => drop(listing.queue.insert(name, entry.id)),
                (_, EntryKind::Other(why)) => listing.refuse(Some(&directory), entry.name, why),
                _ => listing.refuse(Some(&directory), entry.name, NOT_PART),
            }
            Ok(())
        })
    }

    fn add_file(&mut self, directory: Option<&str>, name: &str, id: ObjectId) {
        match name.parse::<FileName>() {
            Ok(file) => drop(self.files.insert(file, id)),
            Err(_) => self.refuse(directory, name, "a file of this name has no place"),
        }
    }

    fn refuse(&mut self, directory: Option<&str>, name: &str, why: &'static str) {
        if self.foreign.len() < MAX_FOREIGN {
            let path = TreePath::found(directory.map(str::to_owned), name.to_owned());
            self.foreign.push(Foreign { path, why });
        }
    }
}

enum EntryKind {
    File,
    Directory,
    Other(&'static str),
}

struct EntryRef<'a> {
    name: &'a str,
    kind: EntryKind,
    id: ObjectId,
}

fn each_entry(
    objects: &Objects,
    id: &ObjectId,
    listing: &mut Listing,
    directory: Option<&str>,
    mut sort: impl FnMut(&mut Listing, EntryRef<'_>) -> Result<(), ObjectError>,
) -> Result<(), ObjectError> {
    let bytes = objects.tree(id)?;
    let damaged = |message: String| ObjectError::Damaged { id: *id, message };
    let entries = || TreeRefIter::from_bytes(&bytes, gix::hash::Kind::Sha1);
    // Counting is cheap; sorting what will be refused anyway is not.
    let count = entries().take(limits::DIRECTORY_ENTRIES + 1).count();
    if count > limits::DIRECTORY_ENTRIES {
        let limit = limits::DIRECTORY_ENTRIES;
        return Err(damaged(format!("a directory has more than {limit} entries")));
    }
    listing.entries += count;
    let mut folded = BTreeMap::new();
    for entry in entries() {
        let entry = entry.map_err(|error| damaged(error.to_string()))?;
        let name = String::from_utf8_lossy(entry.filename);
        if std::str::from_utf8(entry.filename).is_err() {
            listing.refuse(directory, &name, "its name is not UTF-8");
        } else if let Some(other) = folded.insert(name.to_lowercase(), name.to_string()) {
            let why = if other == name { TWICE } else { CASE_TWIN };
            listing.refuse(directory, &name, why);
        } else {
            let kind = match entry.mode.value() {
                0o100_644 => EntryKind::File,
                0o040_000 => EntryKind::Directory,
                0o120_000 => EntryKind::Other("it is a symbolic link"),
                0o160_000 => EntryKind::Other("it is a submodule"),
                0o100_755 => EntryKind::Other(EXECUTABLE),
                _ => EntryKind::Other(ODD_MODE),
            };
            sort(listing, EntryRef { name: &name, kind, id: entry.oid.to_owned() })?;
        }
    }
    Ok(())
}
