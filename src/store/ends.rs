//! A conversation that is read from its ends: a directory at a time, and no more of them than
//! somebody asks for.
//!
//! What a [`Snapshot`](super::Snapshot) finds out by looking at all directories is not known here:
//! a number that is given twice, a run that has no place.

use gix::ObjectId;

use super::{
    Commit, Listing, Located, MetaFile, Objects, Problem, ProblemKind, ReadError,
    snapshot::lines_in,
};
use crate::{
    format::{Flaw, FormatVersion, Line, Manifest, RunName, limits},
    model::Meta,
    plan::TreePath,
};

/// A conversation that is read from its ends.
pub struct Ends<'a> {
    objects: &'a Objects,
    /// The commit.
    pub commit: Commit,
    /// The version of the format.
    pub version: FormatVersion,
    /// Title, labels and so on; empty if the file cannot be read.
    pub meta: Meta,
    /// What is wrong with what was read first: `meta.toml` and the top directory.
    pub problems: Vec<Problem>,
    top: Listing,
    lines: Vec<Line>,
    /// How many lines were not passed yet by who reads backwards.
    left: usize,
    /// What stands at the line that was passed last, the last of it at the end.
    passed: Vec<Result<Located, Problem>>,
}

impl<'a> Ends<'a> {
    /// Reads the top directory of a commit.
    pub fn read(objects: &'a Objects, commit: Commit) -> Result<Self, ReadError> {
        let top = Listing::top(objects, &commit.tree)?;
        let MetaFile { version, meta, mut problems, .. } = MetaFile::read(objects, top.meta)?;
        if top.runs.len() > limits::RUNS {
            return Err(ReadError::TooMany);
        }
        problems.extend(foreign(&top));
        let (manifest, flaws) = manifest(objects, top.manifest)?;
        let path = TreePath::manifest();
        problems.extend(flaws.into_iter().map(|flaw| damage(path.clone(), flaw)));
        let lines = lines_in(manifest.as_ref(), &top);
        let (left, passed) = (lines.len(), Vec::new());
        Ok(Self { objects, commit, version, meta, problems, top, lines, left, passed })
    }

    /// Whether something at the top has no place in a conversation.
    pub fn is_foreign(&self) -> bool {
        self.problems.iter().any(Problem::is_foreign)
    }

    /// How many requests wait for a running turn to end.
    pub fn queued(&self) -> usize {
        self.top.queue.len()
    }

    /// The event file before the one that was asked for last, beginning with the last of all; what
    /// is wrong where there is none.
    pub fn previous(&mut self) -> Option<Result<Located, Problem>> {
        while self.passed.is_empty() {
            self.left = self.left.checked_sub(1)?;
            self.passed = self.at(&self.lines[self.left]);
        }
        self.passed.pop()
    }

    /// The event files from the first on, wherever who reads backwards is.
    pub fn from_the_first(&self) -> impl Iterator<Item = Result<Located, Problem>> {
        self.lines.iter().flat_map(|line| self.at(line))
    }

    /// The event files that a line of the top stands for.
    fn at(&self, line: &Line) -> Vec<Result<Located, Problem>> {
        match line {
            Line::Remark(_) => Vec::new(),
            Line::Event(name) => {
                let blob = self.top.files.get(name).copied();
                vec![Ok(Located { run: None, name: name.clone(), blob })]
            }
            Line::Run(run) => self.in_run(run).unwrap_or_else(|problem| vec![Err(problem)]),
        }
    }

    fn in_run(&self, run: &RunName) -> Result<Vec<Result<Located, Problem>>, Problem> {
        let path = || TreePath::found(None, run.to_string());
        let unread = |error: ReadError| damage(path(), Flaw::new(error.to_string()));
        let id = self.top.runs.get(run);
        let id = id.ok_or_else(|| damage(path(), Flaw::new("there is no such directory")))?;
        let listing = Listing::run(self.objects, run, id).map_err(|error| unread(error.into()))?;
        // Nothing of a directory is used in which something has no place.
        if let Some(problem) = foreign(&listing).next() {
            return Err(problem);
        }
        let (manifest, flaws) = manifest(self.objects, listing.manifest).map_err(unread)?;
        let complaints =
            flaws.into_iter().map(|flaw| Err(damage(TreePath::run_manifest(run), flaw)));
        let events = lines_in(manifest.as_ref(), &listing).into_iter().filter_map(|line| {
            let Line::Event(name) = line else { return None };
            let blob = listing.files.get(&name).copied();
            Some(Ok(Located { run: Some(run.clone()), name, blob }))
        });
        Ok(complaints.chain(events).collect())
    }
}

/// A manifest, and what is wrong with it by itself; `None` if it is missing.
fn manifest(
    objects: &Objects,
    id: Option<ObjectId>,
) -> Result<(Option<Manifest>, Vec<Flaw>), ReadError> {
    let Some(id) = id else { return Ok((None, vec![Flaw::new("the file is missing")])) };
    let bytes = objects.blob(&id, limits::MANIFEST_FILE)?;
    if bytes.iter().filter(|byte| **byte == b'\n').count() > limits::MANIFEST_LINES {
        return Err(ReadError::TooMany);
    }
    let (manifest, flaws) = Manifest::read(&bytes);
    Ok((Some(manifest), flaws))
}

fn foreign(listing: &Listing) -> impl Iterator<Item = Problem> {
    listing.foreign.iter().map(|foreign| Problem {
        path: foreign.path.clone(),
        flaw: Flaw::new(foreign.why),
        kind: ProblemKind::Foreign,
    })
}

fn damage(path: TreePath, flaw: Flaw) -> Problem {
    Problem { path, flaw, kind: ProblemKind::Damage }
}
