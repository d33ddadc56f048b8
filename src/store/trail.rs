//! The file at one address through the history of a conversation.
//!
//! Each commit and the first of those before it is looked at. A tree that did not change is not read
//! again, and of one that did only the names are looked at.

use std::collections::HashMap;

use gix::{
    ObjectId,
    objs::{CommitRefIter, TreeRefIter},
};

use super::{ObjectError, Objects};
use crate::format::FileName;

/// A file at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its name.
    pub name: FileName,
    /// Its content.
    pub blob: ObjectId,
}

/// What stood at an address while some commits came one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first of the commits.
    pub since: ObjectId,
    /// The file; `None` if there was none.
    pub found: Option<Found>,
}

/// What stood at an address through history, newest first.
#[derive(Debug)]
pub struct Trail {
    /// What stood there, each time for as long as it stayed the same.
    pub stretches: Vec<Stretch>,
    /// Why the history could not be followed to its beginning.
    pub broken: Option<ObjectError>,
}

impl Trail {
    /// Follows a file back from a commit by its address. Where several files have the address, the
    /// one with the content that comes next counts, else the one with the same name.
    pub fn follow(objects: &Objects, commit: ObjectId, file: &Found) -> Self {
        let mut search = Search {
            objects,
            beginning: format!("{}-", file.name.address()),
            last: None,
            known_runs: HashMap::new(),
            runs: Vec::new(),
            in_runs: Vec::new(),
            buffer: Vec::new(),
        };
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut known = file.clone();
        let mut next = Some(commit);
        while let Some(id) = next {
            let (parent, found) = match search.at(id, &known) {
                Ok(found) => found,
                Err(error) => return Self { stretches, broken: Some(error) },
            };
            if let Some(found) = &found {
                known.clone_from(found);
            }
            match stretches.last_mut() {
                Some(last) if last.found == found => last.since = id,
                _ => stretches.push(Stretch { since: id, found }),
            }
            next = parent;
        }
        Self { stretches, broken: None }
    }
}

struct Search<'a> {
    objects: &'a Objects,
    /// What the names of files at the address begin with.
    beginning: String,
    last: Option<(ObjectId, Option<Found>)>,
    /// The files in each run that has been looked at.
    known_runs: HashMap<ObjectId, Vec<Found>>,
    /// The runs of the last tree, and the files in them.
    runs: Vec<ObjectId>,
    in_runs: Vec<Found>,
    buffer: Vec<u8>,
}

impl Search<'_> {
    /// The commit before a commit, and the file in its tree.
    fn at(
        &mut self,
        commit: ObjectId,
        known: &Found,
    ) -> Result<(Option<ObjectId>, Option<Found>), ObjectError> {
        self.objects.commit(&commit, &mut self.buffer)?;
        let mut parts = CommitRefIter::from_bytes(&self.buffer, gix::hash::Kind::Sha1);
        let tree = parts
            .tree_id()
            .map_err(|error| ObjectError::Damaged { id: commit, message: error.to_string() })?;
        let parent = parts.parent_ids().next();
        let found = match self.last.take() {
            Some((last, found)) if last == tree => found,
            _ => self.in_tree(tree, known)?,
        };
        self.last = Some((tree, found.clone()));
        Ok((parent, found))
    }

    fn in_tree(&mut self, tree: ObjectId, known: &Found) -> Result<Option<Found>, ObjectError> {
        let (mut candidates, runs) = self.scan(tree)?;
        if runs != self.runs {
            self.in_runs.clear();
            for run in &runs {
                if !self.known_runs.contains_key(run) {
                    let (found, _) = self.scan(*run)?;
                    self.known_runs.insert(*run, found);
                }
                self.in_runs.extend(self.known_runs.get(run).into_iter().flatten().cloned());
            }
            self.runs = runs;
        }
        candidates.extend_from_slice(&self.in_runs);
        let likeness = |found: &Found| (found.blob == known.blob, found.name == known.name);
        // Of equals the first one, as everywhere else.
        Ok(candidates.into_iter().rev().max_by_key(likeness))
    }

    /// Looks through the names of one directory: the files, and the runs in it.
    fn scan(&self, tree: ObjectId) -> Result<(Vec<Found>, Vec<ObjectId>), ObjectError> {
        let bytes = self.objects.tree(&tree)?;
        let (mut files, mut runs) = (Vec::new(), Vec::new());
        for entry in TreeRefIter::from_bytes(&bytes, gix::hash::Kind::Sha1) {
            let entry = entry
                .map_err(|error| ObjectError::Damaged { id: tree, message: error.to_string() })?;
            if entry.mode.is_tree() {
                // Whatever its name is: what is no run has no files with a number.
                runs.push(entry.oid.to_owned());
            } else if entry.mode.is_blob()
                && entry.filename.starts_with(self.beginning.as_bytes())
                && let Ok(name) = std::str::from_utf8(entry.filename)
            {
                let blob = entry.oid.to_owned();
                files.extend(name.parse().ok().map(|name| Found { name, blob }));
            }
        }
        Ok((files, runs))
    }
}
