//! Compactions name turns by their number, so they follow when turns are numbered anew.
//!
//! One whose turns are gone, or do not stand together any more, goes; a summary goes when some of
//! the turns that it tells of go. Each is told. A compaction that was itself edited says what its
//! author wanted.

use std::collections::{BTreeMap, BTreeSet};

use super::piece::{Piece, Slot, pieces};
use crate::{
    format::{EncodeError, encode},
    model::{Compaction, Event, EventKind},
    plan::{Layout, layout::turns},
};

/// Lets the compactions of a stream follow its turns; tells what happens to them.
pub(super) fn follow(
    layout: &Layout,
    slots: &mut Vec<Slot>,
    remarks: &mut Vec<String>,
) -> Result<(), EncodeError> {
    let has_any = pieces(slots).any(|piece| compaction_of(piece.event.as_ref()).is_some());
    if !has_any {
        return Ok(());
    }
    let shift = Shift::of(layout, slots);
    slots.retain(|slot| {
        let Some((path, compaction)) = carried(layout, slot) else { return true };
        let goes = shift.why_it_goes(compaction);
        remarks.extend(goes.as_ref().map(|why| format!("{path}: goes, {why}")));
        goes.is_none()
    });
    // What went may have begun a turn.
    let shift = Shift::of(layout, slots);
    for slot in slots {
        let Some((path, compaction)) = carried(layout, slot) else { continue };
        let Some(followed) = shift.followed(compaction).filter(|new| new != compaction) else {
            continue;
        };
        let (was, now) = (compaction.turns(), followed.turns());
        if followed.rules != compaction.rules {
            remarks.push(format!("{path}: loses its summary, which {}", some_go(compaction)));
        }
        if was != now {
            remarks.push(format!("{path}: covers {now}, which before was {was}"));
        }
        let Slot::Piece(piece) = slot else { continue };
        if let Some(event) = &mut piece.event {
            event.kind = EventKind::Compaction(followed);
            piece.bytes = Some(encode(event)?);
        }
    }
    Ok(())
}

/// A compaction that was there before and that nobody has edited, with its file.
fn carried<'a>(layout: &Layout, slot: &'a Slot) -> Option<(String, &'a Compaction)> {
    let piece = slot.piece()?;
    let listed = layout.stream.get(piece.position()?)?;
    let compaction = compaction_of(piece.event.as_ref())?;
    piece.bytes.is_none().then(|| (listed.path().to_string(), compaction))
}

fn compaction_of(event: Option<&Event>) -> Option<&Compaction> {
    match &event?.kind {
        EventKind::Compaction(compaction) => Some(compaction),
        _ => None,
    }
}

fn some_go(compaction: &Compaction) -> String {
    format!("tells of {}, of which some go", compaction.turns())
}

/// Which turns of the present stream each turn of the stream to come is made of.
struct Shift {
    /// For each turn to come: the turns that its events come from.
    made_of: BTreeMap<u64, BTreeSet<u64>>,
    /// The turns of which something is left.
    left: BTreeSet<u64>,
    /// The turns that there are.
    present: BTreeSet<u64>,
    /// The turn that has nothing left but what waits for its request.
    waiting: Option<u64>,
    /// The last turn that is left, and what it is to be.
    end: (u64, u64),
}

impl Shift {
    fn of(layout: &Layout, slots: &[Slot]) -> Self {
        let was = layout.turns();
        let now = turns(pieces(slots).map(|piece| piece.event.as_ref()));
        let mut shift = Self {
            made_of: BTreeMap::new(),
            left: BTreeSet::new(),
            present: BTreeSet::new(),
            waiting: None,
            end: (0, 0),
        };
        for (listed, was) in layout.stream.iter().zip(&was) {
            if !listed.is_prelude() {
                shift.present.insert(*was);
            }
        }
        let last = pieces(slots).filter(|piece| piece.position().is_some()).last();
        let last = last.filter(|piece| !piece.is_solid()).and_then(Piece::position);
        shift.waiting = last.and_then(|position| was.get(position).copied());
        let nothing = (shift.waiting.unwrap_or(0), 0);
        let mut end = None;
        for (piece, now) in pieces(slots).zip(now).filter(|(piece, _)| piece.is_solid()) {
            let Some(was) = piece.position().and_then(|position| was.get(position)) else {
                continue;
            };
            shift.made_of.entry(now).or_default().insert(*was);
            shift.left.insert(*was);
            end = end.max(Some((*was, now)));
        }
        shift.end = end.unwrap_or(nothing);
        shift
    }

    /// Why a compaction cannot stay.
    fn why_it_goes(&self, compaction: &Compaction) -> Option<String> {
        if self.followed(compaction).is_none() {
            let is_left = self.left.iter().any(|turn| compaction.covers(*turn));
            return Some(match is_left {
                true => format!("{} do not stand together any more", compaction.turns()),
                false => format!("nothing is left of {}", compaction.turns()),
            });
        }
        let whole = self.whole(compaction);
        let says_nothing = whole.rules.is_empty() && !compaction.rules.is_empty();
        says_nothing.then(|| format!("its summary {}", some_go(compaction)))
    }

    /// The compaction of the same turns under their new numbers; `None` if there are none.
    fn followed(&self, compaction: &Compaction) -> Option<Compaction> {
        let (from, to) = (compaction.from_turn, compaction.to_turn);
        let (last_was, last_now) = self.end;
        // Of a turn that is still to come, only the distance to the last one is known.
        let ahead = |turn: u64| turn.checked_sub(last_was).map(|distance| last_now + distance);
        let covered = |(_, made_of): &(&u64, &BTreeSet<u64>)| {
            made_of.iter().all(|turn| compaction.covers(*turn))
        };
        let turns: Vec<u64> = self.made_of.iter().filter(covered).map(|(turn, _)| *turn).collect();
        let (from_turn, to_turn) = match (turns.first(), turns.last()) {
            (Some(first), Some(last)) => {
                if last - first + 1 != turns.len() as u64 {
                    return None;
                }
                (*first, ahead(to).unwrap_or(*last).max(*last))
            }
            // All of its turns are still to come, or the one that waits for its request.
            _ if Some(&from) > self.present.last()
                || self.waiting.is_some_and(|turn| compaction.covers(turn)) =>
            {
                (last_now + from.saturating_sub(last_was), ahead(to)?)
            }
            _ => return None,
        };
        let rules = self.whole(compaction).rules;
        Some(Compaction { from_turn, to_turn, rules })
    }

    /// A compaction without a summary that also tells of turns that go.
    fn whole(&self, compaction: &Compaction) -> Compaction {
        let mut whole = compaction.clone();
        let mut told = self.present.iter().filter(|turn| compaction.covers(**turn));
        if told.any(|turn| !self.left.contains(turn)) {
            whole.drop_summary();
        }
        whole
    }
}
