//! Turns that are not complete: what a query does about them, and what has to be known and decided
//! before one goes on.

mod answering;
mod choosing;
mod course;
mod decisions;
mod discarding;
mod matching;
mod menu;
mod preparing;
mod rewording;
mod settling;
mod telling;
mod typed;
mod unknown;

pub use self::{
    course::check_usage,
    discarding::discard,
    matching::{Way, brief, match_model},
    preparing::prepare,
    rewording::rework,
    settling::{Settled, has_question, settle},
    telling::nothing_to_resume,
};
