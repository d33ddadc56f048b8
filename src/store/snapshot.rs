//! A conversation as it was at one commit: its files in order, and everything that is wrong.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use gix::ObjectId;

use super::{Commit, Found, Listing, MetaFile, ObjectError, Objects};
use crate::{
    format::{Compatibility, FileName, Flaw, FormatVersion, Line, Manifest, RunName, limits},
    model::{Address, Meta},
    plan::TreePath,
};

/// A conversation as it was at one commit.
#[derive(Debug)]
pub struct Snapshot {
    /// The commit.
    pub commit: Commit,
    /// The version of the format.
    pub version: FormatVersion,
    /// Title, labels and so on; empty if the file cannot be read.
    pub meta: Meta,
    /// Whether `meta.toml` is missing or has flaws.
    pub meta_broken: bool,
    /// Whether nothing of it could be read.
    pub meta_lost: bool,
    /// The directories: the top, and each sealed run.
    pub listings: BTreeMap<Option<RunName>, Listing>,
    /// The manifests; `None` for one that is missing.
    pub manifests: BTreeMap<Option<RunName>, Option<Manifest>>,
    /// Manifests with lines that cannot be read or lead nowhere.
    pub flawed: BTreeSet<Option<RunName>>,
    /// Runs that hold the same as another one.
    pub strange_runs: Vec<TreePath>,
    /// The event files, in the order of the stream.
    pub order: Vec<Located>,
    /// What is wrong.
    pub problems: Vec<Problem>,
    manifest_bytes: u64,
}

/// An event file of the stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Located {
    /// The sealed run that it stands in.
    pub run: Option<RunName>,
    /// Its name.
    pub name: FileName,
    /// Its content; `None` if the file is missing.
    pub blob: Option<ObjectId>,
}

impl Located {
    /// Where it stands.
    pub fn path(&self) -> TreePath {
        TreePath::event_in(self.run.as_ref(), &self.name)
    }
}

/// One thing that is wrong with a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: TreePath,
    /// What is wrong with it.
    pub flaw: Flaw,
    /// What it means.
    pub kind: ProblemKind,
}

/// What a problem means for the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Something has no place in a conversation: nothing is read until it is gone.
    Foreign,
    /// Something cannot be read: nothing is written until it is mended.
    Damage,
    /// An event stands where it cannot: models will not see it so.
    Order,
    /// A file beside the stream is missing or cannot be read.
    Beside,
}

impl Problem {
    /// Whether the conversation can be continued in spite of it.
    pub fn is_harmless(&self) -> bool {
        matches!(self.kind, ProblemKind::Order | ProblemKind::Beside)
    }

    /// Whether it has no place in a conversation.
    pub fn is_foreign(&self) -> bool {
        self.kind == ProblemKind::Foreign
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(line) = self.flaw.line {
            write!(f, ":{line}")?;
        }
        if let Some(column) = self.flaw.column {
            write!(f, ":{column}")?;
        }
        write!(f, ": {}", self.flaw.message)
    }
}

/// Why nothing of a conversation can be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// An object cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// It was written by a newer version.
    #[error("it is written in format {0}, which needs a newer jp (this one reads up to {max})", max = FormatVersion::CURRENT)]
    Version(FormatVersion),
    /// It holds too many things.
    #[error("it has more files, runs or lines than fit (see the limits of the format)")]
    TooMany,
    /// It is too large.
    #[error("it is larger than {max} bytes", max = limits::CONVERSATION)]
    TooLarge,
}

impl Snapshot {
    /// Reads the tree of a commit, but none of its events.
    pub fn read(objects: &Objects, commit: Commit) -> Result<Self, ReadError> {
        let top = Listing::top(objects, &commit.tree)?;
        let MetaFile { version, meta, is_lost, problems } = MetaFile::read(objects, top.meta)?;
        let mut snapshot = Self {
            commit,
            version,
            meta,
            meta_broken: !problems.is_empty(),
            meta_lost: is_lost,
            listings: BTreeMap::new(),
            manifests: BTreeMap::new(),
            flawed: BTreeSet::new(),
            strange_runs: Vec::new(),
            order: Vec::new(),
            problems,
            manifest_bytes: 0,
        };
        let mut entries = top.entries;
        if top.runs.len() > limits::RUNS {
            return Err(ReadError::TooMany);
        }
        let mut seen = BTreeSet::new();
        for (run, id) in &top.runs {
            if !seen.insert(*id) {
                let path = TreePath::found(None, run.to_string());
                let flaw = Flaw::new("it holds the same as another run");
                snapshot.strange_runs.push(path.clone());
                snapshot.problems.push(Problem { path, flaw, kind: ProblemKind::Foreign });
                continue;
            }
            let listing = Listing::run(objects, run, id)?;
            entries += listing.entries;
            if entries > limits::EVENT_FILES {
                return Err(ReadError::TooMany);
            }
            snapshot.listings.insert(Some(run.clone()), listing);
        }
        snapshot.listings.insert(None, top);
        for listing in snapshot.listings.values() {
            snapshot.problems.extend(listing.foreign.iter().map(|foreign| Problem {
                path: foreign.path.clone(),
                flaw: Flaw::new(foreign.why),
                kind: ProblemKind::Foreign,
            }));
        }
        let keys: Vec<_> = snapshot.listings.keys().cloned().collect();
        for run in keys {
            let manifest = snapshot.read_manifest(objects, &run)?;
            snapshot.manifests.insert(run, manifest);
        }
        snapshot.put_in_order();
        Ok(snapshot)
    }

