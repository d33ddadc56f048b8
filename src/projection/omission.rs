//! What a model does not see, and where.

use std::fmt;

use crate::model::counted;

/// What was left out at one place of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Omission {
    /// The turn that it belongs to.
    pub turn: u64,
    /// How many events of the compacted stream stand before it.
    pub before: usize,
    /// Turns that a summary stands for.
    pub turns: u64,
    /// Thoughts.
    pub thoughts: u64,
    /// Calls of tools, with their results.
    pub calls: u64,
    /// Calls whose arguments were cut short.
    pub arguments: u64,
    /// Results of calls that stay.
    pub results: u64,
}

impl Omission {
    /// Nothing yet, at a place.
    pub(super) fn at(turn: u64, before: usize) -> Self {
        Self { turn, before, ..Self::default() }
    }

    /// Whether nothing was left out.
    pub fn is_nothing(&self) -> bool {
        *self == Self::at(self.turn, self.before)
    }

    pub(super) fn is_at(&self, other: &Self) -> bool {
        (self.turn, self.before) == (other.turn, other.before)
    }

    /// Adds what was left out elsewhere.
    pub fn add(&mut self, other: &Self) {
        self.turns += other.turns;
        self.thoughts += other.thoughts;
        self.calls += other.calls;
        self.arguments += other.arguments;
        self.results += other.results;
    }

    /// What is left out beyond what was left out before.
    #[must_use]
    pub fn beyond(&self, before: &Self) -> Self {
        Self {
            turn: self.turn,
            before: self.before,
            turns: self.turns.saturating_sub(before.turns),
            thoughts: self.thoughts.saturating_sub(before.thoughts),
            calls: self.calls.saturating_sub(before.calls),
            arguments: self.arguments.saturating_sub(before.arguments),
            results: self.results.saturating_sub(before.results),
        }
    }

    /// Everything together.
    pub fn total<'a>(omissions: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut total = Self::default();
        omissions.into_iter().for_each(|omission| total.add(omission));
        total
    }
}

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            (self.turns, "turn"),
            (self.thoughts, "thought"),
            (self.calls, "tool call"),
            (self.results, "result"),
            (self.arguments, "long argument"),
        ];
        let words = words.iter().filter(|(count, _)| *count > 0);
        let words: Vec<_> = words.map(|(count, thing)| counted(*count, thing)).collect();
        f.write_str(if words.is_empty() { "nothing" } else { "" })?;
        f.write_str(&words.join(", "))
    }
}
