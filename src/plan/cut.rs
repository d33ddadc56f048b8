//! Keeping a part of a conversation: what goes, and what has to follow.
//!
//! Addresses never change, and files that no manifest lists stay where they are. Configuration that
//! changed in turns that go is still in force, so it stays. Compactions name turns by their number,
//! so they follow when turns are numbered anew. The history keeps everything that goes.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use self::headings::Headings;
use super::{Change, Listed, Outline, TreePath};
use crate::{
    format::{EncodeError, FileName, Line, Manifest, RunName, encode},
    model::{Address, Compaction, Event, EventKind, EventType, Progress},
};

mod headings;

/// A conversation as it is, and which of its events stay.
#[derive(Clone, Debug)]
pub struct Cut {
    /// The manifests, at the top and of each run.
    pub manifests: BTreeMap<Option<RunName>, Manifest>,
    /// The files that stand in each directory, listed or not.
    pub files: BTreeMap<Option<RunName>, BTreeSet<FileName>>,
    /// The stream in order.
    pub stream: Vec<Listed>,
    /// The positions in the stream that stay. The first one begins a turn.
    pub keep: RangeInclusive<usize>,
    /// The address of the next event, which stays as it is: a number is not given again.
    pub next: Option<Address>,
}

/// The change set of a cut, and what is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutPlan {
    /// The change set; empty if everything stays.
    pub changes: Vec<Change>,
    /// What happens beside the removal of events, one line each.
    pub remarks: Vec<String>,
    /// What has to be known to continue.
    pub outline: Outline,
}

/// Decides what turns a conversation into a part of it.
pub fn cut(input: &Cut) -> Result<CutPlan, EncodeError> {
    let mut remarks = Vec::new();
    let places = places(input, &mut remarks);
    let kept = || input.stream.iter().zip(&places).filter(|(_, place)| place.now.is_some());
    let rewritten = rewritten(input, &places, &mut remarks)?;

    let mut changes = Vec::new();
    let mut manifests = input.manifests.clone();
    let leaving = leaving_runs(input, &places);
    if places.iter().any(|place| place.now.is_none()) {
        manifests = cut_manifests(input, &places, &leaving);
        remove_files(input, &places, &leaving, &mut changes);
    }
    for (run, manifest) in &manifests {
        let path = run.as_ref().map_or_else(TreePath::manifest, TreePath::run_manifest);
        if input.manifests.get(run) != Some(manifest) {
            changes.push(Change::Put(path, manifest.to_bytes()));
        }
    }

    let mut progress = Progress::default();
    for event in kept().filter_map(|(listed, _)| listed.event.as_ref()) {
        progress.push(event);
    }
    let size = |listed: &Listed| {
        rewritten.get(&listed.path()).map_or(listed.bytes, |bytes| bytes.len() as u64)
    };
    let runs = input.files.keys().flatten().filter(|run| !leaving.contains(run));
    let outline = Outline {
        manifest: manifests.remove(&None).unwrap_or_default(),
        runs: runs.cloned().collect(),
        next: input.next,
        events: kept().count() as u64,
        bytes: kept().map(|(listed, _)| size(listed)).sum(),
        progress,
    };
    changes.extend(rewritten.into_iter().map(|(path, bytes)| Change::Put(path, bytes)));
    Ok(CutPlan { changes, remarks, outline })
}

impl Listed {
    fn kind(&self) -> Option<&EventKind> {
        self.event.as_ref().map(|event| &event.kind)
    }

    /// Whether it belongs to the request that comes after it.
    fn is_prelude(&self) -> bool {
        self.event.as_ref().is_some_and(|event| event.event_type().is_prelude())
    }

    fn path(&self) -> TreePath {
        TreePath::event_in(self.run.as_ref(), &self.name)
    }
}

/// The turn of an event before and after the cut; an event that goes has none after it.
#[derive(Clone, Copy)]
struct Place {
    was: u64,
    now: Option<u64>,
    /// Whether it is in the part that was asked for, and belongs to its turn whatever follows.
    solid: bool,
}

