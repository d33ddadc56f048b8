//! Handles and guards: proof that a conversation exists, and proof that nobody else writes it.

use std::ops::Deref;

use super::{LoadError, Workspace, WriteFailure};
use crate::{
    model::ConversationId,
    plan::{Heading, Outline},
    store::{Holder, Lock, LockError, ObjectId, Space, Tip},
};

/// Proof that a conversation exists, as it was at one of its commits; needed to read it.
#[derive(Clone, Debug)]
pub struct Handle {
    id: ConversationId,
    space: Space,
    commit: ObjectId,
}

impl Handle {
    pub(super) fn new(id: ConversationId, space: Space, commit: ObjectId) -> Self {
        Self { id, space, commit }
    }

    /// The conversation.
    pub fn id(&self) -> ConversationId {
        self.id
    }

    /// Where it is kept.
    pub fn space(&self) -> Space {
        self.space
    }

    /// The commit that is read through this handle: where the conversation stood when the handle
    /// was made, or an earlier one.
    pub fn commit(&self) -> ObjectId {
        self.commit
    }

    /// The same conversation as it was at another commit.
    pub fn at(&self, commit: ObjectId) -> Self {
        Self { commit, ..*self }
    }
}

/// Proof that a conversation exists and that only this guard writes it; needed to change it.
///
/// ```no_run
/// # use jp::{plan::Draft, workspace::{WriteFailure, Handle, Workspace}};
/// fn append(workspace: &Workspace, handle: Handle, draft: Draft) -> Result<(), WriteFailure> {
///     let mut guard = workspace.lock(handle)?;
///     workspace.append(&mut guard, &[draft])?;
///     workspace.remove(guard)?;
///     Ok(())
/// }
/// ```
///
/// A handle alone does not let anybody write:
///
/// ```compile_fail,E0308
/// # use jp::{plan::Draft, workspace::{WriteFailure, Handle, Workspace}};
/// fn append(workspace: &Workspace, mut handle: Handle, draft: Draft) -> Result<(), WriteFailure> {
///     workspace.append(&mut handle, &[draft])?;
///     Ok(())
/// }
/// ```
///
/// Nothing can be written after a conversation was removed:
///
/// ```compile_fail,E0382
/// # use jp::{plan::Draft, workspace::{WriteFailure, Guard, Workspace}};
/// fn append(workspace: &Workspace, mut guard: Guard, draft: Draft) -> Result<(), WriteFailure> {
///     workspace.remove(guard)?;
///     workspace.append(&mut guard, &[draft])?;
///     Ok(())
/// }
/// ```
#[must_use = "the conversation is locked until this is dropped"]
#[derive(Debug)]
pub struct Guard {
    handle: Handle,
    lock: Lock,
    state: Option<State>,
    notes: Vec<String>,
}

/// What a guard remembers between two writes, valid as long as the ref has not moved.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) tip: Tip,
    pub(super) outline: Outline,
    pub(super) heading: Heading,
}

impl Deref for Guard {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.handle
    }
}

impl Guard {
    pub(super) fn new(
        id: ConversationId,
        commit: ObjectId,
        lock: Lock,
        state: Option<State>,
    ) -> Self {
        Self { handle: Handle { id, space: Space::Heads, commit }, lock, state, notes: Vec::new() }
    }

    pub(super) fn lock(&self) -> &Lock {
        &self.lock
    }

    pub(super) fn take_state(&mut self) -> Option<State> {
        self.state.take()
    }

    /// What the user should hear about, beside what was asked for.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    pub(super) fn note(&mut self, notes: Vec<String>) {
        self.notes.extend(notes);
    }

    /// Remembers where the conversation stands now.
    pub(super) fn moved_to(&mut self, commit: ObjectId, state: Option<State>) {
        self.handle.commit = commit;
        self.state = state;
    }
}

impl Workspace {
    /// Takes the lock of a conversation, or says at once who has it.
    pub fn lock(&self, handle: Handle) -> Result<Guard, WriteFailure> {
        let (id, space) = (handle.id, handle.space);
        if space != Space::Heads {
            return Err(WriteFailure::PutAway { id, space });
        }
        let lock = self.lock_of(id)?;
        // Whoever had the lock before may have moved it.
        let commit = self.store.tip(space, id)?.ok_or(LoadError::Gone(id))?;
        Ok(Guard { handle: handle.at(commit), lock, state: None, notes: Vec::new() })
    }

    pub(super) fn lock_of(&self, id: ConversationId) -> Result<Lock, WriteFailure> {
        self.store.lock(id, &self.holder()).map_err(|source| match source {
            LockError::Held { .. } => WriteFailure::Locked { id, source },
            source => WriteFailure::Lock(source),
        })
    }

    pub(super) fn holder(&self) -> Holder {
        let session = self.env.var("JP_SESSION").map(|value| value.to_string_lossy().into_owned());
        let acquired_at = self.env.now().to_string();
        Holder { pid: std::process::id(), session, acquired_at }
    }
}
