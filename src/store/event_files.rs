//! The event files of a tree and of all trees before it, by their content alone.
//!
//! Names are only looked at, not sorted and checked: whoever wants to know what a conversation
//! holds reads a [`Snapshot`](super::Snapshot).

use std::collections::HashSet;

use gix::{
    ObjectId,
    objs::{CommitRefIter, TreeRefIter},
};

use super::{ObjectError, Objects};
use crate::{
    format::{FileName, Form, META_DIR, limits},
    model::EventType,
};

/// The content of what may be an event file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventFile {
    /// Its bytes.
    pub blob: ObjectId,
    /// How it is written, by its name.
    pub form: Form,
    /// The type that its name hints at, if it may not say so itself.
    pub hint: Option<EventType>,
}

/// Event files that were in a tree before.
#[derive(Debug)]
pub struct Bygone {
    /// The last commit that had them.
    pub commit: ObjectId,
    /// The files.
    pub files: Vec<EventFile>,
}

/// The event files of a tree and of the sealed runs in it.
pub fn event_files(objects: &Objects, tree: &ObjectId) -> Result<Vec<EventFile>, ObjectError> {
    let mut looked_at = HashSet::new();
    Gathering { objects, looked_at: &mut looked_at }.tree(tree)
}

/// The event files of all commits that came before one, and of itself, but those that are known;
/// newest first. What cannot be read is told.
pub fn bygone_files(
    objects: &Objects,
    commit: ObjectId,
    mut known: HashSet<ObjectId>,
) -> (Vec<Bygone>, Vec<ObjectError>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    let mut looked_at = HashSet::new();
    let mut left = vec![commit];
    let mut seen = HashSet::from([commit]);
    let mut buffer = Vec::new();
    while let Some(commit) = left.pop() {
        let (tree, parents) = match head(objects, commit, &mut buffer) {
            Ok(head) => head,
            Err(error) => {
                problems.push(error);
                continue;
            }
        };
        left.extend(parents.into_iter().rev().filter(|parent| seen.insert(*parent)));
        match (Gathering { objects, looked_at: &mut looked_at }).tree(&tree) {
            Err(error) => problems.push(error),
            Ok(mut files) => {
                files.retain(|file| known.insert(file.blob));
                if !files.is_empty() {
                    found.push(Bygone { commit, files });
                }
            }
        }
    }
    (found, problems)
}

fn head(
    objects: &Objects,
    commit: ObjectId,
    buffer: &mut Vec<u8>,
) -> Result<(ObjectId, Vec<ObjectId>), ObjectError> {
    objects.commit(&commit, buffer)?;
    let mut parts = CommitRefIter::from_bytes(buffer, gix::hash::Kind::Sha1);
    let tree = parts
        .tree_id()
        .map_err(|error| ObjectError::Damaged { id: commit, message: error.to_string() })?;
    Ok((tree, parts.parent_ids().collect()))
}

struct Gathering<'a> {
    objects: &'a Objects,
    /// Trees whose files have been gathered already.
    looked_at: &'a mut HashSet<ObjectId>,
}

impl Gathering<'_> {
    fn tree(&mut self, tree: &ObjectId) -> Result<Vec<EventFile>, ObjectError> {
        let (mut files, mut runs) = (Vec::new(), Vec::new());
        if self.looked_at.insert(*tree) {
            self.directory(tree, &mut files, Some(&mut runs))?;
        }
        let too_many = |what| ObjectError::Damaged { id: *tree, message: format!("it has {what}") };
        if runs.len() > limits::RUNS {
            return Err(too_many(format!("more than {} runs", limits::RUNS)));
        }
        for run in runs {
            if self.looked_at.insert(run) {
                self.directory(&run, &mut files, None)?;
            }
            if files.len() > limits::EVENT_FILES {
                return Err(too_many(format!("more than {} files", limits::EVENT_FILES)));
            }
        }
        Ok(files)
    }

    fn directory(
        &self,
        tree: &ObjectId,
        files: &mut Vec<EventFile>,
        mut runs: Option<&mut Vec<ObjectId>>,
    ) -> Result<(), ObjectError> {
        let bytes = self.objects.tree(tree)?;
        for entry in TreeRefIter::from_bytes(&bytes, gix::hash::Kind::Sha1) {
            let entry = entry
                .map_err(|error| ObjectError::Damaged { id: *tree, message: error.to_string() })?;
            match &mut runs {
                Some(runs) if entry.mode.is_tree() && entry.filename != META_DIR => {
                    runs.push(entry.oid.to_owned());
                }
                _ if entry.mode.value() == 0o100_644 => {
                    files.extend(event_file(entry.filename, entry.oid.to_owned()));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A file, if it may be that of an event.
fn event_file(name: &[u8], blob: ObjectId) -> Option<EventFile> {
    if !name.first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    match name {
        [.., b'.', b'm', b'd'] => Some(EventFile { blob, form: Form::Markdown, hint: None }),
        [.., b'.', b't', b'o', b'm', b'l'] => {
            let name: Option<FileName> = std::str::from_utf8(name).ok()?.parse().ok();
            let hint = name.and_then(|name| name.hinted_type());
            Some(EventFile { blob, form: Form::Toml, hint })
        }
        _ => None,
    }
}
