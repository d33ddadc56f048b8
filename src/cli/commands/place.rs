//! Events, turns and places of a conversation, as they are named on the command line.

use std::{collections::BTreeSet, ops::RangeInclusive};

use super::open;
use crate::{
    cli::{
        args::{Chosen, PlaceArg},
        error::CommandError,
    },
    env::Env,
    history::{Moment, Scope},
    model::{Address, ConversationId},
    plan::{Layout, Wish, WishLine},
    workspace::LoadError,
};

/// A place in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// Before the event at this position.
    Before(usize),
    /// After the event at this position.
    After(usize),
    /// At the end.
    End,
}

impl Spot {
    /// Finds a place that is named.
    pub fn find(
        env: &Env,
        id: ConversationId,
        layout: &Layout,
        place: &PlaceArg,
    ) -> Result<Self, CommandError> {
        let span = |text: &str| {
            let moment = Moment::parse(text, Scope::Place, &open::now(env));
            match moment.map_err(CommandError::usage)? {
                Moment::Event(address) => {
                    let at = position(id, layout, address)?;
                    Ok((at, at))
                }
                Moment::Turn(turn) => {
                    let all = positions_of_turns(id, layout, &(turn..=turn))?;
                    let ends = all.first().copied().zip(all.last().copied());
                    ends.ok_or_else(|| no_turn(id, turn))
                }
                Moment::Time(_) | Moment::Commit(_) | Moment::Operations(_) => {
                    let message = format!("`{text}` is neither an event nor a turn");
                    Err(CommandError::usage(message))
                }
            }
        };
        Ok(match (&place.before, &place.after) {
            (Some(before), _) => Self::Before(span(before)?.0),
            (None, Some(after)) => Self::After(span(after)?.1),
            (None, None) => Self::End,
        })
    }

    /// Puts lines there.
    pub fn put(self, wish: &mut Wish, lines: Vec<WishLine>) {
        match self {
            Self::Before(position) => wish.insert_before(position, lines),
            Self::After(position) => wish.insert_after(position, lines),
            Self::End => wish.lines.extend(lines),
        }
    }

    /// The event that the place is named by.
    pub fn anchor(self) -> Option<usize> {
        match self {
            Self::Before(position) | Self::After(position) => Some(position),
            Self::End => None,
        }
    }
}

/// Events and turns that are named.
#[derive(Debug)]
pub struct Named<'a> {
    addresses: &'a [String],
    turns: Vec<RangeInclusive<u64>>,
}

impl<'a> Named<'a> {
    /// Reads what is named; `None` if that is nothing.
    pub fn read(chosen: &'a Chosen) -> Result<Option<Self>, CommandError> {
        let named = Self { addresses: &chosen.addresses, turns: turns(&chosen.turns)? };
        let is_nothing = named.addresses.is_empty() && named.turns.is_empty();
        Ok(Some(named).filter(|_| !is_nothing))
    }

    /// The positions of events that are named one by one, or from one to another.
    pub fn events(
        &self,
        env: &Env,
        id: ConversationId,
        layout: &Layout,
    ) -> Result<BTreeSet<usize>, CommandError> {
        let find = |text: &str| position(id, layout, open::address(env, text)?);
        let mut found = BTreeSet::new();
        for text in self.addresses {
            let (from, to) = match text.split_once("..") {
                None => (find(text)?, find(text)?),
                Some((from, to)) => (find(from)?, find(to)?),
            };
            if from > to {
                let message = format!("`{text}` runs backwards: the second stands first");
                return Err(CommandError::usage(message));
            }
            found.extend(from..=to);
        }
        Ok(found)
    }

    /// The positions of all events of the turns that are named.
    pub fn turns(
        &self,
        id: ConversationId,
        layout: &Layout,
    ) -> Result<BTreeSet<usize>, CommandError> {
        let mut found = BTreeSet::new();
        for turns in &self.turns {
            found.extend(positions_of_turns(id, layout, turns)?);
        }
        Ok(found)
    }
}

/// Reads turns: one, or from one to another.
pub fn turns(texts: &[String]) -> Result<Vec<RangeInclusive<u64>>, CommandError> {
    let parse = |text: &String| {
        let ends = text.split_once("..").or_else(|| text.split_once('-'));
        let (from, to) = ends.unwrap_or((text, text));
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let turns = number(from).zip(number(to)).filter(|(from, to)| from <= to);
        turns.map(|(from, to)| from..=to).ok_or_else(|| {
            let message = format!("`{text}` is not a turn: expected a number, or two as in `2-4`");
            CommandError::usage(message)
        })
    };
    texts.iter().map(parse).collect()
}

/// The positions of all events of some turns.
pub fn positions_of_turns(
    id: ConversationId,
    layout: &Layout,
    turns: &RangeInclusive<u64>,
) -> Result<BTreeSet<usize>, CommandError> {
    let all = layout.turns();
    let last = all.iter().max().copied();
    let missing = if last < Some(*turns.end()) { Some(*turns.end()) } else { None };
    if let Some(turn) = missing {
        return Err(no_turn(id, turn));
    }
    Ok((0..all.len()).filter(|at| turns.contains(&all[*at])).collect())
}

fn no_turn(id: ConversationId, turn: u64) -> CommandError {
    CommandError::failure(format!("conversation {id} has no turn {turn}"))
        .hint(format!("`jp conversation show {id}` lists its events"))
}

fn position(id: ConversationId, layout: &Layout, address: Address) -> Result<usize, CommandError> {
    let found = layout.stream.iter().position(|listed| listed.name.address() == address);
    found.ok_or_else(|| LoadError::NoEvent { id, address }.into())
}
