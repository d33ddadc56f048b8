//! The headings of turns in the manifests of a conversation that is being cut.
//!
//! A heading goes with its turn. When turns are numbered anew, each has one heading, before the
//! first of its events. All other remarks are the user's and stay.

use std::collections::{BTreeMap, BTreeSet};

use crate::format::{FileName, Line, Manifest, RunName};

type Run = Option<RunName>;

/// What becomes of the headings, by manifest and line.
pub(super) struct Headings {
    fates: BTreeMap<(Run, usize), Heading>,
    /// Headings that have to stand before an event in another manifest than they did.
    moved: BTreeMap<(Run, usize), u64>,
}

enum Heading {
    Gone,
    Numbered(u64),
}

impl Headings {
    /// Decides about the headings. The events of the stream are given with their new turn; those
    /// that go have none.
    pub(super) fn of(
        manifests: &BTreeMap<Run, Manifest>,
        turns: &BTreeMap<(&Run, &FileName), Option<u64>>,
        renumber: bool,
    ) -> Self {
        let mut headings = Self { fates: BTreeMap::new(), moved: BTreeMap::new() };
        let mut headed = BTreeSet::new();
        for Section { heading, bare, events } in sections(manifests) {
            let kept = events.iter().find_map(|(run, name, at)| {
                let turn = turns.get(&(run, *name)).copied().flatten()?;
                Some((run, *at, turn))
            });
            let fate = match kept {
                None if events.is_empty() => continue,
                None => Heading::Gone,
                Some((run, at, turn)) if renumber && bare => {
                    if !headed.insert(turn) {
                        Heading::Gone
                    } else if *run == heading.0 {
                        Heading::Numbered(turn)
                    } else {
                        headings.moved.insert((run.clone(), at), turn);
                        Heading::Gone
                    }
                }
                Some((_, _, turn)) if renumber => {
                    headed.insert(turn);
                    Heading::Numbered(turn)
                }
                Some(_) => continue,
            };
            headings.fates.insert(heading, fate);
        }
        headings
    }

    /// Adds a remark of a manifest to the lines of its successor, if it stays.
    pub(super) fn put(&self, run: &Run, at: usize, remark: &Line, lines: &mut Vec<Line>) {
        match self.fates.get(&(run.clone(), at)) {
            None => lines.push(remark.clone()),
            Some(Heading::Numbered(turn)) => lines.push(renumbered(remark, *turn)),
            // The blank line before it belongs to it.
            Some(Heading::Gone) => drop(lines.pop_if(|line| line.is_blank())),
        }
    }

    /// Adds the heading that an event needs, if it lost its own.
    pub(super) fn put_before(&self, run: &Run, at: usize, lines: &mut Vec<Line>) {
        if let Some(turn) = self.moved.get(&(run.clone(), at)) {
            if lines.last().is_some_and(|line| !line.is_blank()) {
                lines.push(Line::Remark(String::new()));
            }
            lines.push(Line::heading(*turn));
        }
    }
}

/// A heading and the events up to the next one, across manifests.
struct Section<'a> {
    heading: (Run, usize),
    /// Whether the heading is a number and nothing else.
    bare: bool,
    events: Vec<(Run, &'a FileName, usize)>,
}

fn sections(manifests: &BTreeMap<Run, Manifest>) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for (run, at, line) in in_order(manifests) {
        match line {
            Line::Remark(_) => {
                if let Some((_, rest)) = line.as_heading() {
                    let (heading, bare) = ((run, at), rest.trim().is_empty());
                    sections.push(Section { heading, bare, events: Vec::new() });
                }
            }
            Line::Event(name) => {
                if let Some(section) = sections.last_mut() {
                    section.events.push((run, name, at));
                }
            }
            Line::Run(_) => {}
        }
    }
    sections
}

/// All lines in the order of the stream, each with its manifest and its place there.
fn in_order(manifests: &BTreeMap<Run, Manifest>) -> impl Iterator<Item = (Run, usize, &Line)> {
    let lines = |run: Run| {
        let lines = manifests.get(&run).map_or(&[][..], Manifest::lines);
        lines.iter().enumerate().map(move |(at, line)| (run.clone(), at, line))
    };
    lines(None).flat_map(move |(run, at, line)| {
        let inside = match line {
            Line::Run(name) => Some(lines(Some(name.clone()))),
            Line::Event(_) | Line::Remark(_) => None,
        };
        std::iter::once((run, at, line)).chain(inside.into_iter().flatten())
    })
}

/// A heading with another number, and the same words behind it.
fn renumbered(heading: &Line, turn: u64) -> Line {
    match (Line::heading(turn), heading.as_heading()) {
        (Line::Remark(text), Some((_, rest))) => Line::Remark(text + rest),
        (heading, _) => heading,
    }
}
