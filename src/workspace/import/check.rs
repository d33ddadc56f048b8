//! Deciding whether the files of a directory are a conversation.

use std::collections::{BTreeMap, BTreeSet};

use super::{Files, problems::Problems};
use crate::{
    format::{
        Compatibility, FileName, Flaw, FormatVersion, Line, Manifest, RunName, check_config,
        decode, decode_meta, limits, salvage_meta,
    },
    model::{Address, Event, EventKind, Meta, Progress, Timestamp, title_from},
    plan::{Outline, TreePath},
    store::{ProblemKind, ReadError},
    workspace::place::Place,
};

/// What `meta.toml` says, in a version that this program writes.
#[derive(Debug, Default)]
pub(super) struct Preface {
    /// Title, labels and so on; `None` if there is no such file.
    pub(super) meta: Option<Meta>,
    /// What is wrong with the file, in spite of which the rest can be looked at.
    pub(super) flaws: Vec<Flaw>,
}

/// What the files of a conversation amount to.
#[derive(Debug)]
pub(super) struct Verdict {
    /// What has to be known to continue it.
    pub(super) outline: Outline,
    /// The first words of its first request.
    pub(super) first_words: Option<String>,
    /// What is wrong: nothing may be kept if this is not empty.
    pub(super) problems: Problems,
    /// Events that stand where they cannot; models will not see them so.
    pub(super) disorder: Problems,
}

impl Preface {
    /// Reads `meta.toml`. Nothing else may be read if the version is not known after it.
    pub(super) fn read(bytes: Option<&[u8]>) -> Result<Self, Vec<Flaw>> {
        let Some(bytes) = bytes else { return Ok(Self::default()) };
        let (version, meta) = match (decode_meta(bytes), salvage_meta(bytes)) {
            (Ok(read), _) => read,
            (Err(flaws), Some(meta)) => return Ok(Self { meta: Some(meta), flaws }),
            (Err(flaws), None) => return Err(flaws),
        };
        let refusal = match version.compatibility() {
            Compatibility::ReadWrite => return Ok(Self { meta: Some(meta), flaws: Vec::new() }),
            Compatibility::ReadOnly => format!(
                "it is written in format {version}, which needs a newer jp (this one writes up to {})",
                FormatVersion::CURRENT
            ),
            Compatibility::Refused => ReadError::Version(version).to_string(),
        };
        Err(vec![Flaw::new(refusal)])
    }
}

/// Checks the files of a directory.
pub(super) fn check(files: &Files, runs: &BTreeSet<RunName>, now: Timestamp) -> Verdict {
    let mut reader = Reader {
        files,
        runs,
        now,
        problems: Problems::default(),
        disorder: Problems::default(),
        addresses: BTreeSet::new(),
        progress: Progress::default(),
        bytes: 0,
        first_words: None,
    };
    let top = reader.manifest(None).unwrap_or_default();
    let sealed: BTreeMap<_, _> =
        runs.iter().filter_map(|run| Some((run, reader.manifest(Some(run))?))).collect();
    reader.read_stream(&top, &sealed);
    reader.read_beside();
    let Reader { problems, disorder, addresses, progress, bytes, first_words, .. } = reader;
    let numbers = files.keys().filter_map(|place| match place {
        Place::Event(_, name) => Some(name.address()),
        Place::Meta
        | Place::Config
        | Place::Briefing(_)
        | Place::Manifest(_)
        | Place::Queued(_) => None,
    });
    let outline = Outline {
        manifest: top,
        runs: runs.clone(),
        next: numbers.max().map_or(Some(Address::FIRST), Address::next),
        events: addresses.len() as u64,
        bytes,
        progress,
    };
    Verdict { outline, first_words, problems, disorder }
}

/// Goes through the files of a conversation in the order of its stream.
struct Reader<'a> {
    files: &'a Files,
    runs: &'a BTreeSet<RunName>,
    now: Timestamp,
    problems: Problems,
    disorder: Problems,
    addresses: BTreeSet<Address>,
    progress: Progress,
    bytes: u64,
    first_words: Option<String>,
}

