//! A conversation as people read it: who spoke, when, with which model, and what became of it.

mod calls;
mod fold;
mod marker;
mod page;
mod raw;
mod unfinished;
mod write;

use std::ops::Range;

use jiff::tz::TimeZone;

pub use self::unfinished::Unfinished;
use super::Style;
use crate::model::Stream;

/// A conversation that is about to be printed.
#[derive(Debug)]
pub struct Transcript<'a> {
    /// What stands above it, from anywhere.
    pub title: &'a str,
    /// The events.
    pub stream: &'a Stream,
    /// Files between them that cannot be read, in order.
    pub holes: &'a [Hole],
    /// What was left out between them, in order.
    pub gaps: &'a [Gap],
    /// The turns that are printed; the one after the last is what waits for the next request.
    pub turns: Range<u64>,
    /// How texts look.
    pub look: Look,
    /// What is printed in full.
    pub detail: Detail,
    /// Where the reader is.
    pub zone: TimeZone,
}

/// A file of the conversation that cannot be read.
#[derive(Clone, Debug)]
pub struct Hole {
    /// How many events stand before it.
    pub before: usize,
    /// The name of the file.
    pub file: String,
}

/// A place where something was left out.
#[derive(Clone, Debug)]
pub struct Gap {
    /// The turn that it is in.
    pub turn: u64,
    /// How many events stand before it.
    pub before: usize,
    /// What was left out.
    pub words: String,
}

/// How texts look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As markdown, the way it was written.
    Source,
    /// Laid out for a screen.
    Screen {
        /// With or without colours.
        style: Style,
        /// Its width.
        columns: usize,
    },
}

/// What is printed in full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// Calls of tools with their arguments and results, which else are one line each.
    pub tools: bool,
    /// What models thought, which else is one line.
    pub reasoning: bool,
}

#[cfg(test)]
mod tests;
