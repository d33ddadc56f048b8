//! Where the events of an edited stream stand: which moved, and in which run each is kept.
//!
//! An event stays in its directory if it can. What moved, and what is new, stands in the run that
//! is around it, else at the top.

use super::piece::Piece;
use crate::{
    format::RunName,
    plan::{Layout, longest_increasing},
};

/// Whether each event moved: it is not among the most that kept their order.
pub(super) fn moved(pieces: &[&Piece]) -> Vec<bool> {
    let kept: Vec<(usize, usize)> =
        pieces.iter().enumerate().filter_map(|(at, piece)| Some((at, piece.position()?))).collect();
    let positions: Vec<usize> = kept.iter().map(|(_, position)| *position).collect();
    let mut moved: Vec<bool> = pieces.iter().map(|piece| piece.position().is_some()).collect();
    for index in longest_increasing(&positions) {
        moved[kept[index].0] = false;
    }
    moved
}

/// The run that each event is kept in; `None` is the top. The events of each run stand together,
/// since those that kept their order do.
pub(super) fn homes(layout: &Layout, pieces: &[&Piece], moved: &[bool]) -> Vec<Option<RunName>> {
    let own = |at: usize| {
        let listed = layout.stream.get(pieces.get(at)?.position()?)?;
        listed.run.clone()
    };
    let is_fixed = |at: usize| pieces[at].position().is_some() && !moved[at];
    let mut homes: Vec<Option<RunName>> = Vec::with_capacity(pieces.len());
    let mut left = None;
    while homes.len() < pieces.len() {
        let start = homes.len();
        if is_fixed(start) {
            left = own(start);
            homes.push(left.clone());
            continue;
        }
        let end = (start..pieces.len()).find(|at| is_fixed(*at)).unwrap_or(pieces.len());
        let right = own(end);
        if left == right {
            homes.resize(end, left.clone());
            continue;
        }
        // Between two directories: what was in one of them stays there as far as it touches it.
        let is_of = |run: &Option<RunName>, at: &usize| run.is_some() && own(*at) == *run;
        let first = (start..end).take_while(|at| is_of(&left, at)).count();
        let last = (start + first..end).rev().take_while(|at| is_of(&right, at)).count();
        homes.resize(start + first, left.clone());
        homes.resize(end - last, None);
        homes.resize(end, right);
    }
    homes
}
