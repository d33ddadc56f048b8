//! Writing: new conversations, and events at the end.

use std::collections::BTreeMap;

use toml::Table;

use super::{
    Guard, LoadError, Workspace, WriteFailure,
    guard::State,
    scribe::{Operation, Scribe},
};
use crate::{
    format::{BriefingFile, Compatibility, FileName, Flaw, Form, Manifest, decode, limits, stamp},
    model::{Address, ConversationId, EventType, Meta, Progress, Timestamp},
    plan::{self, Briefing, Change, Draft, Heading, Outline, QueueError, TreePath},
    store::{
        Commit, Directory, Listing, Lock, NewCommit, ObjectId, Problem, Space, Tip, WriteError,
        Writing, Written, blob_id,
    },
};

/// An event that is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Where it stands.
    pub address: Address,
    /// Its file.
    pub file: FileName,
    /// Its commit.
    pub commit: ObjectId,
}

/// What a write led to.
pub(super) struct Outcome {
    pub(super) state: State,
    pub(super) events: Vec<Appended>,
    pub(super) notes: Vec<String>,
}

/// Checks an event file and gives it a timestamp if it has none.
pub fn prepare(
    bytes: Vec<u8>,
    form: Form,
    hint: Option<EventType>,
    now: Timestamp,
) -> Result<Draft, Vec<Flaw>> {
    let decoded = decode(&bytes, form, hint, now)?;
    match stamp(bytes, form, &decoded) {
        Ok(bytes) => Ok(Draft { event: decoded.event, bytes }),
        Err(error) => Err(vec![Flaw::new(error.to_string())]),
    }
}

/// What is appended at once.
struct Appending<'a> {
    /// Commits that come first.
    commits: Vec<NewCommit>,
    /// What changes beside the stream with the first event.
    beside: Vec<Change>,
    /// The events.
    drafts: &'a [Draft],
    /// What changes beside the stream with the last event.
    at_last: Vec<Change>,
}

impl<'a> Appending<'a> {
    fn of(drafts: &'a [Draft]) -> Self {
        Self { commits: Vec::new(), beside: Vec::new(), drafts, at_last: Vec::new() }
    }
}

/// Whether a conversation and its first events come about by one operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Creating {
    Together,
    Apart,
}

impl Workspace {
    /// Makes a conversation with its first events. The id is the time, or the next free one.
    pub fn create(
        &self,
        meta: &Meta,
        drafts: &[Draft],
    ) -> Result<(Guard, Vec<Appended>), WriteFailure> {
        self.create_with(meta, &Table::new(), drafts)
    }

    /// The same, with the configuration that the conversation begins with.
    pub fn create_with(
        &self,
        meta: &Meta,
        config: &Table,
        drafts: &[Draft],
    ) -> Result<(Guard, Vec<Appended>), WriteFailure> {
        let (guard, _operation, events) =
            self.create_by(meta, config, &Briefing::default(), drafts, Creating::Together)?;
        Ok((guard, events))
    }

    /// Makes a conversation that begins with a configuration, and begins an operation in it with
    /// the first events, before which a model is told something. Undoing that operation leaves the
    /// conversation empty.
    pub fn create_for(
        &self,
        meta: &Meta,
        config: &Table,
        briefing: &Briefing,
        drafts: &[Draft],
    ) -> Result<(Guard, Operation, Vec<Appended>), WriteFailure> {
        self.create_by(meta, config, briefing, drafts, Creating::Apart)
    }

    fn create_by(
        &self,
        meta: &Meta,
        config: &Table,
        briefing: &Briefing,
        drafts: &[Draft],
        creating: Creating,
    ) -> Result<(Guard, Operation, Vec<Appended>), WriteFailure> {
        let created = meta.created.or(Some(self.env.now()));
        let meta = Meta { created, ..meta.clone() };
        let mut changes = plan::create(&meta, base_config(config).as_bytes());
        changes.extend(briefing.changes(|_, _| false));
        let (id, lock, (operation, outcome)) = self.begin(|lock, id| {
            let (tip, outline) = (Tip::default(), Outline::new());
            let state = State { tip, outline, heading: Heading::from(&meta) };
            let mut operation = self.new_operation(None)?;
            let creation = Scribe::new(self, &mut operation).creation(id, &state, changes.clone());
            if creating == Creating::Apart {
                operation = self.new_operation(None)?;
            }
            let appending = Appending { commits: vec![creation], ..Appending::of(drafts) };
            let outcome = self.commit_all(lock, id, state, appending, &mut operation)?;
            Ok((operation, outcome))
        })?;
        let Outcome { state, events, notes } = outcome;
        let commit = state.tip.commit.expect("a conversation was written just now");
        let mut guard = Guard::new(id, commit, lock, Some(state));
        self.tidy(&mut guard, notes);
        Ok((guard, operation, events))
    }

    /// Appends events: one commit each, all of them durable when this returns.
    pub fn append(
        &self,
        guard: &mut Guard,
        drafts: &[Draft],
    ) -> Result<Vec<Appended>, WriteFailure> {
        let mut operation = self.begin_operation(guard)?;
        self.append_in(guard, &mut operation, drafts)
    }

