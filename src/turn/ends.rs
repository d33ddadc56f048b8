//! The two ends of a turn: where its events go, and who hears of it and answers.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::{Ask, Filed, FollowUp, Input, Interrupt, Notice, Reply};
use crate::{
    model::{Address, AnswerId, Event, Finish, Grant, InquiryId, Usage},
    tool::Audience,
};

/// Where the events of a turn go. What it returns from is on disk.
pub trait Sink {
    /// Why an event could not be stored.
    type Error: std::error::Error;

    /// Stores events at the end, in order; their addresses, unless nothing is kept.
    fn append(&mut self, events: &[Event]) -> Result<Vec<Option<Address>>, Self::Error>;

    /// Puts down on the last block of an answer why it ended, and what it has cost.
    fn seal(
        &mut self,
        answer: &AnswerId,
        finish: &Finish,
        usage: &Usage,
    ) -> Result<(), Self::Error>;

    /// Takes an answer that has not ended out of the stream; where its blocks stood.
    fn retract(&mut self, answer: &AnswerId) -> Result<Vec<Address>, Self::Error>;

    /// Changes what is to be asked when the turn is complete; what was done, or why that cannot be
    /// done, which is no reason to end the turn.
    fn queue(&mut self, follow_up: &FollowUp) -> Result<Filed, String>;

    /// Remembers what the user has allowed for the whole conversation.
    fn grant(&mut self, grant: &Grant) -> Result<(), Self::Error>;
}

/// Who hears of a turn and answers its questions.
pub trait FrontEnd {
    /// Shows what happened.
    fn show(&mut self, notice: &Notice) -> Result<(), Closed>;

    /// Asks a question. The answer comes by post, later, from any thread.
    fn ask(&mut self, ask: &Ask, post: &Post);

    /// A question need not be answered any more.
    fn withdraw(&mut self, inquiry: &InquiryId);

    /// Some time has passed.
    fn tick(&mut self) -> Result<(), Closed>;

    /// All that happened so far is on disk and was shown: whoever comes now has missed what is on
    /// disk, and nothing else.
    fn pause(&mut self) {}
}

/// Nobody reads any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

/// A way to tell a turn something, from any thread.
#[derive(Clone, Debug)]
pub struct Post {
    sender: Sender<Letter>,
}

/// Where what a turn is told comes in.
#[derive(Debug)]
pub struct Inbox {
    pub(super) receiver: Receiver<Letter>,
    pub(super) sender: Sender<Letter>,
}

/// An input, and the query that it belongs to: what a cancelled one still says does not count.
#[derive(Debug)]
pub struct Letter {
    pub(super) query: Option<u64>,
    pub(super) input: Input,
}

impl Inbox {
    /// An empty inbox.
    pub fn new() -> Self {
        let (sender, receiver) = channel();
        Self { receiver, sender }
    }

    /// A way to put something in.
    pub fn post(&self) -> Post {
        Post { sender: self.sender.clone() }
    }

    /// The next that somebody puts in, for who brings it to a turn elsewhere.
    pub fn next(&self) -> Option<Input> {
        self.receiver.recv().ok().map(|letter| letter.input)
    }

    /// What somebody has put in and no turn has taken out.
    pub fn left(&self) -> impl Iterator<Item = Input> {
        self.receiver.try_iter().map(|letter| letter.input)
    }
}

impl Default for Inbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Post {
    /// A question was dealt with.
    pub fn reply(&self, inquiry: InquiryId, reply: Reply) {
        self.send(Input::Replied { inquiry, reply });
    }

    /// The user wants something else.
    pub fn interrupt(&self, interrupt: Interrupt) {
        self.send(Input::Interrupt(interrupt));
    }

    /// Somebody came who can be asked, or whoever could is gone.
    pub fn audience(&self, audience: Audience) {
        self.send(Input::Audience(audience));
    }

    /// Something is to be asked when the turn is complete, or is not any more.
    pub fn follow_up(&self, from: u64, follow_up: FollowUp) {
        self.send(Input::FollowUp { from, follow_up: Box::new(follow_up) });
    }

    fn send(&self, input: Input) {
        // A turn that is over does not listen any more.
        let _over = self.sender.send(Letter { query: None, input });
    }
}
