//! Handles and guards: proof that a conversation exists, and proof that nobody else writes it.

use std::ops::Deref;

use super::{AppendFailure, SelectError, Workspace};
use crate::{
    model::ConversationId,
    plan::Outline,
    store::{Holder, Lock, LockError, ObjectId, RefError, Space, Tip},
};

/// Proof that a conversation exists; needed to read it.
#[derive(Debug)]
pub struct Handle {
    id: ConversationId,
    commit: ObjectId,
}

impl Handle {
    /// The conversation.
    pub fn id(&self) -> ConversationId {
        self.id
    }

    /// Where it stood when the handle was made.
    pub fn commit(&self) -> ObjectId {
        self.commit
    }
}

/// Proof that a conversation exists and that only this guard writes it; needed to change it.
///
/// ```no_run
/// # use jp::{plan::Draft, workspace::{AppendFailure, Handle, Workspace}};
/// fn append(workspace: &Workspace, handle: Handle, draft: Draft) -> Result<(), AppendFailure> {
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
/// # use jp::{plan::Draft, workspace::{AppendFailure, Handle, Workspace}};
/// fn append(workspace: &Workspace, mut handle: Handle, draft: Draft) -> Result<(), AppendFailure> {
///     workspace.append(&mut handle, &[draft])?;
///     Ok(())
/// }
/// ```
///
/// Nothing can be written after a conversation was removed:
///
/// ```compile_fail,E0382
/// # use jp::{plan::Draft, workspace::{AppendFailure, Guard, Workspace}};
/// fn append(workspace: &Workspace, mut guard: Guard, draft: Draft) -> Result<(), AppendFailure> {
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
}

/// What a guard remembers between two writes, valid as long as the ref has not moved.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) tip: Tip,
    pub(super) outline: Outline,
    pub(super) title: Option<String>,
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
        Self { handle: Handle { id, commit }, lock, state }
    }

    pub(super) fn lock(&self) -> &Lock {
        &self.lock
    }

    pub(super) fn take_state(&mut self) -> Option<State> {
        self.state.take()
    }

    /// Remembers where the conversation stands now.
    pub(super) fn moved_to(&mut self, commit: ObjectId, state: Option<State>) {
        self.handle.commit = commit;
        self.state = state;
    }
}

/// How many candidates an error lists.
const CANDIDATES: usize = 5;

impl Workspace {
    /// The active conversations, by id.
    pub fn ids(&self) -> Result<Vec<(ConversationId, ObjectId)>, RefError> {
        let refs = self.store.list(Space::Heads)?.refs;
        let conversation = |(name, commit): (crate::store::RefName, ObjectId)| {
            let (_, id) = name.conversation()?;
            Some((id.parse().ok()?, commit))
        };
        Ok(refs.into_iter().filter_map(conversation).collect())
    }

    /// The conversation with this id, or the only one whose id begins so.
    pub fn select(&self, given: &str) -> Result<Handle, SelectError> {
        if let Ok(id) = given.parse()
            && let Some(commit) = self.store.tip(Space::Heads, id)?
        {
            return Ok(Handle { id, commit });
        }
        let all = self.ids()?;
        let begins = |(id, _): &&(ConversationId, ObjectId)| {
            let text = id.to_string();
            let digits = text.strip_prefix(ConversationId::PREFIX).unwrap_or(&text);
            !given.is_empty() && (text.starts_with(given) || digits.starts_with(given))
        };
        let matching: Vec<_> = all.iter().filter(begins).collect();
        let given = given.to_owned();
        match matching[..] {
            [(id, commit)] => Ok(Handle { id: *id, commit: *commit }),
            [] => {
                let candidates = nearest(&given, all.iter().map(|(id, _)| *id).collect());
                Err(SelectError::Unknown { given, candidates })
            }
            _ => {
                let newest = matching.iter().rev().take(CANDIDATES);
                let candidates = newest.map(|(id, _)| *id).collect();
                Err(SelectError::Ambiguous { given, candidates, total: matching.len() })
            }
        }
    }

    /// Takes the lock of a conversation, or says at once who has it.
    pub fn lock(&self, handle: Handle) -> Result<Guard, AppendFailure> {
        let id = handle.id;
        let lock = self.store.lock(id, &self.holder()).map_err(|source| match source {
            LockError::Held { .. } => AppendFailure::Locked { id, source },
            source => AppendFailure::Lock(source),
        })?;
        Ok(Guard { handle, lock, state: None })
    }

    /// Moves a conversation to the trash. The guard is used up: nothing can be written after it.
    pub fn remove(&self, guard: Guard) -> Result<ConversationId, RefError> {
        let id = guard.id();
        let Some(commit) = self.store.tip(Space::Heads, id)? else {
            return Ok(id);
        };
        self.store.move_to(&guard.lock, id, Space::Heads, Space::Trash, commit)?;
        Ok(id)
    }

    pub(super) fn holder(&self) -> Holder {
        let session = self.env.var("JP_SESSION").map(|value| value.to_string_lossy().into_owned());
        let acquired_at = self.env.now().to_string();
        Holder { pid: std::process::id(), session, acquired_at }
    }
}

/// The ids that share the longest beginning with a text, newest first.
fn nearest(given: &str, mut ids: Vec<ConversationId>) -> Vec<ConversationId> {
    let shared = |id: &ConversationId| {
        let text = id.to_string();
        text.bytes().zip(given.bytes()).take_while(|(one, other)| one == other).count()
    };
    ids.sort_by_key(|id| std::cmp::Reverse((shared(id), *id)));
    ids.truncate(CANDIDATES);
    ids
}
