//! The mark under a turn that is not complete.

use super::{super::Face, calls::Fates, page::Page, unfinished::Unfinished};
use crate::model::IncompleteTurn;

/// Adds the mark.
pub fn print(page: &mut Page<'_>, incomplete: &IncompleteTurn, fates: &Fates<'_>) {
    let Unfinished { why, lines } = Unfinished::with(incomplete, fates);
    page.end_lines();
    page.line(&[(Face::NOTICE, &format!("⏳ Incomplete turn ({why})"))]);
    for line in lines {
        let pieces: Vec<_> = [(Face::PLAIN, "  ")].into_iter().chain(line.pieces()).collect();
        page.line(&pieces);
    }
}
