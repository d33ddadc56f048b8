//! Reading a conversation whole.

use std::str::FromStr;

use super::{Handle, LoadError, Workspace};
use crate::{
    format::{BriefingFile, Decoded, Flaw, check_config, decode, limits},
    model::{Address, ConversationId, Entry, Event, Progress, Stream, Timestamp},
    plan::{Briefing, Fix, Layout, Listed, Outline, TreePath, sanitize},
    store::{
        Found, Located, ObjectError, ObjectId, Objects, Problem, ProblemKind, ReadError, Snapshot,
    },
};

/// A conversation, with everything that could be read of it and everything that is wrong.
#[derive(Debug)]
pub struct Conversation {
    /// The conversation.
    pub id: ConversationId,
    /// Its tree.
    pub snapshot: Snapshot,
    /// The stream in order, with a hole for each file that cannot be read.
    pub listed: Vec<Listed>,
    /// The bytes of its event files.
    pub bytes: u64,
    /// What is wrong with it, in the order of the stream.
    pub problems: Vec<Problem>,
}

impl Conversation {
    /// The events, split into turns.
    pub fn stream(&self) -> Stream {
        Stream::new(self.entries())
    }

    /// The events as a model may see them: complete turns are mended, and each change is told; the
    /// turn under way is as it is.
    pub fn sanitized(&self) -> (Stream, Vec<Fix>) {
        sanitize(self.stream())
    }

    /// The events that could be read, in order.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        self.listed.iter().filter_map(|listed| {
            let event = listed.event.clone()?;
            Some(Entry { address: listed.name.address(), event })
        })
    }

    /// How far the conversation has come.
    pub fn progress(&self) -> Progress {
        let mut progress = Progress::default();
        for event in self.listed.iter().filter_map(|listed| listed.event.as_ref()) {
            progress.push(event);
        }
        progress
    }

    /// How many requests wait for a running turn to end.
    pub fn queued(&self) -> usize {
        self.snapshot.listings.get(&None).map_or(0, |top| top.queue.len())
    }

    /// Where everything stands in its tree.
    pub fn into_layout(self) -> Layout {
        let Self { snapshot, listed, .. } = self;
        // A number may have been given to what was taken out since.
        let given = snapshot.commit.summary.as_ref().map(|summary| summary.next);
        let next = match (snapshot.next_address(), given) {
            (Some(free), Some(Some(next))) => Some(free.max(next)),
            (_, Some(None)) | (None, _) => None,
            (free, None) => free,
        };
        let files = snapshot.listings.iter();
        let files =
            files.map(|(run, listing)| (run.clone(), listing.files.keys().cloned().collect()));
        let files = files.collect();
        let manifests = snapshot.manifests.into_iter();
        let manifests = manifests.filter_map(|(run, manifest)| Some((run, manifest?))).collect();
        Layout { manifests, files, stream: listed, next }
    }

    /// What has to be known to continue it.
    pub fn outline(&self) -> Option<Outline> {
        Some(Outline {
            manifest: self.snapshot.manifests.get(&None)?.clone()?,
            runs: self.snapshot.listings.keys().flatten().cloned().collect(),
            next: self.snapshot.next_address(),
            events: self.listed.len() as u64,
            bytes: self.bytes,
            progress: self.progress(),
        })
    }
}

impl Workspace {
    /// Loads a conversation as it was at the commit of the handle. A tree with things in it that
    /// have no place is refused.
    pub fn load(&self, handle: &Handle) -> Result<Conversation, LoadError> {
        let conversation = self.examine(handle)?;
        if conversation.snapshot.is_foreign() {
            let problems = conversation.problems;
            return Err(LoadError::Foreign { id: handle.id(), problems });
        }
        Ok(conversation)
    }

    /// Loads whatever can be read of a conversation, to see what is wrong with it.
    pub fn examine(&self, handle: &Handle) -> Result<Conversation, LoadError> {
        self.examine_at(handle.id(), handle.commit())
    }

    pub(super) fn examine_at(
        &self,
        id: ConversationId,
        commit: ObjectId,
    ) -> Result<Conversation, LoadError> {
        let snapshot = self.snapshot(id, commit)?;
        let mut problems = snapshot.problems.clone();
        let (listed, bytes) = match snapshot.is_foreign() {
            true => (Vec::new(), 0),
            false => self
                .decode_all(&snapshot, &mut problems)
                .map_err(|source| LoadError::Read { id, source })?,
        };
        self.check_beside(&snapshot, &mut problems);
        Ok(Conversation { id, snapshot, listed, bytes, problems })
    }

    /// Reads the tree of a conversation, but none of its events.
    pub fn snapshot(&self, id: ConversationId, commit: ObjectId) -> Result<Snapshot, LoadError> {
        let objects = self.store.objects();
        let commit = self.store.commit(commit).map_err(|source| LoadError::object(id, source))?;
        Snapshot::read(objects, commit).map_err(|source| LoadError::Read { id, source })
    }

