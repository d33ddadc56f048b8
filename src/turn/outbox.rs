//! What a step of a turn wants to be done, and what the record says of it at once.

use super::{Effect, Notice, record::Record};
use crate::model::{AnswerId, Event, Finish, Usage};

/// The effects of a step, together with the record that stored events go into.
#[derive(Debug, Default)]
pub struct Outbox {
    pub(super) record: Record,
    effects: Vec<Effect>,
}

impl Outbox {
    /// An outbox with nothing in it.
    pub fn new(record: Record) -> Self {
        Self { record, effects: Vec::new() }
    }

    /// Stores an event.
    pub fn commit(&mut self, event: Event) {
        self.record.push(&event);
        self.effects.push(Effect::Commit(event));
    }

    /// Puts down on the last block of an answer, which is stored already, why it ended.
    pub fn seal(&mut self, answer: AnswerId, finish: Finish, usage: Usage) {
        self.record.seal(&answer, &finish);
        self.effects.push(Effect::Seal { answer, finish, usage });
    }

    /// Takes an answer out that has not ended.
    pub fn retract(&mut self, answer: AnswerId) {
        self.record.retract(&answer);
        self.effects.push(Effect::Retract(answer));
    }

    /// Lets the user know.
    pub fn show(&mut self, notice: Notice) {
        self.effects.push(Effect::Show(notice));
    }

    /// Wants anything else to be done.
    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Takes what has gathered.
    pub fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }
}