fn places(input: &Cut, remarks: &mut Vec<String>) -> Vec<Place> {
    let turns_before = turns(input.stream.iter().map(|listed| listed.event.as_ref()));
    let asked = |at: usize| input.keep.contains(&at);
    let left = || turns_before.get(input.keep.clone()).unwrap_or_default().iter().copied();
    let (first_left, last_left) = (left().min(), left().max());
    let last = turns_before.last().copied();
    let stays = |(at, listed): (usize, &Listed)| match listed.kind() {
        Some(EventKind::ConfigDelta(_)) if at < *input.keep.start() => {
            remarks.push(format!("{}: stays, its configuration is in force", listed.path()));
            true
        }
        Some(EventKind::Compaction(compaction)) if asked(at) => {
            let (from, to) = (Some(compaction.from_turn), Some(compaction.to_turn));
            let path = listed.path();
            // One of turns that are still to come has lost nothing.
            let lost = to < first_left || (from > last_left && from <= last);
            if lost {
                let covers = compaction.turns();
                remarks.push(format!("{path}: goes, nothing is left of {covers}"));
            }
            let whole = kept_whole(compaction, first_left, last_left, last);
            if !lost && whole.rules.is_empty() && !compaction.rules.is_empty() {
                remarks.push(format!("{path}: goes, its summary {}", of_turns_that_go(compaction)));
            }
            !lost && (!whole.rules.is_empty() || compaction.rules.is_empty())
        }
        _ => asked(at),
    };
    let stays: Vec<bool> = input.stream.iter().enumerate().map(stays).collect();
    let kept = input.stream.iter().zip(&stays).filter(|(_, stays)| **stays);
    let mut turns_after = turns(kept.map(|(listed, _)| listed.event.as_ref())).into_iter();
    let place = |(at, stays): (usize, bool)| Place {
        was: turns_before[at],
        now: if stays { turns_after.next() } else { None },
        solid: asked(at) && !input.stream[at].is_prelude(),
    };
    stays.into_iter().enumerate().map(place).collect()
}

/// The files of compactions whose turns have other numbers now.
fn rewritten(
    input: &Cut,
    places: &[Place],
    remarks: &mut Vec<String>,
) -> Result<BTreeMap<TreePath, Vec<u8>>, EncodeError> {
    let turns_cut = places.get(*input.keep.start()).map_or(0, |place| place.was);
    let mut rewritten = BTreeMap::new();
    for (listed, place) in input.stream.iter().zip(places) {
        let Some(event @ Event { kind: EventKind::Compaction(compaction), .. }) = &listed.event
        else {
            continue;
        };
        let (first_left, last_left) = turns_left(input, places);
        let left = kept_whole(compaction, first_left, last_left, places.last().map(|p| p.was));
        let moved = renumbered(&left, turns_cut, places);
        if place.now.is_none() || moved == *compaction {
            continue;
        }
        let (path, was, now) = (listed.path(), compaction.turns(), moved.turns());
        if left != *compaction {
            remarks
                .push(format!("{path}: loses its summary, which {}", of_turns_that_go(compaction)));
        }
        if was != now {
            remarks.push(format!("{path}: covers {now}, which before the cut was {was}"));
        }
        let kind = EventKind::Compaction(moved);
        rewritten.insert(path, encode(&Event { kind, ..event.clone() })?);
    }
    Ok(rewritten)
}

/// The first and the last turn that were asked for, by the numbers that they had.
fn turns_left(input: &Cut, places: &[Place]) -> (Option<u64>, Option<u64>) {
    let asked = || places.get(input.keep.clone()).unwrap_or_default().iter().map(|place| place.was);
    (asked().min(), asked().max())
}

/// A compaction without a summary that also tells of turns that go.
fn kept_whole(
    compaction: &Compaction,
    first_left: Option<u64>,
    last_left: Option<u64>,
    last: Option<u64>,
) -> Compaction {
    let mut kept = compaction.clone();
    let begins = first_left.is_some_and(|first| first <= compaction.from_turn);
    let ends = last_left >= Some(compaction.to_turn).min(last);
    if !(begins && ends) {
        kept.drop_summary();
    }
    kept
}

fn of_turns_that_go(compaction: &Compaction) -> String {
    format!("tells of {}, of which some go", compaction.turns())
}

/// A compaction of the same turns under their new numbers, without those that go.
fn renumbered(compaction: &Compaction, turns_cut: u64, places: &[Place]) -> Compaction {
    let solid = || {
        let kept = |place: &Place| place.now.filter(|_| place.solid).map(|now| (place.was, now));
        places.iter().filter_map(kept)
    };
    let (last_was, last_now) = solid().next_back().unwrap_or((turns_cut, 0));
    // Of a turn that is still to come, only the distance to the last one is known.
    let ahead = |turn: u64| turn.checked_sub(last_was).map(|distance| last_now + distance);
    let (from, to) = (compaction.from_turn, compaction.to_turn);
    let first = solid().find(|(was, _)| *was >= from).map(|(_, now)| now);
    let last = solid().rev().find(|(was, _)| *was <= to).map(|(_, now)| now);
    let to_turn = ahead(to).or(last).unwrap_or(0);
    let from_turn = first.or(ahead(from)).unwrap_or(0).min(to_turn);
    Compaction { from_turn, to_turn, rules: compaction.rules.clone() }
}

