//! Editing a conversation: from what somebody wants it to be to the change set that leads there.
//!
//! The same machinery serves an editor, a directory, and commands: all of them say which events are
//! to be in the stream, in which order, and what they say. An edit that breaks the rules of a
//! stream is refused with all of its faults; one that keeps them leads to a stream that needs no
//! repair.

mod congruent;
mod fault;
mod hand;
mod headings;
mod homes;
mod merge;
mod overlays;
mod piece;
mod rules;
mod settle;
mod text;
mod wish;

pub(super) use self::wish::{in_force_still, is_in_force};
use self::{piece::Slot, settle::settle};
use super::{Change, Layout, Outline};

pub use congruent::is_congruent;
pub use fault::Fault;
pub use hand::{Hand, read_hand};
pub use merge::{Conflict, Merged, merge};
pub use settle::{Settled, Tally};
pub use text::{PlanLine, PlanText, annotated, check_name, plain};
pub use wish::{Added, Wanted, Wish, WishLine};

/// The change set of an edit, and what it does.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The change set; empty if everything stays.
    pub changes: Vec<Change>,
    /// What has to be known to continue.
    pub outline: Outline,
    /// What happens to events.
    pub tally: Tally,
    /// What else has to follow, one line each.
    pub remarks: Vec<String>,
}

/// Decides how a conversation becomes what somebody wants it to be, or what is wrong with that.
pub fn edit(layout: &Layout, wish: &Wish) -> Result<Edit, Vec<Fault>> {
    let mut slots = Slot::all(layout, wish);
    rules::stand_in(layout, &mut slots);
    let faults = rules::faults(&slots);
    if !faults.is_empty() {
        return Err(faults);
    }
    arrange(layout, slots, wish)
}

/// What is wrong with a stream that somebody wants.
fn rule_faults(layout: &Layout, wish: &Wish) -> Vec<Fault> {
    let mut slots = Slot::all(layout, wish);
    rules::stand_in(layout, &mut slots);
    rules::faults(&slots)
}

/// The same for a part of a conversation, which may end anywhere and so keep fewer rules.
pub(super) fn carve(layout: &Layout, wish: &Wish) -> Result<Edit, Vec<Fault>> {
    arrange(layout, Slot::all(layout, wish), wish)
}

fn arrange(layout: &Layout, mut slots: Vec<Slot>, wish: &Wish) -> Result<Edit, Vec<Fault>> {
    let mut remarks = wish.remarks.clone();
    overlays::follow(layout, &mut slots, &mut remarks)
        .map_err(|error| vec![Fault::of_plan(None, error.to_string())])?;
    let Settled { changes, outline, tally } = settle(layout, slots)?;
    Ok(Edit { changes, outline, tally, remarks })
}

#[cfg(test)]
mod tests;
