//! New conversations: an id that nobody has, and forks of what is there.

use super::{Guard, Handle, Workspace, WriteFailure, scribe::Scribe};
use crate::{
    model::ConversationId,
    plan::{Change, Summary},
    store::{Content, Lock, LockError, Origin, Tip, WriteError, Writing},
};

impl Workspace {
    /// Finds an id that nobody has, locks it, and writes: the id is the time, or the next free one.
    pub(super) fn begin<T>(
        &self,
        mut write: impl FnMut(&Lock, ConversationId) -> Result<T, WriteFailure>,
    ) -> Result<(ConversationId, Lock, T), WriteFailure> {
        let mut id = ConversationId::at(self.env.now());
        loop {
            let lock = match self.store.lock(id, &self.holder()) {
                Ok(lock) => lock,
                Err(LockError::Held { .. }) => {
                    id = id.next();
                    continue;
                }
                Err(error) => return Err(WriteFailure::Lock(error)),
            };
            if self.store.knows(id)? {
                id = id.next();
                continue;
            }
            match write(&lock, id) {
                Ok(written) => return Ok((id, lock, written)),
                Err(WriteFailure::Write { source: WriteError::Moved, .. }) => id = id.next(),
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes a conversation that goes on from a version of another one, with changes of its tree.
    pub fn branch(
        &self,
        source: &Handle,
        changes: &[Change],
        summary: Option<&Summary>,
        remarks: &[String],
    ) -> Result<Guard, WriteFailure> {
        let (from, commit) = (source.id(), source.commit());
        let tree = self.directory(from, commit)?;
        let (id, lock, written) = self.begin(|lock, id| {
            let mut tip = Tip { commit: Some(commit), tree: tree.clone() };
            let mut operation = self.new_operation(None)?;
            let mut scribe = Scribe::new(self, &mut operation);
            let content = Content::Changed(changes.to_vec());
            let subject = format!("fork {from} as {id}");
            let mut new = scribe.commit(subject, Origin::User, summary.cloned(), content);
            new.description.begins = Some(id);
            new.description.body = remarks.to_vec();
            let written = self.store.branch(Writing { lock, id, tip: &mut tip, commits: &[new] });
            written.map_err(|source| WriteFailure::write(id, source))
        })?;
        let commit = written.commits.last().copied().unwrap_or(commit);
        let mut guard = Guard::new(id, commit, lock, None);
        self.tidy(&mut guard, written.notes);
        Ok(guard)
    }

    /// Tidies up after a write, and has the guard tell what happened beside. Whether that worked
    /// says nothing about what was saved.
    pub(super) fn tidy(&self, guard: &mut Guard, mut notes: Vec<String>) {
        let tidied = self.store.tidy(&self.holder(), guard.lock());
        notes.extend(tidied.err().map(|error| format!("the store could not be packed: {error}")));
        guard.note(notes);
    }
}
