//! Putting conversations away and bringing them back: their refs move from one space to another.

use gix::ObjectId;

use super::{
    Commit, Identity, Lock, ObjectError, RefError, Space, Store,
    refs::{self, Expected, LogLine},
};
use crate::{
    fsutil::FsError,
    model::{ConversationId, Timestamp},
};

/// Why a conversation was not moved.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum MoveError {
    #[error("`{}{id}` is another conversation already", to.prefix())]
    Taken { id: ConversationId, to: Space },
    #[error(transparent)]
    Ref(#[from] RefError),
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error(transparent)]
    Object(#[from] ObjectError),
}

/// Who moves a conversation, and when.
#[derive(Clone, Debug)]
pub struct Mover {
    /// The person.
    pub identity: Identity,
    /// The time.
    pub time: Timestamp,
}

impl Store {
    /// Moves a conversation from one space to another. The lock is the permission. If it is in
    /// both, as after a crash, it counts as being in the stronger one.
    pub fn move_to(
        &self,
        _lock: &Lock,
        id: ConversationId,
        from: Space,
        to: Space,
        commit: ObjectId,
        mover: &Mover,
    ) -> Result<(), MoveError> {
        let (old, new) = (Self::ref_name(from, id), Self::ref_name(to, id));
        match refs::update(self.path(), &new, Expected::Absent, commit) {
            // A process that was killed got as far as this, or not quite: before the old ref goes,
            // the new one has to be on disk.
            Err(RefError::Moved { actual: Some(actual), .. }) if actual == commit => {
                refs::confirm(self.path(), &new)?;
            }
            // It did, and the conversation went on since.
            Err(RefError::Moved { actual: Some(actual), .. })
                if to.stronger().contains(&from) && self.is_ancestor(actual, commit)? =>
            {
                refs::update(self.path(), &new, Expected::Is(actual), commit)?;
            }
            Err(RefError::Moved { .. }) => return Err(MoveError::Taken { id, to }),
            moved => moved?,
        }
        self.clear_all_but(&[from, to], id, commit)?;
        let message = message(from, to);
        let signature = mover.identity.signature(mover.time);
        refs::log::add(self.path(), &old, &new, commit, &LogLine { signature, message })?;
        Ok(refs::delete(self.path(), &old, Expected::Is(commit))?)
    }

    /// Removes what killed moves left of a conversation in other spaces than its own. The lock is
    /// the permission.
    pub fn clear_others(
        &self,
        _lock: &Lock,
        id: ConversationId,
        own: Space,
        commit: ObjectId,
    ) -> Result<(), MoveError> {
        self.clear_all_but(&[own], id, commit)
    }

    /// Removes what killed moves left elsewhere: an old version would come back to light.
    fn clear_all_but(
        &self,
        kept: &[Space],
        id: ConversationId,
        commit: ObjectId,
    ) -> Result<(), MoveError> {
        for space in Space::ALL.into_iter().filter(|space| !kept.contains(space)) {
            let Some(left) = self.tip(space, id)? else { continue };
            if !self.is_ancestor(left, commit)? {
                return Err(MoveError::Taken { id, to: space });
            }
            let name = Self::ref_name(space, id);
            refs::delete(self.path(), &name, Expected::Is(left))?;
            refs::log::remove(self.path(), &name)?;
        }
        Ok(())
    }

    /// Removes a conversation from the trash for good. The lock is the permission.
    pub fn forget(
        &self,
        _lock: &Lock,
        id: ConversationId,
        commit: ObjectId,
    ) -> Result<(), MoveError> {
        let name = Self::ref_name(Space::Trash, id);
        refs::delete(self.path(), &name, Expected::Is(commit))?;
        Ok(refs::log::remove(self.path(), &name)?)
    }

    /// When a conversation was put where it is, if that is known.
    pub fn moved_at(&self, space: Space, id: ConversationId) -> Option<Timestamp> {
        refs::log::last_moved(self.path(), &Self::ref_name(space, id))
    }

    /// Where a conversation was before it was put where it is, if that is known.
    pub fn moved_from(&self, space: Space, id: ConversationId) -> Option<Space> {
        let said = refs::log::last_message(self.path(), &Self::ref_name(space, id))?;
        Space::ALL.into_iter().find(|from| message(*from, space) == said)
    }

    fn is_ancestor(&self, ancestor: ObjectId, of: ObjectId) -> Result<bool, ObjectError> {
        let mut buffer = Vec::new();
        let mut next = Some(of);
        while let Some(id) = next {
            if id == ancestor {
                return Ok(true);
            }
            next = Commit::read(&self.objects, id, &mut buffer)?.parents.first().copied();
        }
        Ok(false)
    }
}

fn message(from: Space, to: Space) -> String {
    format!("jp: from {} to {}", from.name(), to.name())
}
