//! Handles and guards: proof that a conversation exists, and proof that nobody else writes it.

use std::{collections::BTreeSet, ops::Deref};

use super::{AppendFailure, LoadError, SelectError, Workspace};
use crate::{
    model::ConversationId,
    plan::{Heading, Outline},
    store::{Commit, Holder, Lock, ObjectId, RefError, RefName, Space, Tip},
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

/// How many candidates an error lists.
const CANDIDATES: usize = 5;

impl Workspace {
    /// The active conversations, by id.
    pub fn ids(&self) -> Result<Vec<(ConversationId, ObjectId)>, RefError> {
        self.ids_in(Space::Heads)
    }

    /// The conversations of a space, by id. One that is half moved is where it was found first.
    pub fn ids_in(&self, space: Space) -> Result<Vec<(ConversationId, ObjectId)>, RefError> {
        self.keep_strongest(space, self.store.list(space)?.refs)
    }

    /// The conversations among refs of a space, without those that are half moved and count as
    /// being in a stronger space.
    pub(super) fn keep_strongest(
        &self,
        space: Space,
        refs: Vec<(RefName, ObjectId)>,
    ) -> Result<Vec<(ConversationId, ObjectId)>, RefError> {
        let mut ids = conversations(refs);
        for stronger in space.stronger() {
            let hidden = conversations(self.store.list(*stronger)?.refs);
            let hidden: BTreeSet<_> = hidden.into_iter().map(|(id, _)| id).collect();
            ids.retain(|(id, _)| !hidden.contains(id));
        }
        Ok(ids)
    }

    /// The conversation with this id, or the only one whose id begins so: an active one, else an
    /// archived one, else one in the trash.
    pub fn select(&self, given: &str) -> Result<Handle, SelectError> {
        if let Ok(id) = given.parse() {
            for space in Space::ALL {
                if let Some(commit) = self.store.tip(space, id)? {
                    return Ok(Handle { id, space, commit });
                }
            }
        }
        let mut known = Vec::new();
        for space in Space::ALL {
            let all = self.ids_in(space)?;
            let begins = |(id, _): &&(ConversationId, ObjectId)| is_beginning(given, *id);
            let matching: Vec<_> = all.iter().filter(begins).collect();
            let given = given.to_owned();
            match matching[..] {
                [] => known.extend(all.into_iter().map(|(id, _)| id)),
                [(id, commit)] => return Ok(Handle { id: *id, space, commit: *commit }),
                _ => {
                    let newest = matching.iter().rev().take(CANDIDATES);
                    let candidates = newest.map(|(id, _)| *id).collect();
                    return Err(SelectError::Ambiguous {
                        given,
                        candidates,
                        total: matching.len(),
                    });
                }
            }
        }
        let given = given.to_owned();
        let candidates = nearest(&given, known);
        Err(SelectError::Unknown { given, candidates })
    }

    /// The active conversation that was changed last; `None` if there is none.
    pub fn last_changed(&self) -> Result<Option<Handle>, RefError> {
        let mut last = None;
        let mut buffer = Vec::new();
        for (id, commit) in self.ids()? {
            let Ok(read) = Commit::read(self.store.objects(), commit, &mut buffer) else {
                continue;
            };
            let key = (read.committed.instant(), id);
            if last.as_ref().is_none_or(|(newest, _)| *newest < key) {
                last = Some((key, commit));
            }
        }
        Ok(last.map(|((_, id), commit)| Handle { id, space: Space::Heads, commit }))
    }

    /// Takes the lock of a conversation, or says at once who has it.
    pub fn lock(&self, handle: Handle) -> Result<Guard, AppendFailure> {
        let (id, space) = (handle.id, handle.space);
        if space != Space::Heads {
            return Err(AppendFailure::PutAway { id, space });
        }
        let lock = self.lock_of(id)?;
        // Whoever had the lock before may have moved it.
        let commit = self.store.tip(space, id)?.ok_or(LoadError::Gone(id))?;
        Ok(Guard { handle: handle.at(commit), lock, state: None, notes: Vec::new() })
    }

    pub(super) fn holder(&self) -> Holder {
        let session = self.env.var("JP_SESSION").map(|value| value.to_string_lossy().into_owned());
        let acquired_at = self.env.now().to_string();
        Holder { pid: std::process::id(), session, acquired_at }
    }
}

fn conversations(refs: Vec<(RefName, ObjectId)>) -> Vec<(ConversationId, ObjectId)> {
    let conversation = |(name, commit): (RefName, ObjectId)| {
        let (_, id) = name.conversation()?;
        Some((id.parse().ok()?, commit))
    };
    refs.into_iter().filter_map(conversation).collect()
}

/// Whether an id begins with a text, with or without what every id begins with.
fn is_beginning(given: &str, id: ConversationId) -> bool {
    let text = id.to_string();
    let digits = text.strip_prefix(ConversationId::PREFIX).unwrap_or(&text);
    !given.is_empty() && (text.starts_with(given) || digits.starts_with(given))
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