/// The turn of each event, as [`Stream`](crate::model::Stream) splits them. One that cannot be read
/// belongs to the turn before it.
fn turns<'a>(events: impl Iterator<Item = Option<&'a Event>>) -> Vec<u64> {
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

/// The runs that go as a whole: nothing of the stream stays in them, and nothing stands beside it.
fn leaving_runs(input: &Cut, places: &[Place]) -> BTreeSet<RunName> {
    let mut left = input.files.clone();
    for (listed, place) in input.stream.iter().zip(places) {
        if let (None, Some(files)) = (place.now, left.get_mut(&listed.run)) {
            files.remove(&listed.name);
        }
    }
    let mut emptied = emptied_runs(input, places);
    emptied.retain(|run| left.get(&Some(run.clone())).is_none_or(BTreeSet::is_empty));
    emptied
}

/// The runs that lost everything that they had in the stream.
fn emptied_runs(input: &Cut, places: &[Place]) -> BTreeSet<RunName> {
    let runs = |stays: bool| {
        let stream = input.stream.iter().zip(places);
        let of = stream.filter(move |(_, place)| place.now.is_some() == stays);
        of.filter_map(|(listed, _)| listed.run.clone()).collect::<BTreeSet<_>>()
    };
    runs(false).difference(&runs(true)).cloned().collect()
}

fn remove_files(
    input: &Cut,
    places: &[Place],
    leaving: &BTreeSet<RunName>,
    changes: &mut Vec<Change>,
) {
    for (listed, place) in input.stream.iter().zip(places) {
        let Listed { run, name, .. } = listed;
        let goes_with_its_run = run.as_ref().is_some_and(|run| leaving.contains(run));
        let is_there = input.files.get(run).is_some_and(|files| files.contains(name));
        if place.now.is_none() && is_there && !goes_with_its_run {
            changes.push(Change::Remove(listed.path()));
        }
    }
    let directory = |run: &RunName| Change::Remove(TreePath::found(None, run.to_string()));
    changes.extend(leaving.iter().map(directory));
}

/// The manifests that stay, without the lines of what goes.
fn cut_manifests(
    input: &Cut,
    places: &[Place],
    leaving: &BTreeSet<RunName>,
) -> BTreeMap<Option<RunName>, Manifest> {
    let listed = input.stream.iter().zip(places);
    let turns: BTreeMap<_, _> =
        listed.map(|(listed, place)| ((&listed.run, &listed.name), place.now)).collect();
    let renumber = places.iter().any(|place| place.now.is_some_and(|now| now != place.was));
    let headings = Headings::of(&input.manifests, &turns, renumber);
    let emptied = emptied_runs(input, places);
    let mut manifests = BTreeMap::new();
    // The runs before the top, which takes in what is left of them.
    for (run, manifest) in input.manifests.iter().rev() {
        let mut lines: Vec<Line> = Vec::with_capacity(manifest.lines().len());
        for (at, line) in manifest.lines().iter().enumerate() {
            match line {
                Line::Event(name) => {
                    // A line that leads nowhere is not for a cut to mend.
                    if turns.get(&(run, name)) != Some(&None) {
                        headings.put_before(run, at, &mut lines);
                        lines.push(line.clone());
                    }
                }
                Line::Run(name) if run.is_none() && emptied.contains(name) => {
                    if leaving.contains(name) {
                        let own = manifests.remove(&Some(name.clone()));
                        lines.extend(own.iter().flat_map(words));
                    }
                }
                Line::Run(_) => lines.push(line.clone()),
                Line::Remark(_) => headings.put(run, at, line, &mut lines),
            }
        }
        manifests.insert(run.clone(), Manifest::from_lines(lines));
    }
    manifests
}

/// The remarks of a manifest that say something.
fn words(manifest: &Manifest) -> Vec<Line> {
    let says = |line: &&Line| matches!(line, Line::Remark(_)) && !line.is_blank();
    manifest.lines().iter().filter(says).cloned().collect()
}

#[cfg(test)]
mod tests;
