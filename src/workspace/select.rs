//! Which conversation is meant: an id, the beginning of one, or a word.

use std::collections::BTreeSet;

use super::{Handle, SelectError, Session, Workspace};
use crate::{
    model::ConversationId,
    store::{Commit, ObjectId, RefError, RefName, Refs, Space},
};

/// How many candidates an error lists.
const CANDIDATES: usize = 5;

/// How a conversation is named. No id begins as a word does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector<'a> {
    /// The one that this user turned to last, in whatever terminal.
    LastActivated,
    /// The newest one.
    LastCreated,
    /// The one that this terminal was about before.
    Previous,
    /// The one whose id is this, or begins so.
    Id(&'a str),
}

impl<'a> Selector<'a> {
    /// The words, and what each means.
    pub const WORDS: [(&'static str, Self); 5] = [
        ("last", Self::LastActivated),
        ("last-activated", Self::LastActivated),
        ("last-created", Self::LastCreated),
        ("previous", Self::Previous),
        ("prev", Self::Previous),
    ];

    /// Whether a text was perhaps meant as one of the words: no id begins as they do.
    pub fn resembles_a_word(text: &str) -> bool {
        let first = text.chars().next().map(|first| first.to_ascii_lowercase());
        Selector::WORDS.iter().any(|(word, _)| word.chars().next() == first)
    }

    /// Reads how a conversation is named.
    pub fn of(text: &'a str) -> Self {
        let word = Selector::WORDS.into_iter().find(|(word, _)| *word == text);
        word.map_or(Self::Id(text), |(_, selector)| selector)
    }
}

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

    /// The conversation that is named like this.
    pub fn select(&self, given: &str) -> Result<Handle, SelectError> {
        match Selector::of(given) {
            Selector::LastActivated => self.last_activated()?.ok_or(SelectError::NoneYet),
            Selector::LastCreated => {
                let newest = self.newest(|id, _| Some(id))?;
                newest.ok_or(SelectError::NoneYet)
            }
            Selector::Previous => {
                let session = Session::of(&self.env).ok_or(SelectError::NoSession)?;
                let (mapping, unread) = self.session_mapping(&session);
                let none = unread.map_or(SelectError::NoPrevious, SelectError::Unread);
                let id = mapping.previous().ok_or(none)?;
                self.whereabouts(id)?.ok_or(SelectError::Gone(id))
            }
            Selector::Id(given) => self.select_by_id(given),
        }
    }

    /// The conversation with this id, or the only one whose id begins so: an active one, else an
    /// archived one, else one in the trash.
    fn select_by_id(&self, given: &str) -> Result<Handle, SelectError> {
        if let Ok(id) = given.parse()
            && let Some(handle) = self.whereabouts(id)?
        {
            return Ok(handle);
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
        let mut buffer = Vec::new();
        self.newest(|_, commit| {
            let read = Commit::read(self.store.objects(), commit, &mut buffer);
            read.ok().map(|read| read.committed.instant())
        })
    }

    /// The active conversation with the highest key, of equal ones the newest. One without a key
    /// does not count.
    pub(super) fn newest<K: Ord>(
        &self,
        mut key: impl FnMut(ConversationId, ObjectId) -> Option<K>,
    ) -> Result<Option<Handle>, RefError> {
        let keyed = self.ids()?.into_iter().filter_map(|(id, commit)| {
            let key = key(id, commit)?;
            Some(((key, id), commit))
        });
        let newest = keyed.max_by(|(one, _), (other, _)| one.cmp(other));
        Ok(newest.map(|((_, id), commit)| Handle::new(id, Space::Heads, commit)))
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
