//! Making a conversation of a directory, or of events that came from elsewhere.
//!
//! The directory may come from anywhere: it is looked at first, read when nothing in it is too
//! large, and checked as a whole; all problems are told at once. Then one commit holds its very
//! bytes.

mod check;
mod problems;
mod scan;
mod source;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use toml::Table;

use self::{
    check::{Preface, Verdict, check},
    problems::Problems,
    scan::Scan,
    source::Source,
};
use super::{Guard, Workspace, WriteFailure, append::base_config, place::Place, scribe::Scribe};
use crate::{
    format::encode_meta,
    fsutil::FsError,
    model::{Meta, Timestamp, counted},
    plan::{AppendError, Change, Draft, Heading, Outline, Summary, TreePath, append, create, seal},
    store::{Content, Origin, Problem, ProblemKind, Tip, Writing},
};

/// What was read and found to be a conversation.
#[derive(Debug)]
pub struct Incoming {
    changes: Vec<Change>,
    outline: Outline,
    heading: Heading,
    disorder: Vec<Problem>,
}

/// A conversation that was made of what came in, and is on disk.
#[derive(Debug)]
pub struct Imported {
    /// The conversation.
    pub guard: Guard,
    /// What a list of conversations shows of it.
    pub summary: Summary,
    /// How many files it has.
    pub files: usize,
    /// Events that stand where they cannot; models will not see them so.
    pub problems: Vec<Problem>,
}

/// Why a directory is not a conversation.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ImportError {
    #[error("`{}` is not a directory", .0.display())]
    NotADirectory(PathBuf),
    #[error(
        "`{}` is not a conversation: it has {}",
        directory.display(),
        counted(problems.len() as u64, "problem")
    )]
    Refused { directory: PathBuf, problems: Vec<Problem> },
    #[error(transparent)]
    Fs(#[from] FsError),
}

/// The contents of the files of a directory.
type Files = BTreeMap<Place, Vec<u8>>;

impl Incoming {
    /// Reads a directory and checks all of it. A title replaces the one that it has.
    pub fn read(
        cwd: &Path,
        directory: &Path,
        title: Option<String>,
        now: Timestamp,
    ) -> Result<Self, ImportError> {
        let source = Source::open(&cwd.join(directory), directory)?;
        let scan =
            Scan::of(source.top()).map_err(|error| FsError::new("read", directory, error))?;
        Self::examine(&source, scan, title, now).map_err(|problems| ImportError::Refused {
            directory: directory.to_owned(),
            problems: problems.into_vec(),
        })
    }

    fn examine(
        source: &Source,
        scan: Scan,
        title: Option<String>,
        now: Timestamp,
    ) -> Result<Self, Problems> {
        let Scan { files: mut sizes, runs, mut problems, too_much, .. } = scan;
        if too_much {
            return Err(problems);
        }
        // The version tells how everything else is to be read.
        let mut unread = Problems::default();
        let mut files = source.read_all(sizes.remove_entry(&Place::Meta), &mut unread);
        let read = Preface::read(files.get(&Place::Meta).map(Vec::as_slice));
        let preface = read.unwrap_or_else(|flaws| {
            unread.extend(&TreePath::meta(), flaws, ProblemKind::Damage);
            Preface::default()
        });
        if !unread.is_empty() {
            return Err(unread);
        }
        problems.extend(&TreePath::meta(), preface.flaws, ProblemKind::Damage);
        files.extend(source.read_all(sizes, &mut unread));
        if !unread.is_empty() {
            problems.append(unread);
            return Err(problems);
        }
        let Verdict { outline, first_words, problems: found, disorder } = check(&files, &runs, now);
        problems.append(found);
        if !problems.is_empty() {
            return Err(problems);
        }
        let is_new = preface.meta.is_none();
        let made = || Meta { title: first_words, created: Some(now), ..Meta::default() };
        let mut meta = preface.meta.unwrap_or_else(made);
        let renamed = title.is_some() && title != meta.title;
        meta.title = title.or(meta.title);
        if is_new || renamed {
            files.insert(Place::Meta, encode_meta(&meta));
        }
        Ok(Self::pack_up(files, outline, Heading::from(&meta), disorder.into_vec()))
    }

    /// Decides what the commit holds: the files as they are, unless too many stand at the top.
    fn pack_up(
        mut files: Files,
        mut outline: Outline,
        heading: Heading,
        disorder: Vec<Problem>,
    ) -> Self {
        let mut sealed = Vec::new();
        loop {
            let run = seal(&mut outline.manifest, &mut outline.runs);
            if run.is_empty() {
                break;
            }
            sealed.extend(run);
        }
        if !sealed.is_empty() {
            files.insert(Place::Manifest(None), outline.manifest.to_bytes());
        }
        let kept = files.into_iter().map(|(place, bytes)| Change::Put(place.path(), bytes));
        let changes = kept.chain(sealed).collect();
        Self { changes, outline, heading, disorder }
    }
}

impl Incoming {
    /// Takes events that came from elsewhere, for a conversation that begins with a configuration.
    /// The number in an error is that of the event.
    pub fn of_events(
        meta: &Meta,
        config: &Table,
        drafts: Vec<Draft>,
    ) -> Result<Self, (usize, AppendError)> {
        let mut outline = Outline::new();
        let mut changes = create(meta, base_config(config).as_bytes());
        let is_manifest = |change: &Change| matches!(change, Change::Put(path, _) if *path == TreePath::manifest());
        for (index, draft) in drafts.into_iter().enumerate() {
            let step = append(&mut outline, draft).map_err(|error| (index, error))?;
            changes.extend(step.changes.into_iter().filter(|change| !is_manifest(change)));
        }
        changes.retain(|change| !is_manifest(change));
        changes.push(Change::Put(TreePath::manifest(), outline.manifest.to_bytes()));
        Ok(Self { changes, outline, heading: Heading::from(meta), disorder: Vec::new() })
    }
}

impl Workspace {
    /// Makes a new conversation of what was read, in one durable commit.
    pub fn import(&self, incoming: Incoming) -> Result<Imported, WriteFailure> {
        let Incoming { changes, outline, heading, disorder } = incoming;
        let is_put = |change: &&Change| matches!(change, Change::Put(..));
        let files = changes.iter().filter(is_put).count();
        let summary = Summary::new(heading, &outline);
        let mut operation = self.new_operation(None)?;
        let mut scribe = Scribe::new(self, &mut operation);
        let content = Content::Changed(changes);
        let mut new = scribe.commit(String::new(), Origin::User, Some(summary.clone()), content);
        let (id, lock, (commit, notes)) = self.begin(|lock, id| {
            new.description.subject = format!("import {id}");
            new.description.begins = Some(id);
            let mut tip = Tip::default();
            let commits = std::slice::from_ref(&new);
            let written = self.store.write(Writing { lock, id, tip: &mut tip, commits });
            let written = written.map_err(|source| WriteFailure::write(id, source))?;
            Ok((tip.commit.expect("a conversation was written just now"), written.notes))
        })?;
        let mut guard = Guard::new(id, commit, lock, None);
        self.tidy(&mut guard, notes);
        Ok(Imported { guard, summary, files, problems: disorder })
    }
}
