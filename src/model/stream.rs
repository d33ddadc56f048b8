//! The events of a conversation, split into turns.

use super::{Address, AnswerId, Event, EventKind, Pending, Progress};

/// An event at its address.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Where it stands.
    pub address: Address,
    /// What happened.
    pub event: Event,
}

/// The events of a conversation: complete turns, perhaps one that is under way, and what waits for
/// the next request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stream {
    /// Turns that are over, in order.
    pub turns: Vec<Turn>,
    /// The last turn, if it is not complete.
    pub incomplete: Option<IncompleteTurn>,
    /// Configuration, compaction and attachments that belong to a request still to come.
    pub waiting: Vec<Entry>,
}

/// A turn: a request and everything that followed from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Its number, from 0.
    pub number: u64,
    /// Its events, in order.
    pub entries: Vec<Entry>,
}

/// The last turn of a conversation when it stopped before it was complete.
#[derive(Clone, Debug, PartialEq)]
pub struct IncompleteTurn {
    /// The events so far.
    pub turn: Turn,
    /// How far they got.
    pub progress: Progress,
}

impl IncompleteTurn {
    /// What is missing.
    pub fn pending(&self) -> Pending {
        self.progress.pending().expect("an incomplete turn lacks something")
    }
}

impl Stream {
    /// Splits events into turns.
    pub fn new(entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut progress = Progress::default();
        let mut turns: Vec<Turn> = Vec::new();
        for entry in entries {
            if progress.begins_turn(&entry.event) {
                let number = turns.len() as u64;
                let prelude = match (&entry.event.kind, turns.last_mut()) {
                    (EventKind::Request(_), Some(turn)) => take_prelude(turn),
                    _ => Vec::new(),
                };
                turns.push(Turn { number, entries: prelude });
            }
            progress.push(&entry.event);
            if let Some(turn) = turns.last_mut() {
                turn.entries.push(entry);
            }
        }
        let mut stream = Self::default();
        if progress.turns() < turns.len() as u64 {
            stream.waiting = turns.pop().map(|turn| turn.entries).unwrap_or_default();
        } else if progress.is_incomplete() {
            stream.incomplete = turns.pop().map(|turn| IncompleteTurn { turn, progress });
        }
        stream.turns = turns;
        stream
    }

    /// How many turns have begun.
    pub fn begun(&self) -> u64 {
        self.turns.len() as u64 + u64::from(self.incomplete.is_some())
    }

    /// All events, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        let incomplete = self.incomplete.iter().flat_map(|incomplete| &incomplete.turn.entries);
        let complete = self.turns.iter().flat_map(|turn| &turn.entries);
        complete.chain(incomplete).chain(&self.waiting)
    }
}

/// The blocks of an answer that has not ended and that nobody has acted upon, among the events of
/// its turn. An id may have been given twice: what came before the last end or act is another
/// answer.
pub fn open_blocks<'a>(
    entries: &'a [Entry],
    answer: &AnswerId,
) -> impl Iterator<Item = &'a Entry> + use<'a> {
    let is_over = |entry: &Entry| match &entry.event.kind {
        EventKind::Request(_)
        | EventKind::ToolStart(_)
        | EventKind::ToolResult(_)
        | EventKind::InquiryRequest(_) => true,
        _ => entry.event.block().is_some_and(|block| block.finish.is_some()),
    };
    let first = entries.iter().rposition(is_over).map_or(0, |last| last + 1);
    let answer = answer.clone();
    entries[first..].iter().filter(move |entry| entry.event.is_block_of(&answer))
}

/// Takes from the end of a turn what belongs to the request after it.
fn take_prelude(turn: &mut Turn) -> Vec<Entry> {
    let kept = turn.entries.iter().rposition(|entry| !entry.event.event_type().is_prelude());
    turn.entries.split_off(kept.map_or(0, |last| last + 1))
}

#[cfg(test)]
mod tests;