    /// How far a conversation has come to which something is about to be appended.
    pub fn progress(&self, guard: &mut Guard) -> Result<Progress, WriteFailure> {
        let state = match guard.take_state() {
            Some(state) => state,
            None => self.state(guard.id())?,
        };
        let progress = state.outline.progress.clone();
        let commit = guard.commit();
        // What something else than jp brought in meanwhile is looked at again.
        guard.moved_to(commit, Some(state).filter(|state| state.tip.commit == Some(commit)));
        Ok(progress)
    }

    /// Begins an operation that takes several writes.
    pub fn begin_operation(&self, guard: &Guard) -> Result<Operation, WriteFailure> {
        self.new_operation(Some(guard.commit()))
    }

    /// Appends events as a part of an operation.
    pub fn append_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        drafts: &[Draft],
    ) -> Result<Vec<Appended>, WriteFailure> {
        self.write_in(guard, operation, |guard, state, operation| {
            self.commit_all(guard.lock(), guard.id(), state, Appending::of(drafts), operation)
        })
    }

    /// The same for the first events of a turn, before which a model is told something.
    pub fn append_briefed_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        briefing: &Briefing,
        drafts: &[Draft],
    ) -> Result<Vec<Appended>, WriteFailure> {
        self.write_in(guard, operation, |guard, state, operation| {
            let beside = self.briefing_changes(guard.id(), &state, briefing)?;
            let appending = Appending { beside, ..Appending::of(drafts) };
            self.commit_all(guard.lock(), guard.id(), state, appending, operation)
        })
    }

    /// Appends the first events of a turn whose request has waited, and takes it out of the queue in
    /// the same commit: the last of the drafts, to the byte.
    pub(super) fn append_queued_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        name: &FileName,
        briefing: Option<&Briefing>,
        drafts: &[Draft],
    ) -> Result<Vec<Appended>, WriteFailure> {
        self.write_in(guard, operation, |guard, state, operation| {
            let id = guard.id();
            let refused = |source| Err(WriteFailure::Queue { id, source });
            let asked = drafts.last().map(|request| blob_id(&request.bytes));
            match self.queue_in(id, &state)?.get(name) {
                None => return refused(QueueError::Absent(name.clone())),
                present if present != asked.as_ref() => {
                    return refused(QueueError::Changed(name.clone()));
                }
                Some(_) => {}
            }
            let beside = match briefing {
                Some(briefing) => self.briefing_changes(id, &state, briefing)?,
                None => Vec::new(),
            };
            let at_last = vec![plan::unqueue(name)];
            let appending = Appending { beside, at_last, ..Appending::of(drafts) };
            self.commit_all(guard.lock(), id, state, appending, operation)
        })
    }

    /// What has to change so that a conversation says what a model is told.
    fn briefing_changes(
        &self,
        id: ConversationId,
        state: &State,
        briefing: &Briefing,
    ) -> Result<Vec<Change>, WriteFailure> {
        let mut present = BTreeMap::new();
        // A copy, because whatever was opened is written again.
        let mut tree = state.tip.tree.clone();
        for file in BriefingFile::ALL {
            let found = tree.file(&TreePath::briefing(file), self.store.objects());
            let found = found.map_err(|source| LoadError::object(id, source))?;
            present.extend(found.map(|blob| (file, blob)));
        }
        Ok(briefing.changes(|file, bytes| match (present.get(&file), bytes) {
            (Some(blob), Some(bytes)) => *blob == blob_id(bytes),
            (found, _) => found.is_some(),
        }))
    }

    /// Keeps an event beside the stream, because it has no place in it any more, as a part of an
    /// operation.
    pub fn set_aside_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        draft: &Draft,
    ) -> Result<Vec<Appended>, WriteFailure> {
        self.write_in(guard, operation, |guard, mut state, operation| {
            let id = guard.id();
            let step = plan::set_aside(&mut state.outline, draft.clone())
                .map_err(|source| WriteFailure::Refused { id, index: 0, source })?;
            let mut scribe = Scribe::new(self, operation);
            let commit = scribe.aside(&state, &draft.event, &step);
            let lock = guard.lock();
            let writing = Writing { lock, id, tip: &mut state.tip, commits: &[commit] };
            let Written { commits, notes } =
                self.store.write(writing).map_err(|source| WriteFailure::write(id, source))?;
            let appended = commits.first().map(|commit| Appended {
                address: step.address(),
                file: step.name,
                commit: *commit,
            });
            Ok(Outcome { events: appended.into_iter().collect(), state, notes })
        })
    }

    /// Writes as a part of an operation, and starts over when something else than jp was faster.
    pub(super) fn write_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        mut write: impl FnMut(&Guard, State, &mut Operation) -> Result<Outcome, WriteFailure>,
    ) -> Result<Vec<Appended>, WriteFailure> {
        let id = guard.id();
        let mut expected = guard.commit();
        self.keep_trying(guard, |guard| {
            if guard.commit() != expected {
                expected = guard.commit();
                operation.rebase(expected);
            }
            let state = match guard.take_state() {
                Some(state) => state,
                None => self.state(id)?,
            };
            let written = write(guard, state, operation);
            let Outcome { state, events, notes } = written.map_err(|error| match error {
                WriteFailure::Write { source: WriteError::Moved, .. } => {
                    WriteFailure::Contended { id }
                }
                error => error,
            })?;
            let commit = state.tip.commit.unwrap_or_else(|| guard.commit());
            guard.moved_to(commit, Some(state));
            self.tidy(guard, notes);
            Ok(events)
        })
    }

    fn commit_all(
        &self,
        lock: &Lock,
        id: ConversationId,
        mut state: State,
        appending: Appending<'_>,
        operation: &mut Operation,
    ) -> Result<Outcome, WriteFailure> {
        let Appending { mut commits, mut beside, drafts, mut at_last } = appending;
        let mut scribe = Scribe::new(self, operation);
        let before = commits.len();
        let mut steps = Vec::with_capacity(drafts.len());
        for (index, draft) in drafts.iter().enumerate() {
            let mut step = plan::append(&mut state.outline, draft.clone())
                .map_err(|source| WriteFailure::Refused { id, index, source })?;
            step.changes.append(&mut beside);
            if index + 1 == drafts.len() {
                step.changes.append(&mut at_last);
            }
            commits.push(scribe.step(&state, &draft.event, &step));
            steps.push(step);
        }
        let writing = Writing { lock, id, tip: &mut state.tip, commits: &commits };
        let written = self.store.write(writing);
        let Written { commits: ids, notes } =
            written.map_err(|source| WriteFailure::write(id, source))?;
        if let Some(creation) = ids[..before].last() {
            // What is appended later goes on from there.
            operation.rebase(*creation);
        }
        let events = steps.into_iter().zip(&ids[before..]).map(|(step, commit)| Appended {
            address: step.address(),
            file: step.name,
            commit: *commit,
        });
        Ok(Outcome { events: events.collect(), state, notes })
    }

    /// Reads what has to be known to continue a conversation, from the summary in its last commit
    /// if there is one.
    pub(super) fn state(&self, id: ConversationId) -> Result<State, WriteFailure> {
        let commit = self.store.tip(Space::Heads, id)?.ok_or(LoadError::Gone(id))?;
        let objects = self.store.objects();
        let object = |source| WriteFailure::Load(LoadError::object(id, source));
        let commit = self.store.commit(commit).map_err(object)?;
        let tree = Directory::read(objects, &commit.tree).map_err(object)?;
        let tip = Tip { commit: Some(commit.id), tree };
        if let Some(state) = self.state_from_summary(id, &commit, tip.clone())? {
            return Ok(state);
        }
        let conversation = self.examine_at(id, commit.id)?;
        let version = conversation.snapshot.version;
        if !conversation.snapshot.is_writable() {
            return Err(WriteFailure::ReadOnly { id, version });
        }
        let heading = Heading::from(&conversation.snapshot.meta);
        match conversation.outline() {
            Some(outline) if conversation.problems.iter().all(Problem::is_harmless) => {
                Ok(State { tip, outline, heading })
            }
            _ => Err(WriteFailure::Damaged { id, problems: conversation.problems }),
        }
    }

    fn state_from_summary(
        &self,
        id: ConversationId,
        commit: &Commit,
        tip: Tip,
    ) -> Result<Option<State>, WriteFailure> {
        let Some(summary) = commit.summary.clone() else { return Ok(None) };
        if summary.format.compatibility() != Compatibility::ReadWrite {
            return Err(WriteFailure::ReadOnly { id, version: summary.format });
        }
        let objects = self.store.objects();
        let object = |source| WriteFailure::Load(LoadError::object(id, source));
        let listing = Listing::top(objects, &commit.tree).map_err(object)?;
        let Some(manifest) = listing.manifest.filter(|_| listing.foreign.is_empty()) else {
            return Ok(None);
        };
        let bytes = objects.blob(&manifest, limits::MANIFEST_FILE).map_err(object)?;
        let (manifest, flaws) = Manifest::read(&bytes);
        if !flaws.is_empty() {
            return Ok(None);
        }
        // A summary that somebody made up must not lead to a number that is taken.
        let files = listing.files.keys().map(FileName::address);
        let runs = listing.runs.keys().filter_map(|run| run.as_str().parse().ok());
        let highest = files.chain(runs).max();
        if summary.next.is_some_and(|next| highest.is_some_and(|highest| highest >= next)) {
            return Ok(None);
        }
        let outline = Outline {
            manifest,
            runs: listing.runs.keys().cloned().collect(),
            next: summary.next,
            events: summary.events,
            bytes: summary.bytes,
            progress: summary.progress,
        };
        Ok(Some(State { tip, outline, heading: summary.heading }))
    }
}

/// The file of the configuration that a conversation begins with.
pub(super) fn base_config(config: &Table) -> String {
    let remark = include_str!("../../templates/base-config.toml");
    match config.is_empty() {
        true => remark.to_owned(),
        false => format!("{remark}\n{config}"),
    }
}
