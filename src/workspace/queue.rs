//! The queue: requests that wait for a running turn to end, stored with the conversation and no
//! part of its stream.

use std::collections::BTreeMap;

use super::{
    Appended, Conversation, Guard, Handle, LoadError, Workspace, WriteFailure,
    append::Outcome,
    guard::State,
    scribe::{Operation, Scribe},
};
use crate::{
    format::{Decoded, FileName, decode, limits},
    model::{Address, ConversationId, Event, Timestamp},
    plan::{self, Briefing, Change, Draft, QueueError, Summary},
    store::{Content, Listing, ObjectId, Origin, Writing, Written},
};

/// A file that waits in a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Queued {
    /// Its name, with its place in the queue.
    pub name: FileName,
    /// The id of its bytes.
    pub blob: ObjectId,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What they say.
    pub event: Event,
}

impl Queued {
    /// Whether it can be asked.
    pub fn is_request(&self) -> bool {
        self.event.request().is_some()
    }

    /// Where it waits, and what it says, by its id.
    pub fn file(&self) -> QueuedFile {
        QueuedFile { name: self.name.clone(), blob: self.blob }
    }
}

/// A file in a queue that cannot be read, and is never asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Its name.
    pub name: FileName,
    /// Why.
    pub why: String,
}

/// A file that waits in a queue as somebody has seen it, whether it can be read or not. Another one
/// may have its name since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedFile {
    /// Its name, with its place in the queue.
    pub name: FileName,
    /// The id of its bytes.
    pub blob: ObjectId,
}

impl Workspace {
    /// What waits in a version of a conversation, in its order, as far as it can be read. None of
    /// its events is read.
    pub fn queue(&self, handle: &Handle) -> Result<Vec<Queued>, LoadError> {
        let (queue, committed) = self.queue_at(handle.id(), handle.commit())?;
        Ok(self.read_queue(&queue, committed).into_iter().filter_map(Result::ok).collect())
    }

    /// What waits in a version of a conversation and cannot be read, and why.
    pub fn unreadable_in_queue(&self, handle: &Handle) -> Result<Vec<Unreadable>, LoadError> {
        let (queue, committed) = self.queue_at(handle.id(), handle.commit())?;
        Ok(self.read_queue(&queue, committed).into_iter().filter_map(Result::err).collect())
    }

    /// What waits under this number in a version of a conversation, whether it can be read or not.
    pub fn queued_at(
        &self,
        handle: &Handle,
        address: Address,
    ) -> Result<Option<QueuedFile>, LoadError> {
        let (queue, _) = self.queue_at(handle.id(), handle.commit())?;
        let mut files = queue.into_iter();
        let found = files.find(|(name, _)| name.address() == address);
        Ok(found.map(|(name, blob)| QueuedFile { name, blob }))
    }

    /// What waits in a conversation that is loaded, in its order, as far as it can be read.
    pub fn queued(&self, conversation: &Conversation) -> Vec<Queued> {
        let snapshot = &conversation.snapshot;
        let top = snapshot.listings.get(&None);
        let read = |top: &Listing| self.read_queue(&top.queue, snapshot.commit.committed);
        top.map(read).into_iter().flatten().filter_map(Result::ok).collect()
    }

    /// The files that wait in a version of a conversation, and when that was made.
    fn queue_at(
        &self,
        id: ConversationId,
        commit: ObjectId,
    ) -> Result<(BTreeMap<FileName, ObjectId>, Timestamp), LoadError> {
        let object = |source| LoadError::object(id, source);
        let commit = self.store.commit(commit).map_err(object)?;
        let top = Listing::top(self.store.objects(), &commit.tree).map_err(object)?;
        Ok((top.queue, commit.committed))
    }

    fn read_queue(
        &self,
        queue: &BTreeMap<FileName, ObjectId>,
        committed: Timestamp,
    ) -> Vec<Result<Queued, Unreadable>> {
        let mut queue: Vec<_> = queue.iter().collect();
        queue.sort_by_key(|(name, _)| name.address());
        let read = |(name, blob): (&FileName, &ObjectId)| {
            let unreadable = |why: String| Unreadable { name: name.clone(), why };
            let bytes = self.store.objects().blob(blob, limits::EVENT_FILE);
            let bytes = bytes.map_err(|error| unreadable(error.to_string()))?;
            let decoded = decode(&bytes, name.form(), name.hinted_type(), committed);
            let Decoded { event, .. } = decoded.map_err(|flaws| {
                let flaws: Vec<_> = flaws.iter().map(ToString::to_string).collect();
                unreadable(flaws.join("; "))
            })?;
            Ok(Queued { name: name.clone(), blob: *blob, bytes, event })
        };
        queue.into_iter().map(read).collect()
    }

