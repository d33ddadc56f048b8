//! What a conversation is to become, told by whoever edits it: the lines of its manifests in order,
//! and the files that are new or changed.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    format::{FileName, Line},
    model::EventKind,
    plan::{Draft, FlatLine, Layout, Listed},
};

/// What a conversation is to become. What is not in its lines goes.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// All lines, in the order of the stream.
    pub lines: Vec<WishLine>,
    /// What events at these positions of the present stream say from now on.
    pub edited: BTreeMap<usize, Draft>,
    /// What their files are called from now on; each keeps its number.
    pub renamed: BTreeMap<usize, FileName>,
    /// Events that are new.
    pub added: Vec<Added>,
    /// What else is to be told, one line each.
    pub remarks: Vec<String>,
}

/// A line of a wish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WishLine {
    /// What stands there.
    pub wanted: Wanted,
    /// Its line in the plan that somebody wrote, from 1.
    pub number: Option<usize>,
}

/// What stands on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A remark.
    Remark(String),
    /// The event at this position of the present stream.
    Kept(usize),
    /// This one of the new events.
    New(usize),
}

/// An event that is new.
#[derive(Clone, Debug, PartialEq)]
pub struct Added {
    /// What it is called by whoever brings it.
    pub given: String,
    /// The name that somebody chose for its file; it stays if its number was never given.
    pub chosen: Option<FileName>,
    /// The event.
    pub draft: Draft,
}

impl From<Wanted> for WishLine {
    fn from(wanted: Wanted) -> Self {
        Self { wanted, number: None }
    }
}

impl Wish {
    /// That everything stays as it is.
    pub fn unchanged(layout: &Layout) -> Self {
        let line = |line: FlatLine| match line {
            FlatLine::Remark(_, text) => Wanted::Remark(text),
            FlatLine::Event(position) => Wanted::Kept(position),
        };
        let lines = layout.flat().into_iter().map(|flat| WishLine::from(line(flat)));
        Self { lines: lines.collect(), ..Self::default() }
    }

    /// That some of the events go, with the headings that have nothing left under them.
    pub fn without(layout: &Layout, goes: impl Fn(usize) -> bool) -> Self {
        let mut wish = Self::unchanged(layout);
        let lines = std::mem::take(&mut wish.lines);
        let mut sections: Vec<Vec<WishLine>> = vec![Vec::new()];
        for line in lines {
            if line.wanted.is_heading() {
                sections.push(Vec::new());
            }
            if let Some(section) = sections.last_mut() {
                section.push(line);
            }
        }
        for mut section in sections {
            let is_event = |line: &WishLine| matches!(line.wanted, Wanted::Kept(_));
            let had_events = section.iter().any(is_event);
            section.retain(|line| !matches!(line.wanted, Wanted::Kept(at) if goes(at)));
            let is_headed = section.first().is_some_and(|line| line.wanted.is_heading());
            if is_headed && had_events && !section.iter().any(is_event) {
                section.remove(0);
                // The blank line before it belongs to it.
                wish.lines.pop_if(|line| line.wanted.is_blank());
            }
            wish.lines.extend(section);
        }
        wish
    }

    /// That events go that are named one by one, or with their turns. Configuration that changed in
    /// turns that go is still in force, so it stays unless it is named.
    pub fn dropping(layout: &Layout, events: &BTreeSet<usize>, turns: &BTreeSet<usize>) -> Self {
        let is_kept = |at: &usize| {
            let listed = layout.stream.get(*at);
            !events.contains(at) && listed.is_some_and(is_in_force)
        };
        let goes = |at: usize| events.contains(&at) || (turns.contains(&at) && !is_kept(&at));
        let mut wish = Self::without(layout, goes);
        let in_force = turns.iter().filter(|at| is_kept(at));
        wish.remarks = in_force.map(|at| in_force_still(&layout.stream[*at])).collect();
        wish
    }

    /// Takes new events along; their lines are for the caller to put somewhere.
    pub fn add(&mut self, events: &[Added]) -> Vec<WishLine> {
        let first = self.added.len();
        self.added.extend_from_slice(events);
        (first..self.added.len()).map(|index| Wanted::New(index).into()).collect()
    }

    /// The lines of events that are to stand elsewhere, with the headings that people gave words to
    /// and that have nothing left here.
    pub fn lines_to_move(&self, layout: &Layout, moving: &BTreeSet<usize>) -> Vec<WishLine> {
        let mut lines = Vec::new();
        let mut heading: Option<WishLine> = None;
        for line in Self::unchanged(layout).lines {
            match &line.wanted {
                wanted if wanted.is_heading() => {
                    let is_left = self.lines.iter().any(|left| left.wanted == *wanted);
                    heading = Some(line).filter(|line| !is_left && line.wanted.has_words());
                }
                Wanted::Kept(at) if moving.contains(at) => {
                    if let Some(heading) = heading.take() {
                        lines.extend([Wanted::Remark(String::new()).into(), heading]);
                    }
                    lines.push(line);
                }
                _ => {}
            }
        }
        lines
    }

    /// Puts new lines before an event, and before the heading that it has.
    pub fn insert_before(&mut self, position: usize, lines: Vec<WishLine>) {
        let Some(mut at) = self.line_of(position) else { return };
        if at > 0 && self.lines[at - 1].wanted.is_heading() {
            at -= 1;
            if at > 0 && self.lines[at - 1].wanted.is_blank() {
                at -= 1;
            }
        }
        self.lines.splice(at..at, lines);
    }

    /// Puts new lines after an event.
    pub fn insert_after(&mut self, position: usize, lines: Vec<WishLine>) {
        let Some(at) = self.line_of(position) else { return };
        self.lines.splice(at + 1..at + 1, lines);
    }

    /// The line of an event of the present stream.
    pub fn line_of(&self, position: usize) -> Option<usize> {
        self.lines.iter().position(|line| line.wanted == Wanted::Kept(position))
    }
}

/// Whether an event changed the configuration, which holds even if its turn goes.
pub(in crate::plan) fn is_in_force(listed: &Listed) -> bool {
    matches!(listed.kind(), Some(EventKind::ConfigDelta(_)))
}

/// That an event stays, in words.
pub(in crate::plan) fn in_force_still(listed: &Listed) -> String {
    format!("{}: stays, its configuration is in force", listed.path())
}

impl Wanted {
    /// Whether it is the heading of a turn.
    pub fn is_heading(&self) -> bool {
        self.as_remark().is_some_and(|remark| remark.as_heading().is_some())
    }

    /// Whether it is a heading that somebody gave words to.
    fn has_words(&self) -> bool {
        let remark = self.as_remark();
        let heading = remark.as_ref().and_then(Line::as_heading);
        heading.is_some_and(|(_, words)| !words.trim().is_empty())
    }

    /// Whether it is a blank line.
    pub fn is_blank(&self) -> bool {
        matches!(self, Self::Remark(text) if text.trim().is_empty())
    }

    fn as_remark(&self) -> Option<Line> {
        match self {
            Self::Remark(text) => Some(Line::Remark(text.clone())),
            Self::Kept(_) | Self::New(_) => None,
        }
    }
}