    /// Whether something has no place in a conversation.
    pub fn is_foreign(&self) -> bool {
        self.problems.iter().any(Problem::is_foreign)
    }

    /// Whether this program may change it.
    pub fn is_writable(&self) -> bool {
        self.version.compatibility() == Compatibility::ReadWrite
    }

    /// The file at an address: the one in the stream, else one beside it.
    pub fn file_at(&self, address: Address) -> Option<Found> {
        let listed = self.order.iter().filter_map(|located| Some((&located.name, located.blob?)));
        let beside = self.listings.values().flat_map(|listing| &listing.files);
        let all = listed.chain(beside.map(|(name, blob)| (name, *blob)));
        let found = |(name, blob): (&FileName, ObjectId)| Found { name: name.clone(), blob };
        all.filter(|(name, _)| name.address() == address).map(found).next()
    }

    /// The address after the highest one that is in use.
    pub fn next_address(&self) -> Option<Address> {
        let names = self.listings.values().flat_map(|listing| listing.files.keys());
        names.map(FileName::address).max().map_or(Some(Address::FIRST), Address::next)
    }

    fn read_manifest(
        &mut self,
        objects: &Objects,
        run: &Option<RunName>,
    ) -> Result<Option<Manifest>, ReadError> {
        let path = run.as_ref().map_or_else(TreePath::manifest, TreePath::run_manifest);
        let Some(id) = self.listings.get(run).and_then(|listing| listing.manifest) else {
            self.complain(&path, vec![Flaw::new("the file is missing")]);
            return Ok(None);
        };
        let bytes = objects.blob(&id, limits::MANIFEST_FILE)?;
        self.manifest_bytes += bytes.len() as u64;
        if self.manifest_bytes > limits::MANIFESTS {
            return Err(ReadError::TooLarge);
        }
        if bytes.iter().filter(|byte| **byte == b'\n').count() > limits::MANIFEST_LINES {
            return Err(ReadError::TooMany);
        }
        let (manifest, mut flaws) = Manifest::read(&bytes);
        if !flaws.is_empty() {
            self.flawed.insert(run.clone());
        }
        let listings = &self.listings;
        let has_run = |name: &RunName| listings.contains_key(&Some(name.clone()));
        let own = listings.get(run);
        let has_event = |name: &FileName| own.is_some_and(|own| own.files.contains_key(name));
        for (line, flaw) in manifest.dead_ends(&bytes, run.as_ref(), has_run, has_event) {
            if matches!(line, Line::Run(_)) {
                self.flawed.insert(run.clone());
            }
            flaws.push(flaw);
            if flaws.len() > limits::FLAWS {
                flaws.push(Flaw::new("there may be more"));
                break;
            }
        }
        self.complain(&path, flaws);
        Ok(Some(manifest))
    }

    fn put_in_order(&mut self) {
        let mut order = Vec::new();
        for line in self.lines_of(&None) {
            match line {
                Line::Event(name) => order.push((None, name)),
                Line::Run(run) => {
                    for line in self.lines_of(&Some(run.clone())) {
                        if let Line::Event(name) = line {
                            order.push((Some(run.clone()), name));
                        }
                    }
                }
                Line::Remark(_) => {}
            }
        }
        let mut seen = BTreeSet::new();
        for (run, name) in order {
            let blob =
                self.listings.get(&run).and_then(|listing| listing.files.get(&name)).copied();
            let located = Located { run, name, blob };
            if !seen.insert(located.name.address()) {
                let message = format!("the number {} is given twice", located.name.address());
                self.complain(&located.path(), vec![Flaw::new(message)]);
            }
            self.order.push(located);
        }
    }

    /// The lines of a directory.
    fn lines_of(&self, run: &Option<RunName>) -> Vec<Line> {
        match (self.manifests.get(run), self.listings.get(run)) {
            (Some(manifest), Some(listing)) => lines_in(manifest.as_ref(), listing),
            _ => Vec::new(),
        }
    }

    fn complain(&mut self, path: &TreePath, flaws: Vec<Flaw>) {
        let path = path.clone();
        let problem = |flaw| Problem { path: path.clone(), flaw, kind: ProblemKind::Damage };
        self.problems.extend(flaws.into_iter().map(problem));
    }
}

/// The lines of a manifest; of one that is missing, the files in the order of their numbers.
pub(super) fn lines_in(manifest: Option<&Manifest>, listing: &Listing) -> Vec<Line> {
    if let Some(manifest) = manifest {
        return manifest.lines().to_vec();
    }
    let runs = listing.runs.keys().map(|run| (run.as_str().parse().ok(), Line::Run(run.clone())));
    let files = listing.files.keys();
    let files = files.map(|name| (Some(name.address()), Line::Event(name.clone())));
    let mut lines: Vec<(Option<Address>, Line)> = runs.chain(files).collect();
    lines.sort_by_key(|(address, _)| *address);
    lines.into_iter().map(|(_, line)| line).collect()
}
