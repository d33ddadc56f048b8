//! What was said so far, as the turn sees it.

use std::collections::BTreeSet;

use super::standing::Standing;
use crate::{
    model::{
        Address, AnswerId, CallId, Entry, Event, EventKind, Finish, Progress, Stream, open_blocks,
    },
    projection::{Message, Role, compact, messages},
};

/// The events of a conversation, and what they amount to.
#[derive(Clone, Debug, Default)]
pub struct Record {
    entries: Vec<Entry>,
    progress: Progress,
    next: u32,
    answers: u64,
    questions: u64,
    calls: BTreeSet<CallId>,
}

impl Record {
    /// A record of what was said before.
    pub fn new(entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut record = Self::default();
        for entry in entries {
            record.next = entry.address.number() + 1;
            record.note(&entry.event);
            record.entries.push(entry);
        }
        record
    }

    /// Adds what has just happened.
    pub fn push(&mut self, event: &Event) {
        self.note(event);
        // The sink gives the addresses; here they only keep the order.
        let address = Address::new(self.next.min(Address::MAX)).unwrap_or(Address::FIRST);
        self.next = self.next.saturating_add(1);
        self.entries.push(Entry { address, event: event.clone() });
    }

    /// Puts down on the last block of an answer why it ended.
    pub fn seal(&mut self, answer: &AnswerId, finish: &Finish) {
        let blocks = self.entries.iter_mut().rev().filter_map(|entry| entry.event.block_mut());
        if let Some(block) = { blocks }.find(|block| block.answer.as_ref() == Some(answer)) {
            block.finish = Some(finish.clone());
            self.progress.close_answer(answer);
        }
    }

    /// Takes out the answer of this turn that has not ended, as if it had never begun.
    pub fn retract(&mut self, answer: &AnswerId) {
        let mut progress = Progress::default();
        let mut begin = 0;
        for (index, entry) in self.entries.iter().enumerate() {
            if progress.begins_turn(&entry.event) {
                begin = index;
            }
            progress.push(&entry.event);
        }
        let mut entries = std::mem::take(&mut self.entries);
        let turn = entries.split_off(begin);
        let goes: Vec<_> = open_blocks(&turn, answer).map(|entry| entry.address).collect();
        entries.extend(turn.into_iter().filter(|entry| !goes.contains(&entry.address)));
        *self = Self { next: self.next, ..Self::new(entries) };
    }

    fn note(&mut self, event: &Event) {
        if self.progress.begins_turn(event) {
            (self.answers, self.questions) = (0, 0);
        }
        self.progress.push(event);
        match &event.kind {
            EventKind::ToolCall(call) => {
                self.calls.insert(call.id.clone());
            }
            EventKind::InquiryRequest(_) => self.questions += 1,
            _ => {}
        }
        if let Some(number) = answer_number(event) {
            self.answers = self.answers.max(number.saturating_add(1));
        }
    }

    /// The events.
    #[cfg(test)]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How far it has come.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The id of the next answer: the turn and a number in it.
    pub fn next_answer(&self) -> AnswerId {
        let turn = self.progress.current_turn().unwrap_or(0);
        AnswerId::new(format!("{turn}-{}", self.answers))
    }

    /// The number of the next question of this turn.
    pub fn next_question(&self) -> u64 {
        self.questions
    }

    /// An id for a call that no other call has.
    pub fn free_call(&self, wanted: CallId) -> CallId {
        if !self.calls.contains(&wanted) {
            return wanted;
        }
        let free = (2_u64..).map(|number| CallId::new(format!("{wanted}-{number}")));
        let mut free = free.filter(|id| !self.calls.contains(id));
        free.next().unwrap_or(wanted)
    }

    /// The calls of this turn that have no result, with what is known of each.
    pub fn pending_calls(&self) -> Vec<Standing> {
        let find = |id: &CallId| {
            self.entries.iter().rposition(|entry| match &entry.event.kind {
                EventKind::ToolCall(made) => made.id == *id,
                _ => false,
            })
        };
        let calls = self.progress.pending_calls().iter();
        calls.filter_map(|call| Standing::read(&self.entries[find(&call.id)?..])).collect()
    }

    /// What a model sees of it, with the compactions laid over it.
    pub fn messages(&self, system_prompt: Option<&str>) -> Vec<Message> {
        let stream = Stream::new(self.entries.iter().cloned());
        let said = messages(&compact(stream).stream, None).into_iter();
        let said = said.filter(|message| !matches!(message.role, Role::System { .. }));
        let system = system_prompt.filter(|prompt| !prompt.trim().is_empty()).map(|prompt| {
            let role = Role::System { content: prompt.to_owned() };
            Message { turn: None, incomplete: false, addresses: Vec::new(), role }
        });
        system.into_iter().chain(said).collect()
    }
}

/// The number of the answer that a block belongs to, if jp gave it.
fn answer_number(event: &Event) -> Option<u64> {
    event.block()?.answer.as_ref()?.as_str().rsplit_once('-')?.1.parse().ok()
}
