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
    model::{ConversationId, Event, Timestamp},
    plan::{self, Briefing, Change, Draft, QueueError, Summary},
    store::{Content, Listing, ObjectId, Origin, Writing, Written},
};

/// A file that waits in a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Queued {
    /// Its name, with its place in the queue.
    pub name: FileName,
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
}

impl Workspace {
    /// What waits in a version of a conversation, in its order, as far as it can be read. None of
    /// its events is read.
    pub fn queue(&self, handle: &Handle) -> Result<Vec<Queued>, LoadError> {
        let id = handle.id();
        let object = |source| LoadError::object(id, source);
        let commit = self.store.commit(handle.commit()).map_err(object)?;
        let top = Listing::top(self.store.objects(), &commit.tree).map_err(object)?;
        Ok(self.read_queue(&top.queue, commit.committed))
    }

    /// The names of all that waits in a version of a conversation, whether it can be read or not.
    pub fn queue_names(&self, handle: &Handle) -> Result<Vec<FileName>, LoadError> {
        let object = |source| LoadError::object(handle.id(), source);
        let commit = self.store.commit(handle.commit()).map_err(object)?;
        let top = Listing::top(self.store.objects(), &commit.tree).map_err(object)?;
        let mut names: Vec<_> = top.queue.into_keys().collect();
        names.sort_by_key(FileName::address);
        Ok(names)
    }

    /// What waits in a conversation that is loaded, in its order, as far as it can be read.
    pub fn queued(&self, conversation: &Conversation) -> Vec<Queued> {
        let snapshot = &conversation.snapshot;
        let top = snapshot.listings.get(&None);
        top.map_or_else(Vec::new, |top| self.read_queue(&top.queue, snapshot.commit.committed))
    }

    fn read_queue(
        &self,
        queue: &BTreeMap<FileName, ObjectId>,
        committed: Timestamp,
    ) -> Vec<Queued> {
        let mut queue: Vec<_> = queue.iter().collect();
        queue.sort_by_key(|(name, _)| name.address());
        let read = |(name, blob): (&FileName, &ObjectId)| {
            let bytes = self.store.objects().blob(blob, limits::EVENT_FILE).ok()?;
            let decoded = decode(&bytes, name.form(), name.hinted_type(), committed);
            let Decoded { event, .. } = decoded.ok()?;
            Some(Queued { name: name.clone(), bytes, event })
        };
        queue.into_iter().filter_map(read).collect()
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
        name: &FileName,
        draft: &Draft,
    ) -> Result<(), WriteFailure> {
        let mut operation = self.begin_operation(guard)?;
        self.change_queue(guard, &mut operation, |queue| {
            present(queue, name)?;
            Ok((format!("queue {name} anew"), plan::requeue(name, draft)?, ()))
        })
    }

    /// Lets a request wait no longer, without asking it.
    pub fn unqueue(&self, guard: &mut Guard, name: &FileName) -> Result<(), WriteFailure> {
        let mut operation = self.begin_operation(guard)?;
        self.change_queue(guard, &mut operation, |queue| {
            present(queue, name)?;
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
        let object = |source| LoadError::object(id, source);
        let commit = state.tip.commit.ok_or(LoadError::Gone(id))?;
        let commit = self.store.commit(commit).map_err(object)?;
        Ok(Listing::top(self.store.objects(), &commit.tree).map_err(object)?.queue)
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

fn present(queue: &BTreeMap<FileName, ObjectId>, name: &FileName) -> Result<(), QueueError> {
    match queue.contains_key(name) {
        true => Ok(()),
        false => Err(QueueError::Absent(name.clone())),
    }
}

#[cfg(test)]
mod tests;