    fn decode_all(
        &self,
        snapshot: &Snapshot,
        problems: &mut Vec<Problem>,
    ) -> Result<(Vec<Listed>, u64), ReadError> {
        let (mut bytes, mut counted) = (0, 0);
        let mut progress = Progress::default();
        let mut listed = Vec::with_capacity(snapshot.order.len());
        for located in &snapshot.order {
            let complain = |flaw, kind| Problem { path: located.path(), flaw, kind };
            let event = match decode_one(
                self.store.objects(),
                located,
                limits::EVENT_FILE,
                snapshot.commit.committed,
                &mut bytes,
            ) {
                Ok(event) => {
                    if let Some(event) = &event {
                        if let Err(refusal) = progress.admit(event) {
                            let flaw = Flaw::new(refusal.to_string());
                            problems.push(complain(flaw, ProblemKind::Order));
                        }
                        progress.push(event);
                    }
                    event
                }
                Err(flaws) => {
                    let damage = |flaw| complain(flaw, ProblemKind::Damage);
                    problems.extend(flaws.into_iter().map(damage));
                    None
                }
            };
            let before = std::mem::replace(&mut counted, bytes);
            if bytes > limits::CONVERSATION {
                return Err(ReadError::TooLarge);
            }
            let (run, name, bytes) = (located.run.clone(), located.name.clone(), bytes - before);
            listed.push(Listed { run, name, event, bytes });
        }
        Ok((listed, bytes))
    }

    /// Looks at what stands beside the stream: the base configuration, what a model was told, and
    /// the queue.
    fn check_beside(&self, snapshot: &Snapshot, problems: &mut Vec<Problem>) {
        let Some(top) = snapshot.listings.get(&None) else { return };
        let objects = self.store.objects();
        let mut complain = |path: &TreePath, flaws: Vec<Flaw>| {
            let kind = ProblemKind::Beside;
            let problem = |flaw| Problem { path: path.clone(), flaw, kind };
            problems.extend(flaws.into_iter().map(problem));
        };
        let unreadable = |error: ObjectError| vec![Flaw::new(error.to_string())];
        if let Some(id) = &top.config {
            let read = objects.blob(id, limits::MANIFEST_FILE).map_err(unreadable);
            if let Err(flaws) = read.and_then(|bytes| check_config(&bytes)) {
                complain(&TreePath::config(), flaws);
            }
        }
        for (file, id) in &top.briefing {
            let read = objects.blob(id, limits::MANIFEST_FILE).map_err(unreadable);
            if let Err(flaws) = read.and_then(|bytes| file.check(&bytes)) {
                complain(&TreePath::briefing(*file), flaws);
            }
        }
        for (name, id) in &top.queue {
            let bytes = objects.blob(id, limits::EVENT_FILE).map_err(unreadable);
            let committed = snapshot.commit.committed;
            let read =
                bytes.and_then(|bytes| decode(&bytes, name.form(), name.hinted_type(), committed));
            if let Err(flaws) = read {
                complain(&TreePath::queued(name), flaws);
            }
        }
    }

    /// The configuration that a conversation began with, if it has one that can be read.
    pub fn base_config(&self, conversation: &Conversation) -> Option<toml::Table> {
        let blob = conversation.snapshot.listings.get(&None)?.config?;
        let bytes = self.store.objects().blob(&blob, limits::MANIFEST_FILE).ok()?;
        toml::Table::from_str(std::str::from_utf8(&bytes).ok()?).ok()
    }

    /// What a model was told before the last turn, as far as it can be read.
    pub fn briefing(&self, conversation: &Conversation) -> Briefing {
        let top = conversation.snapshot.listings.get(&None);
        let files = top.map(|top| &top.briefing).into_iter().flatten();
        let read = |(file, blob): (&BriefingFile, &ObjectId)| {
            let bytes = self.store.objects().blob(blob, limits::MANIFEST_FILE).ok()?;
            Some((*file, bytes))
        };
        Briefing { files: files.filter_map(read).collect() }
    }

    /// The event file at an address: the one in the stream, else one beside it.
    pub fn file_at(&self, handle: &Handle, address: Address) -> Result<Found, LoadError> {
        let id = handle.id();
        let snapshot = self.snapshot(id, handle.commit())?;
        snapshot.file_at(address).ok_or(LoadError::NoEvent { id, address })
    }

    /// The bytes of an event file.
    pub fn read_blob(&self, id: ConversationId, blob: &ObjectId) -> Result<Vec<u8>, LoadError> {
        let objects = self.store.objects();
        objects.blob(blob, limits::EVENT_FILE).map_err(|source| LoadError::object(id, source))
    }
}

/// Reads an event of so many bytes at most; `None` for a file that is missing, which the manifest is
/// to blame for.
pub(super) fn decode_one(
    objects: &Objects,
    located: &Located,
    limit: u64,
    fallback: Timestamp,
    total: &mut u64,
) -> Result<Option<Event>, Vec<Flaw>> {
    let Some(blob) = &located.blob else {
        return Ok(None);
    };
    let bytes = objects.blob(blob, limit).map_err(|error| vec![Flaw::new(error.to_string())])?;
    *total += bytes.len() as u64;
    let name = &located.name;
    let Decoded { event, .. } = decode(&bytes, name.form(), name.hinted_type(), fallback)?;
    Ok(Some(event))
}
