//! The headings of turns among the lines of an edited stream.
//!
//! Each turn has one heading, before the event that begins it. One that lost its turn goes, and a
//! turn without one gets one, unless the conversation has no headings at all. Other remarks stay.

use std::collections::BTreeSet;

use super::piece::{Slot, pieces};
use crate::{
    format::Line,
    model::{Event, Progress},
};

/// Puts the headings of a stream where its turns begin. One that had none gets none.
pub(super) fn renew(slots: Vec<Slot>, had_headings: bool) -> Vec<Slot> {
    let begins = beginnings(&slots);
    let is_heading = |slot: &Slot| as_heading(slot).is_some();
    if !had_headings && !slots.iter().any(is_heading) {
        return slots;
    }
    let mut renewed: Vec<Slot> = Vec::with_capacity(slots.len());
    let mut headed = BTreeSet::new();
    for (at, slot) in slots.into_iter().enumerate() {
        let Some((turn, begins)) = begins[at] else {
            // Nothing follows: what has words is the user's.
            match as_heading(&slot) {
                Some(words) if words.trim().is_empty() => drop_blank(&mut renewed),
                _ => renewed.push(slot),
            }
            continue;
        };
        match as_heading(&slot) {
            Some(words) => {
                let is_first = begins && !headed.contains(&turn);
                if is_first || !words.trim().is_empty() {
                    headed.insert(turn);
                    renewed.push(heading(turn, &words));
                } else {
                    drop_blank(&mut renewed);
                }
            }
            None => {
                if matches!(slot, Slot::Piece(_)) && begins && headed.insert(turn) {
                    if renewed.last().is_some_and(|last| !is_blank(last)) {
                        renewed.push(Slot::Remark(String::new()));
                    }
                    renewed.push(heading(turn, ""));
                }
                renewed.push(slot);
            }
        }
    }
    renewed
}

/// The turn of each event, and whether the event begins it.
pub(super) fn turns<'a>(
    events: impl Iterator<Item = Option<&'a Event>>,
) -> impl Iterator<Item = (u64, bool)> {
    let mut progress = Progress::default();
    events.map(move |event| {
        let begins = event.is_some_and(|event| progress.begins_turn(event));
        if let Some(event) = event {
            progress.push(event);
        }
        (progress.current_turn().unwrap_or(0), begins)
    })
}

/// For each line the turn of the next event, and whether that event begins it.
fn beginnings(slots: &[Slot]) -> Vec<Option<(u64, bool)>> {
    let mut turns = turns(pieces(slots).map(|piece| piece.event.as_ref()));
    let mut own: Vec<_> =
        slots.iter().map(|slot| slot.piece().and_then(|_| turns.next())).collect();
    let mut next = None;
    for own in own.iter_mut().rev() {
        next = own.or(next);
        *own = next;
    }
    own
}

/// What stands behind the number of a heading.
fn as_heading(slot: &Slot) -> Option<String> {
    let Slot::Remark(text) = slot else { return None };
    let line = Line::Remark(text.clone());
    line.as_heading().map(|(_, words)| words.to_owned())
}

fn heading(turn: u64, words: &str) -> Slot {
    match Line::heading(turn) {
        Line::Remark(text) => Slot::Remark(text + words),
        Line::Event(_) | Line::Run(_) => Slot::Remark(words.to_owned()),
    }
}

/// The blank line before a heading belongs to it.
fn drop_blank(lines: &mut Vec<Slot>) {
    lines.pop_if(|line| is_blank(line));
}

fn is_blank(slot: &Slot) -> bool {
    matches!(slot, Slot::Remark(text) if text.trim().is_empty())
}
