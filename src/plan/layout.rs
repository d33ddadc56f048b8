//! A conversation as it stands in its tree: its manifests, its files, and the stream that they make.

use std::collections::{BTreeMap, BTreeSet};

use super::TreePath;
use crate::{
    format::{FileName, Line, Manifest, RunName},
    model::{Address, Event, EventKind, EventType, Progress},
};

/// A conversation as it stands in its tree.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The manifests, at the top and of each run.
    pub manifests: BTreeMap<Option<RunName>, Manifest>,
    /// The files that stand in each directory, listed or not.
    pub files: BTreeMap<Option<RunName>, BTreeSet<FileName>>,
    /// The stream in order.
    pub stream: Vec<Listed>,
    /// The address of the next event: a number is not given again.
    pub next: Option<Address>,
}

/// A line of the stream as it was found.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The sealed run that it stands in.
    pub run: Option<RunName>,
    /// The name of the file.
    pub name: FileName,
    /// The event, if the file is there and can be read.
    pub event: Option<Event>,
    /// The bytes of the file.
    pub bytes: u64,
}

impl Listed {
    /// What happened, if it can be read.
    pub fn kind(&self) -> Option<&EventKind> {
        self.event.as_ref().map(|event| &event.kind)
    }

    /// Whether it belongs to the request that comes after it.
    pub fn is_prelude(&self) -> bool {
        self.event.as_ref().is_some_and(|event| event.event_type().is_prelude())
    }

    /// Where its file stands.
    pub fn path(&self) -> TreePath {
        TreePath::event_in(self.run.as_ref(), &self.name)
    }
}

/// A line of all manifests together, in the order of the stream, as people see them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlatLine {
    /// A remark, and the manifest that it stands in.
    Remark(Option<RunName>, String),
    /// The event at this position of the stream.
    Event(usize),
}

impl Layout {
    /// The lines of all manifests in the order of the stream. Runs are not seen in it.
    pub fn flat(&self) -> Vec<FlatLine> {
        let mut flat = Vec::with_capacity(self.stream.len());
        let mut position = 0;
        let mut add = |run: Option<RunName>, line: &Line| match line {
            Line::Remark(text) => flat.push(FlatLine::Remark(run, text.clone())),
            Line::Event(_) => {
                flat.push(FlatLine::Event(position));
                position += 1;
            }
            Line::Run(_) => {}
        };
        for line in self.lines_of(&None) {
            match line {
                Line::Run(run) if self.has_events(run) => {
                    for line in self.lines_of(&Some(run.clone())) {
                        add(Some(run.clone()), line);
                    }
                }
                line => add(None, line),
            }
        }
        flat
    }

    /// Whether any turn has a heading.
    pub fn has_headings(&self) -> bool {
        self.manifests.values().flat_map(Manifest::lines).any(|line| line.as_heading().is_some())
    }

    fn has_events(&self, run: &RunName) -> bool {
        let manifest = self.manifests.get(&Some(run.clone()));
        manifest.is_some_and(|manifest| manifest.events().next().is_some())
    }

    fn lines_of(&self, run: &Option<RunName>) -> &[Line] {
        self.manifests.get(run).map_or(&[], Manifest::lines)
    }

    /// The event at each address of the stream.
    pub fn positions(&self) -> BTreeMap<Address, usize> {
        let positions = self.stream.iter().enumerate();
        positions.map(|(position, listed)| (listed.name.address(), position)).collect()
    }

    /// The turn of each event of the stream.
    pub fn turns(&self) -> Vec<u64> {
        turns(self.stream.iter().map(|listed| listed.event.as_ref()))
    }
}

/// The turn of each event, as [`Stream`](crate::model::Stream) splits them. One that cannot be read
/// belongs to the turn before it.
pub fn turns<'a>(events: impl Iterator<Item = Option<&'a Event>>) -> Vec<u64> {
    let mut progress = Progress::default();
    let mut turns: Vec<u64> = Vec::new();
    let mut prelude = 0;
    for event in events {
        let Some(event) = event else {
            turns.push(progress.current_turn().unwrap_or(0));
            prelude = 0;
            continue;
        };
        let takes_prelude = event.event_type() == EventType::Request && progress.begins_turn(event);
        progress.push(event);
        let turn = progress.current_turn().unwrap_or(0);
        if takes_prelude {
            let before = turns.len() - prelude;
            turns[before..].fill(turn);
        }
        turns.push(turn);
        prelude = if event.event_type().is_prelude() { prelude + 1 } else { 0 };
    }
    turns
}
