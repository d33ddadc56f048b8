//! Keeping a part of a conversation: what goes, and what has to follow.
//!
//! Addresses never change, and files that no manifest lists stay where they are. Configuration that
//! changed in turns that go is still in force, so it stays. The history keeps everything that goes.

use std::ops::RangeInclusive;

use super::{
    Edit, Fault, Layout, Wish,
    edit::{carve, in_force_still, is_in_force},
};

/// Decides what turns a conversation into a part of it: the positions of the stream to keep, of
/// which the first begins a turn.
pub fn cut(layout: &Layout, keep: &RangeInclusive<usize>) -> Result<Edit, Vec<Fault>> {
    let stays = |at: usize| at < *keep.start() && is_in_force(&layout.stream[at]);
    let mut wish = Wish::without(layout, |at| !keep.contains(&at) && !stays(at));
    let in_force = (0..layout.stream.len()).filter(|at| stays(*at));
    wish.remarks = in_force.map(|at| in_force_still(&layout.stream[at])).collect();
    carve(layout, &wish)
}

#[cfg(test)]
mod tests;