    /// Lets a request wait behind those that wait already: one commit, which is durable when this
    /// returns.
    pub fn enqueue(&self, guard: &mut Guard, draft: &Draft) -> Result<FileName, WriteFailure> {
        let mut operation = self.begin_operation(guard)?;
        self.enqueue_in(guard, &mut operation, draft)
    }

    /// The same as a part of an operation.
    pub fn enqueue_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        draft: &Draft,
    ) -> Result<FileName, WriteFailure> {
        self.change_queue(guard, operation, |queue| {
            let (name, change) = plan::enqueue(queue.keys(), draft)?;
            Ok((format!("queue {name}"), change, name))
        })
    }

    /// Lets another request wait in the place of one that does.
    pub fn requeue(
        &self,
        guard: &mut Guard,
        file: &QueuedFile,
        draft: &Draft,
    ) -> Result<(), WriteFailure> {
        let mut operation = self.begin_operation(guard)?;
        self.requeue_in(guard, &mut operation, file, draft)
    }

    /// The same as a part of an operation.
    pub fn requeue_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        file: &QueuedFile,
        draft: &Draft,
    ) -> Result<(), WriteFailure> {
        self.change_queue(guard, operation, |queue| {
            let name = present(queue, file)?;
            Ok((format!("queue {name} anew"), plan::requeue(name, draft)?, ()))
        })
    }

    /// Lets a request wait no longer, without asking it.
    pub fn unqueue(&self, guard: &mut Guard, file: &QueuedFile) -> Result<(), WriteFailure> {
        let mut operation = self.begin_operation(guard)?;
        self.unqueue_in(guard, &mut operation, file)
    }

    /// The same as a part of an operation.
    pub fn unqueue_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        file: &QueuedFile,
    ) -> Result<(), WriteFailure> {
        self.change_queue(guard, operation, |queue| {
            let name = present(queue, file)?;
            Ok((format!("unqueue {name}"), plan::unqueue(name), ()))
        })
    }

    /// Appends events, the last of which is the request that has waited under this name, and takes
    /// it out of the queue in the same move of the ref: it is in the one or in the other.
    pub fn take_queued_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        name: &FileName,
        drafts: &[Draft],
    ) -> Result<Vec<Appended>, WriteFailure> {
        self.append_queued_in(guard, operation, name, None, drafts)
    }

    /// The same for the first events of a turn, before which a model is told something.
    pub fn take_queued_briefed_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        name: &FileName,
        briefing: &Briefing,
        drafts: &[Draft],
    ) -> Result<Vec<Appended>, WriteFailure> {
        self.append_queued_in(guard, operation, name, Some(briefing), drafts)
    }

    /// What waits in the version that a guard is about to change.
    pub(super) fn queue_in(
        &self,
        id: ConversationId,
        state: &State,
    ) -> Result<BTreeMap<FileName, ObjectId>, LoadError> {
        let commit = state.tip.commit.ok_or(LoadError::Gone(id))?;
        self.queue_at(id, commit).map(|(queue, _)| queue)
    }

    /// Makes one change of the queue, which is decided anew when something else than jp was faster.
    fn change_queue<T>(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        decide: impl Fn(&BTreeMap<FileName, ObjectId>) -> Result<(String, Change, T), QueueError>,
    ) -> Result<T, WriteFailure> {
        let mut decided = None;
        self.write_in(guard, operation, |guard, mut state, operation| {
            let id = guard.id();
            let queue = self.queue_in(id, &state)?;
            let (subject, change, result) =
                decide(&queue).map_err(|source| WriteFailure::Queue { id, source })?;
            let summary = Summary::new(state.heading.clone(), &state.outline);
            let content = Content::Changed(vec![change]);
            let mut scribe = Scribe::new(self, operation);
            let commit = scribe.commit(subject, Origin::User, Some(summary), content);
            let lock = guard.lock();
            let writing = Writing { lock, id, tip: &mut state.tip, commits: &[commit] };
            let written = self.store.write(writing);
            let Written { notes, .. } =
                written.map_err(|source| WriteFailure::write(id, source))?;
            decided = Some(result);
            Ok(Outcome { events: Vec::new(), state, notes })
        })?;
        Ok(decided.expect("whatever was written was decided"))
    }
}

/// The name of a file that is there, and says what it said.
fn present<'a>(
    queue: &BTreeMap<FileName, ObjectId>,
    file: &'a QueuedFile,
) -> Result<&'a FileName, QueueError> {
    match queue.get(&file.name) {
        Some(blob) if *blob == file.blob => Ok(&file.name),
        Some(_) => Err(QueueError::Changed(file.name.clone())),
        None => Err(QueueError::Absent(file.name.clone())),
    }
}

#[cfg(test)]
mod tests;
