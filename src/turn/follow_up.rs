//! What can be done to the queue of a conversation while a turn goes on.

use crate::model::Event;

/// What is to be done to the queue.
#[derive(Clone, Debug, PartialEq)]
pub enum FollowUp {
    /// This request is to be asked when the turn is complete.
    Ask(Event),
    /// This one is not to be asked any more.
    Drop(Waiting),
    /// This request is to be asked in the place of one that waits.
    Change(Waiting, Event),
}

/// A follow-up that waits, as somebody has read it: its number may be that of another one since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its number in the queue.
    pub number: u32,
    /// The id of its file.
    pub blob: String,
}

/// What was done to the queue, and is on disk, with the number of the follow-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filed {
    /// It waits.
    Queued(u32),
    /// It waits no longer.
    Dropped(u32),
    /// It waits, and says something else.
    Changed(u32),
}
