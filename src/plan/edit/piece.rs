//! An edit in the making: the lines of the stream to come, each event with what is known about it.

use super::{Fault, Wanted, Wish, WishLine};
use crate::{
    format::FileName,
    model::{CallId, Event},
    plan::Layout,
};

/// A line of the stream to come.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// A remark.
    Remark(String),
    /// An event.
    Piece(Box<Piece>),
}

/// An event of the stream to come.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Where it comes from.
    pub(super) origin: Origin,
    /// What people call it now.
    pub(super) shown: String,
    /// Its line in the plan, from 1.
    pub(super) number: Option<usize>,
    /// What it says; `None` if its file cannot be read.
    pub(super) event: Option<Event>,
    /// The new content of its file, if that changes.
    pub(super) bytes: Option<Vec<u8>>,
    /// Another name for its file, or the one that somebody chose for a new one.
    pub(super) name: Option<FileName>,
}

/// Where an event of the stream to come is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// It stands at this position of the present stream.
    Kept(usize),
    /// It is this one of the new events.
    Added(usize),
    /// It stands in for the result of a call that has none.
    StandIn(CallId),
}

impl Piece {
    /// Its position in the present stream.
    pub(super) fn position(&self) -> Option<usize> {
        match self.origin {
            Origin::Kept(position) => Some(position),
            Origin::Added(_) | Origin::StandIn(_) => None,
        }
    }

    /// Whether it belongs to its turn whatever follows.
    pub(super) fn is_solid(&self) -> bool {
        self.event.as_ref().is_none_or(|event| !event.event_type().is_prelude())
    }

    /// A fault of this event, at its line of the plan.
    pub(super) fn fault(&self, message: impl std::fmt::Display) -> Fault {
        Fault::of_plan(self.number, format!("{}: {message}", self.shown))
    }
}

impl Slot {
    /// The lines that a wish leads to.
    pub(super) fn all(layout: &Layout, wish: &Wish) -> Vec<Self> {
        let slot = |WishLine { wanted, number }: &WishLine| match wanted {
            Wanted::Remark(text) => Some(Self::Remark(text.clone())),
            Wanted::Kept(position) => {
                let listed = layout.stream.get(*position)?;
                let edited = wish.edited.get(position);
                let name = wish.renamed.get(position);
                Some(Self::Piece(Box::new(Piece {
                    origin: Origin::Kept(*position),
                    shown: name.unwrap_or(&listed.name).to_string(),
                    number: *number,
                    event: edited.map(|draft| draft.event.clone()).or_else(|| listed.event.clone()),
                    bytes: edited.map(|draft| draft.bytes.clone()),
                    name: name.cloned(),
                })))
            }
            Wanted::New(index) => {
                let added = wish.added.get(*index)?;
                Some(Self::Piece(Box::new(Piece {
                    origin: Origin::Added(*index),
                    shown: added.given.clone(),
                    number: *number,
                    event: Some(added.draft.event.clone()),
                    bytes: Some(added.draft.bytes.clone()),
                    name: added.chosen.clone(),
                })))
            }
        };
        wish.lines.iter().filter_map(slot).collect()
    }

    /// The event on this line.
    pub(super) fn piece(&self) -> Option<&Piece> {
        match self {
            Self::Piece(piece) => Some(piece),
            Self::Remark(_) => None,
        }
    }
}

/// The events among the lines, in order.
pub(super) fn pieces(slots: &[Slot]) -> impl Iterator<Item = &Piece> {
    slots.iter().filter_map(Slot::piece)
}
