//! Handles and guards: proof that a conversation exists, and proof that nobody else writes it.

use std::ops::Deref;

use super::{Hold, Workspace, WriteFailure};
use crate::{
    model::ConversationId,
    plan::{Heading, Outline},
    store::{Lock, ObjectId, Space, Tip},
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

    /// Refuses what has been put away: it is not changed.
    pub fn check_active(&self) -> Result<(), WriteFailure> {
        match (self.id, self.space) {
            (_, Space::Heads) => Ok(()),
            (id, space) => Err(WriteFailure::PutAway { id, space }),
        }
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
/// All that there is compiles with one:
///
/// ```no_run
/// # use jp::model::{AnswerId, Finish, Usage};
/// # use jp::{plan::Draft, store::{ObjectId, Space}, workspace::*};
/// # fn change(workspace: &Workspace, mut guard: Guard, hold: [Hold; 3], mut operation: Operation,
/// #     draft: Draft, revision: Revision, seen: ObjectId, block: (&Appended, &AnswerId),
/// #     finish: &Finish, usage: &Usage) {
/// let _ = workspace.append_in(&mut guard, &mut operation, &[draft.clone()]);
/// let _ = workspace.set_aside_in(&mut guard, &mut operation, &draft);
/// let _ = workspace.enqueue_in(&mut guard, &mut operation, &draft);
/// let _ = workspace.begin_operation(&guard);
/// let _ = workspace.revise(&mut guard, revision);
/// let _ = workspace.revise_meta(&mut guard, "title", |meta| meta.title = None);
/// let _ = workspace.revise_meta_in(&mut guard, &mut operation, "title", |meta| meta.title = None);
/// let _ = workspace.mend(&mut guard);
/// let _ = workspace.catch_up(&mut guard);
/// let _ = workspace.keep_trying(&mut guard, |_| Ok(()));
/// let _ = workspace.seal_in(&mut guard, &mut operation, block, finish, usage);
/// let [one, two, three] = hold;
/// let _ = workspace.shelve(one, Space::Archive);
/// let _ = workspace.forget(two, seen);
/// let _ = workspace.guard(three);
/// # }
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
/// ```compile_fail,E0308
/// # use jp::{plan::Draft, workspace::*};
/// # fn change(workspace: &Workspace, mut handle: Handle, mut operation: Operation, draft: Draft,
/// #     revision: Revision) {
/// let _ = workspace.append_in(&mut handle, &mut operation, &[draft]);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::{plan::Draft, workspace::*};
/// # fn change(workspace: &Workspace, mut handle: Handle, mut operation: Operation, draft: Draft,
/// #     revision: Revision) {
/// let _ = workspace.set_aside_in(&mut handle, &mut operation, &draft);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::{plan::Draft, workspace::*};
/// # fn change(workspace: &Workspace, mut handle: Handle, mut operation: Operation, draft: Draft,
/// #     revision: Revision) {
/// let _ = workspace.enqueue_in(&mut handle, &mut operation, &draft);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::{plan::Draft, workspace::*};
/// # fn change(workspace: &Workspace, mut handle: Handle, mut operation: Operation, draft: Draft,
/// #     revision: Revision) {
/// let _ = workspace.begin_operation(&handle);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::{plan::Draft, workspace::*};
/// # fn change(workspace: &Workspace, mut handle: Handle, mut operation: Operation, draft: Draft,
/// #     revision: Revision) {
/// let _ = workspace.revise(&mut handle, revision);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::{plan::Draft, workspace::*};
/// # fn change(workspace: &Workspace, mut handle: Handle, mut operation: Operation, draft: Draft,
/// #     revision: Revision) {
/// let _ = workspace.revise_meta(&mut handle, "title", |meta| meta.title = None);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::{plan::Draft, workspace::*};
/// # fn change(workspace: &Workspace, mut handle: Handle, mut operation: Operation, draft: Draft,
/// #     revision: Revision) {
/// let _ = workspace.revise_meta_in(&mut handle, &mut operation, "title", |meta| meta.title = None);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::{plan::Draft, workspace::*};
/// # fn change(workspace: &Workspace, mut handle: Handle, mut operation: Operation, draft: Draft,
/// #     revision: Revision) {
/// let _ = workspace.mend(&mut handle);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::{plan::Draft, workspace::*};
/// # fn change(workspace: &Workspace, mut handle: Handle, mut operation: Operation, draft: Draft,
/// #     revision: Revision) {
/// let _ = workspace.remove(handle);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::{model::{AnswerId, Finish, Usage}, workspace::*};
/// # fn change(workspace: &Workspace, mut handle: Handle, mut operation: Operation,
/// #     block: (&Appended, &AnswerId), finish: &Finish, usage: &Usage) {
/// let _ = workspace.seal_in(&mut handle, &mut operation, block, finish, usage);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::workspace::*;
/// # fn change(workspace: &Workspace, mut handle: Handle) {
/// let _ = workspace.catch_up(&mut handle);
/// # }
/// ```
///
/// Nor is a conversation moved or forgotten without its lock, nor changed where it was put away:
///
/// ```compile_fail,E0308
/// # use jp::{store::{ObjectId, Space}, workspace::*};
/// # fn change(workspace: &Workspace, handle: Handle, seen: ObjectId) {
/// let _ = workspace.shelve(handle, Space::Archive);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::{store::{ObjectId, Space}, workspace::*};
/// # fn change(workspace: &Workspace, handle: Handle, seen: ObjectId) {
/// let _ = workspace.forget(handle, seen);
/// # }
/// ```
///
/// ```compile_fail,E0308
/// # use jp::{store::{ObjectId, Space}, workspace::*};
/// # fn change(workspace: &Workspace, handle: Handle, seen: ObjectId) {
/// let _ = workspace.guard(handle);
/// # }
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
        handle.check_active()?;
        self.guard(self.hold(&handle)?)
    }

    /// Goes on with a conversation whose lock has been taken, to change it.
    pub fn guard(&self, hold: Hold) -> Result<Guard, WriteFailure> {
        let Hold { handle, lock } = hold;
        handle.check_active()?;
        Ok(Guard { handle, lock, state: None, notes: Vec::new() })
    }
}
