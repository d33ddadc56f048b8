//! A commit with everything that it says: who wrote it, what jp wrote down beside.

use gix::ObjectId;

use super::{
    Identity, Links, ObjectError, Objects, Origin,
    commit::{BASE, BEGINS, Head, OPERATION, ORIGIN, REDO, STANDS_FOR, TURN},
};
use crate::{
    model::{ConversationId, Timestamp},
    plan::{Summary, Trailers},
};

/// A commit with everything that it says.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its id.
    pub id: ObjectId,
    /// The tree of the conversation.
    pub tree: ObjectId,
    /// What it came after.
    pub parents: Vec<ObjectId>,
    /// When it was committed.
    pub committed: Timestamp,
    /// Who wrote the event.
    pub author: Identity,
    /// When the event happened.
    pub authored: Timestamp,
    /// What jp wrote down beside; `None` if something else made the commit.
    pub deed: Option<Deed>,
    /// How many events its tree has; `None` if it does not say so.
    pub events: Option<u64>,
    message: String,
}

/// What jp writes down with a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// What commits of one command share.
    pub operation: String,
    /// Who brought it about.
    pub origin: Origin,
    /// The turn that it belongs to.
    pub turn: Option<u64>,
    /// The other commits that it speaks of.
    pub links: Links,
    /// The conversation that begins with it.
    pub begins: Option<ConversationId>,
}

impl Record {
    /// Reads a commit.
    pub fn read(
        objects: &Objects,
        id: ObjectId,
        buffer: &mut Vec<u8>,
    ) -> Result<Self, ObjectError> {
        let head = Head::read(objects, id, buffer)?;
        let (author, authored) = match head.parsed.author() {
            Ok(author) => {
                let (name, email) = (author.name.to_string(), author.email.to_string());
                let seconds = author.time().map_or(0, |time| time.seconds);
                (Identity { name, email }, Timestamp::from_seconds(seconds))
            }
            Err(_) => (Identity::new("", ""), Timestamp::from_seconds(0)),
        };
        let Head { tree, parents, committed, message, .. } = head;
        let trailers = Trailers::last_of(&message);
        let deed = Deed::read(&trailers);
        let events = Summary::events_in(&trailers, &tree.to_string());
        let message = message.into_owned();
        Ok(Self { id, tree, parents, committed, author, authored, deed, events, message })
    }

    /// The first line of its message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// The first of the commits that it came after.
    pub fn parent(&self) -> Option<ObjectId> {
        self.parents.first().copied()
    }

    /// The summary of its tree, if it is there and speaks of that tree.
    pub fn summary(&self) -> Option<Summary> {
        Summary::from_message(&self.message, &self.tree.to_string())
    }
}

impl Deed {
    fn read(trailers: &Trailers<'_>) -> Option<Self> {
        let operation = trailers.find(OPERATION)?;
        let link = |key: &str| ObjectId::from_hex(trailers.find(key)?.as_bytes()).ok();
        Some(Self {
            operation: operation.to_owned(),
            origin: trailers.find(ORIGIN).and_then(|w| w.parse().ok()).unwrap_or(Origin::Edit),
            turn: match trailers.find(TURN) {
                Some(turn) => turn.parse().ok(),
                None => Summary::turns_in(trailers).and_then(|turns| turns.checked_sub(1)),
            },
            links: Links { base: link(BASE), stands_for: link(STANDS_FOR), redo: link(REDO) },
            begins: trailers.find(BEGINS).and_then(|id| id.parse().ok()),
        })
    }
}