impl Reader<'_> {
    /// Reads a manifest, and finds every line of it that leads nowhere.
    fn manifest(&mut self, run: Option<&RunName>) -> Option<Manifest> {
        let place = Place::Manifest(run.cloned());
        let Some(bytes) = self.files.get(&place) else {
            self.problems.push(place.path(), "the file is missing", ProblemKind::Damage);
            return None;
        };
        if bytes.iter().filter(|byte| **byte == b'\n').count() > limits::MANIFEST_LINES {
            let message = format!("it has more than {} lines", limits::MANIFEST_LINES);
            self.problems.push(place.path(), message, ProblemKind::Damage);
            return None;
        }
        let (manifest, mut flaws) = Manifest::read(bytes);
        let has_run = |name: &RunName| self.runs.contains(name);
        let has_event = |name: &FileName| self.has(run, name);
        let dead_ends = manifest.dead_ends(bytes, run, has_run, has_event);
        flaws.extend(dead_ends.map(|(_, flaw)| flaw));
        flaws.sort_by_key(|flaw| (flaw.line, flaw.column));
        self.problems.extend(&place.path(), flaws, ProblemKind::Damage);
        Some(manifest)
    }

    fn has(&self, run: Option<&RunName>, name: &FileName) -> bool {
        self.files.contains_key(&Place::Event(run.cloned(), name.clone()))
    }

    fn read_stream(&mut self, top: &Manifest, sealed: &BTreeMap<&RunName, Manifest>) {
        for line in top.lines() {
            match line {
                Line::Remark(_) => {}
                Line::Event(name) => self.read_event(None, name),
                Line::Run(run) => {
                    for name in sealed.get(run).into_iter().flat_map(Manifest::events) {
                        self.read_event(Some(run), name);
                    }
                }
            }
        }
        if self.bytes > limits::CONVERSATION {
            let message = format!("its events have more than {} bytes", limits::CONVERSATION);
            self.problems.push(TreePath::manifest(), message, ProblemKind::Damage);
        }
    }

    fn read_event(&mut self, run: Option<&RunName>, name: &FileName) {
        let place = Place::Event(run.cloned(), name.clone());
        // That a file is missing was said of the manifest.
        let Some(bytes) = self.files.get(&place) else { return };
        self.bytes += bytes.len() as u64;
        if !self.addresses.insert(name.address()) {
            let message = format!("the number {} is given twice", name.address());
            self.problems.push(place.path(), message, ProblemKind::Damage);
        }
        match decode(bytes, name.form(), name.hinted_type(), self.now) {
            Err(flaws) => self.problems.extend(&place.path(), flaws, ProblemKind::Damage),
            Ok(decoded) => self.follow(&place, &decoded.event),
        }
    }

    fn follow(&mut self, place: &Place, event: &Event) {
        if let Err(refusal) = self.progress.admit(event) {
            self.disorder.push(place.path(), refusal.to_string(), ProblemKind::Order);
        }
        self.progress.push(event);
        if let (None, EventKind::Request(request)) = (&self.first_words, &event.kind) {
            self.first_words = title_from(&request.content.to_text_lossy());
        }
    }

    /// Looks at what stands beside the stream: the base configuration, what a
    /// model was told, and the queue.
    fn read_beside(&mut self) {
        for (place, bytes) in self.files {
            let flaws = match place {
                Place::Config => check_config(bytes).err(),
                Place::Briefing(file) => file.check(bytes).err(),
                Place::Queued(name) => {
                    decode(bytes, name.form(), name.hinted_type(), self.now).err()
                }
                Place::Meta | Place::Manifest(_) | Place::Event(..) => None,
            };
            self.problems.extend(&place.path(), flaws.unwrap_or_default(), ProblemKind::Beside);
        }
    }
}
