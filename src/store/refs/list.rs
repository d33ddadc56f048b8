//! Lists refs. What does not read is reported beside what does, never instead of it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use gix::ObjectId;

use super::packed::{self, Packed};
use super::read::{Loose, parse, read_file};
use super::{RefError, RefName};
use crate::fsutil::FsError;

/// The refs below a prefix.
#[derive(Debug, Default)]
pub struct Refs {
    /// Those that read, sorted by name.
    pub refs: Vec<(RefName, ObjectId)>,
    /// Those that do not.
    pub problems: Vec<RefError>,
}

/// Lists the refs whose names start with `prefix`, such as `refs/heads/`.
pub fn list(store: &Path, prefix: &str) -> Result<Refs, RefError> {
    // Loose files first: one that is packed and pruned meanwhile is then found in the other place.
    let loose = scan(store, prefix);
    let packed = packed::load(store)?;
    Ok(combine(store, prefix, loose, &packed))
}

/// The loose files below a prefix.
#[derive(Debug, Default)]
pub(super) struct LooseRefs {
    pub(super) ids: BTreeMap<RefName, ObjectId>,
    problems: Vec<RefError>,
}

/// Reads all loose files below a prefix.
pub(super) fn scan(store: &Path, prefix: &str) -> LooseRefs {
    let mut loose = LooseRefs::default();
    let directory = prefix.rfind('/').map_or("refs", |end| &prefix[..end]);
    // A prefix is the caller's text, not a checked name: it must not lead out of the store.
    let inside = directory == "refs" || RefName::new(directory).is_ok();
    if inside {
        scan_directory(store, directory, prefix, &mut loose);
    }
    loose
}

fn scan_directory(store: &Path, directory: &str, prefix: &str, loose: &mut LooseRefs) {
    let path = store.join(directory);
    let entries = match fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(error) => {
            if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                loose.problems.push(FsError::new("list", path, error).into());
            }
            return;
        }
    };
    for entry in entries {
        let (entry, file_type) = match entry.and_then(|entry| Ok((entry.file_type()?, entry))) {
            Ok((file_type, entry)) => (entry, file_type),
            Err(error) => {
                loose.problems.push(FsError::new("list", &path, error).into());
                continue;
            }
        };
        let name = entry.file_name();
        let full = format!("{directory}/{}", name.to_string_lossy());
        if file_type.is_dir() {
            scan_directory(store, &full, prefix, loose);
        } else if full.starts_with(prefix) && !full.ends_with(".lock") {
            read_one(store, full, loose);
        }
    }
}

fn read_one(store: &Path, full: String, loose: &mut LooseRefs) {
    let name = match RefName::new(full) {
        Ok(name) => name,
        Err(error) => return loose.problems.push(error),
    };
    let path = name.path(store);
    match read_file(&path) {
        // Packed and pruned since the directory was read.
        Ok(None) => {}
        Ok(Some(bytes)) => match parse(&bytes) {
            Loose::Id(id) => {
                loose.ids.insert(name, id);
            }
            Loose::Symbolic(target) => loose.problems.push(RefError::Symbolic { name, target }),
            Loose::Damaged => {
                loose.problems.push(RefError::Damaged { name, path, packed: None });
            }
        },
        Err(error) => loose.problems.push(error.into()),
    }
}

fn combine(store: &Path, prefix: &str, mut loose: LooseRefs, packed: &Packed) -> Refs {
    // A damaged file hides the packed value, which may be older: say so instead of using it.
    let mut hidden = Vec::new();
    for problem in &mut loose.problems {
        if let RefError::Damaged { name, packed: older, .. } = problem {
            *older = packed.find(name).map(|entry| entry.id);
            hidden.push(name.clone());
        } else if let RefError::Symbolic { name, .. } = problem {
            hidden.push(name.clone());
        }
    }
    let start = packed.refs.partition_point(|entry| entry.name.as_str() < prefix);
    let below =
        packed.refs[start..].iter().take_while(|entry| entry.name.as_str().starts_with(prefix));
    let mut refs: Vec<(RefName, ObjectId)> = below
        .filter(|entry| !loose.ids.contains_key(&entry.name) && !hidden.contains(&entry.name))
        .map(|entry| (entry.name.clone(), entry.id))
        .collect();
    refs.extend(loose.ids);
    refs.sort();
    let path = packed::path(store);
    let lines = packed.damaged.iter();
    loose.problems.extend(lines.map(|&line| RefError::PackedDamaged { path: path.clone(), line }));
    Refs { refs, problems: loose.problems }
}
