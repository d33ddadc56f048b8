//! Putting conversations away, bringing them back, and emptying the trash.

use super::{Guard, Hold, LoadError, Overview, Row, Workspace, WriteFailure};
use crate::{
    model::{ConversationId, Timestamp},
    store::{MaintenanceError, MoveError, Mover, ObjectId, Purged, RefError, Space},
};

/// What is in the trash.
#[derive(Debug)]
pub struct Trash {
    /// The conversations, last changed first.
    pub conversations: Vec<Trashed>,
    /// Refs that cannot be read.
    pub problems: Vec<RefError>,
}

/// A conversation in the trash.
#[derive(Clone, Debug)]
pub struct Trashed {
    /// The conversation.
    pub row: Row,
    /// When it was put there, if that is known.
    pub since: Option<Timestamp>,
}

impl Workspace {
    /// Moves a conversation to another space. The hold is used up.
    pub fn shelve(&self, hold: Hold, to: Space) -> Result<(), WriteFailure> {
        let (id, from) = (hold.id(), hold.space());
        if from == to {
            return Ok(());
        }
        let commit = self.store.tip(from, id)?.ok_or(LoadError::Gone(id))?;
        Ok(self.store.move_to(&hold.lock, id, from, to, commit, &self.mover())?)
    }

    /// Moves a conversation to the trash. The guard is used up: nothing can be written after it.
    pub fn remove(&self, guard: Guard) -> Result<ConversationId, MoveError> {
        let id = guard.id();
        let Some(commit) = self.store.tip(Space::Heads, id)? else {
            return Ok(id);
        };
        let mover = self.mover();
        self.store.move_to(guard.lock(), id, Space::Heads, Space::Trash, commit, &mover)?;
        Ok(id)
    }

    /// Looks into the trash.
    pub fn trash(&self) -> Result<Trash, RefError> {
        let Overview { rows, problems } = self.overview(Space::Trash)?;
        let trashed = |row: Row| {
            let since = self.store.moved_at(Space::Trash, row.id);
            Trashed { row, since }
        };
        Ok(Trash { conversations: rows.into_iter().map(trashed).collect(), problems })
    }

    /// Removes a conversation from the trash for good, if it still is as it was seen. The hold is
    /// used up.
    pub fn forget(&self, hold: Hold, seen: ObjectId) -> Result<(), WriteFailure> {
        Ok(self.store.forget(&hold.lock, hold.id(), seen)?)
    }

    /// Throws away what no conversation reaches any more.
    pub fn purge(&self) -> Result<Purged, MaintenanceError> {
        self.store.purge(&self.env)
    }

    fn mover(&self) -> Mover {
        Mover { identity: self.user(), time: self.env.now() }
    }
}
