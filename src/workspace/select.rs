//! Which conversation is meant: an id, the beginning of one, or the one last changed.

use std::collections::BTreeSet;

use super::{Handle, SelectError, Workspace};
use crate::{
    model::ConversationId,
    store::{Commit, ObjectId, RefError, RefName, Refs, Space},
};

/// How many candidates an error lists.
const CANDIDATES: usize = 5;

impl Workspace {
    /// The active conversations, by id.
    pub fn ids(&self) -> Result<Vec<(ConversationId, ObjectId)>, RefError> {
        self.ids_in(Space::Heads)
    }

    /// The conversations of a space as they stand now, unread, and the refs that cannot be read.
    pub fn handles(&self, space: Space) -> Result<(Vec<Handle>, Vec<RefError>), RefError> {
        let Refs { refs, problems } = self.store.list(space)?;
        let ids = self.keep_strongest(space, refs)?.into_iter();
        Ok((ids.map(|(id, commit)| Handle::new(id, space, commit)).collect(), problems))
    }

    /// The conversations of a space, by id. One that is half moved is where it was found first.
    fn ids_in(&self, space: Space) -> Result<Vec<(ConversationId, ObjectId)>, RefError> {
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
                    return Ok(Handle::new(id, space, commit));
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
                [(id, commit)] => return Ok(Handle::new(*id, space, *commit)),
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
        Ok(last.map(|((_, id), commit)| Handle::new(id, Space::Heads, commit)))
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
