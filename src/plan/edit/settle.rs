//! From the stream to come to the change set that leads there.
//!
//! Files that stay as they are stay where they are. Remarks go with the events around them, and
//! stand in the same manifest as before where nothing between two events has changed.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Fault, headings, homes,
    piece::{Origin, Piece, Slot, pieces},
};
use crate::{
    format::{FileName, Form, Line, Manifest, RunName, limits},
    model::{Address, CallId, Event, EventKind, Progress},
    plan::{Change, FlatLine, Layout, Listed, Outline, TreePath, seal},
};

/// The change set of an edit, and what it does.
#[derive(Clone, Debug)]
pub struct Settled {
    /// The change set; empty if everything stays.
    pub changes: Vec<Change>,
    /// What has to be known to continue.
    pub outline: Outline,
    /// What happens to events.
    pub tally: Tally,
}

/// What an edit does to the events of a conversation, by the names of their files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those that go.
    pub removed: Vec<FileName>,
    /// Those that stand elsewhere.
    pub moved: Vec<FileName>,
    /// Those that say something else.
    pub edited: Vec<FileName>,
    /// Those that are new, each with what it was called before.
    pub added: Vec<(FileName, String)>,
    /// Those that stand in for the missing result of a call.
    pub stand_ins: Vec<(FileName, CallId)>,
    /// Those whose files have another name, with the name before.
    pub renamed: Vec<(FileName, FileName)>,
}

/// Decides how a stream that keeps the rules is stored.
pub(super) fn settle(layout: &Layout, slots: Vec<Slot>) -> Result<Settled, Vec<Fault>> {
    let slots = match is_plan_kept(layout, &slots) && are_turns_kept(layout, &slots) {
        true => slots,
        false => headings::renew(slots, layout.has_headings()),
    };
    let all: Vec<&Piece> = pieces(&slots).collect();
    let (names, next) = names(layout, &all)?;
    let moved = homes::moved(&all);
    let homes = homes::homes(layout, &all, &moved);
    let places: Vec<Place<'_>> = (0..all.len())
        .map(|at| Place { piece: all[at], name: &names[at], home: &homes[at] })
        .collect();
    check_targets(layout, &places)?;

    let emptied = emptied_runs(layout, &places);
    let mut manifests = manifests(layout, &slots, &places);
    // What leaves a directory has to do so before the directory goes.
    let mut changes: Vec<Change> = moves(layout, &places).collect();
    changes.extend(removals(layout, &places, &emptied));
    for run in &emptied {
        manifests.remove(&Some(run.clone()));
        changes.push(Change::Remove(TreePath::found(None, run.to_string())));
    }
    for Place { piece, name, home } in &places {
        if let Some(bytes) = &piece.bytes {
            changes.push(Change::Put(TreePath::event_in(home.as_ref(), name), bytes.clone()));
        }
    }
    let mut top = manifests.remove(&None).unwrap_or_default();
    let mut runs: BTreeSet<RunName> =
        layout.files.keys().flatten().filter(|run| !emptied.contains(run)).cloned().collect();
    for (run, manifest) in &manifests {
        if layout.manifests.get(run) != Some(manifest) {
            let path = run.as_ref().map_or_else(TreePath::manifest, TreePath::run_manifest);
            changes.push(Change::Put(path, manifest.to_bytes()));
        }
    }
    if layout.manifests.get(&None) != Some(&top) {
        loop {
            let sealed = seal(&mut top, &mut runs);
            if sealed.is_empty() {
                break;
            }
            changes.extend(sealed);
        }
        changes.push(Change::Put(TreePath::manifest(), top.to_bytes()));
    }
    let outline = Outline {
        manifest: top,
        runs,
        next,
        events: all.len() as u64,
        bytes: bytes_of(layout, &all)?,
        progress: progress(&all),
    };
    let tally = tally(layout, &places, &moved);
    Ok(Settled { changes, outline, tally })
}

/// An event of the stream to come, its name, and the directory that it will stand in.
#[derive(Clone, Copy)]
struct Place<'a> {
    piece: &'a Piece,
    name: &'a FileName,
    home: &'a Option<RunName>,
}

/// Whether all lines are as they were.
fn is_plan_kept(layout: &Layout, slots: &[Slot]) -> bool {
    let flat = layout.flat();
    let is_same = |(flat, slot): (&FlatLine, &Slot)| match (flat, slot) {
        (FlatLine::Remark(_, was), Slot::Remark(is)) => was == is,
        (FlatLine::Event(at), Slot::Piece(piece)) => piece.position() == Some(*at),
        _ => false,
    };
    flat.len() == slots.len() && flat.iter().zip(slots).all(is_same)
}

/// Whether all turns begin where they did: an event that was rewritten may begin another one.
fn are_turns_kept(layout: &Layout, slots: &[Slot]) -> bool {
    let were = headings::turns(layout.stream.iter().map(|listed| listed.event.as_ref()));
    were.eq(headings::turns(pieces(slots).map(|piece| piece.event.as_ref())))
}

/// The name of each event, and the address of the next one.
fn names(layout: &Layout, all: &[&Piece]) -> Result<(Vec<FileName>, Option<Address>), Vec<Fault>> {
    let mut next = layout.next;
    let mut taken = BTreeSet::new();
    let mut names = Vec::with_capacity(all.len());
    let added = all.iter().filter(|piece| piece.position().is_none()).count() as u64;
    for (at, piece) in all.iter().enumerate() {
        if let Some(listed) = piece.position().and_then(|position| layout.stream.get(position)) {
            names.push(piece.name.as_ref().unwrap_or(&listed.name).clone());
            continue;
        }
        // A number that was never given may be chosen, if that leaves no gap behind.
        let chosen = piece.name.clone().filter(|name| {
            let number = |address: Address| u64::from(address.number());
            let ahead =
                layout.next.and_then(|next| number(name.address()).checked_sub(number(next)));
            let is_near = ahead.is_some_and(|ahead| ahead < added);
            is_near && piece.fits(name) && !taken.contains(&name.address())
        });
        while next.is_some_and(|next| taken.contains(&next)) {
            next = next.and_then(Address::next);
        }
        let name = match (chosen, next, &piece.event) {
            (Some(name), ..) => name,
            (None, Some(address), Some(event)) => {
                FileName::new(address, event, tool_of(&all[..at], piece).as_deref())
            }
            (None, ..) => return Err(full(piece)),
        };
        taken.insert(name.address());
        names.push(name);
    }
    let next = match taken.last() {
        Some(highest) => highest.next(),
        None => layout.next,
    };
    Ok((names, next))
}

fn full(piece: &Piece) -> Vec<Fault> {
    vec![piece.fault(format!("the conversation has used up its {} addresses", Address::MAX))]
}

impl Piece {
    /// Whether a file of this name is written as the event is.
    fn fits(&self, name: &FileName) -> bool {
        let event_type = self.event.as_ref().map(Event::event_type);
        event_type.is_some_and(|event_type| Form::of_type(event_type) == name.form())
    }
}

/// The tool of a result that does not name it.
fn tool_of(before: &[&Piece], piece: &Piece) -> Option<String> {
    let EventKind::ToolResult(result) = &piece.event.as_ref()?.kind else { return None };
    before.iter().rev().find_map(|before| match &before.event.as_ref()?.kind {
        EventKind::ToolCall(call) if call.id == result.id => Some(call.tool.to_string()),
        _ => None,
    })
}

/// Refuses to put a file where one that is listed nowhere stands.
fn check_targets(layout: &Layout, places: &[Place<'_>]) -> Result<(), Vec<Fault>> {
    let listed: BTreeSet<TreePath> = layout.stream.iter().map(Listed::path).collect();
    let is_taken = |place: &&Place<'_>| {
        let path = TreePath::event_in(place.home.as_ref(), place.name);
        let is_there = layout.files.get(place.home).is_some_and(|files| files.contains(place.name));
        is_there && !listed.contains(&path)
    };
    let fault = |place: &Place<'_>| {
        let directory = place.home.as_ref().map_or("the top".to_owned(), |run| format!("{run}/"));
        place.piece.fault(format!(
            "a file `{}` that is listed nowhere stands in the way, at {directory}",
            place.name
        ))
    };
    let faults: Vec<_> = places.iter().filter(is_taken).map(fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The files of events that go, but for those that go with their directory.
fn removals(layout: &Layout, places: &[Place<'_>], emptied: &BTreeSet<RunName>) -> Vec<Change> {
    let kept: BTreeSet<usize> = places.iter().filter_map(|place| place.piece.position()).collect();
    let goes = |(at, listed): &(usize, &Listed)| {
        let files = layout.files.get(&listed.run);
        let is_there = files.is_some_and(|files| files.contains(&listed.name));
        let goes_with_its_run = listed.run.as_ref().is_some_and(|run| emptied.contains(run));
        !kept.contains(at) && is_there && !goes_with_its_run
    };
    let gone = layout.stream.iter().enumerate().filter(goes);
    gone.map(|(_, listed)| Change::Remove(listed.path())).collect()
}

/// The files that stand elsewhere, or have another name.
fn moves<'a>(layout: &'a Layout, places: &'a [Place<'a>]) -> impl Iterator<Item = Change> + 'a {
    places.iter().filter_map(|Place { piece, name, home }| {
        let listed = layout.stream.get(piece.position()?)?;
        let (from, to) = (listed.path(), TreePath::event_in(home.as_ref(), name));
        let files = layout.files.get(&listed.run);
        let is_there = files.is_some_and(|files| files.contains(&listed.name));
        (from != to && is_there).then_some(Change::Move(from, to))
    })
}

/// The manifests, with all lines in their places.
fn manifests(
    layout: &Layout,
    slots: &[Slot],
    places: &[Place<'_>],
) -> BTreeMap<Option<RunName>, Manifest> {
    let gaps = Gaps::of(layout);
    let mut lines: BTreeMap<Option<RunName>, Vec<Line>> = BTreeMap::new();
    for run in layout.files.keys().chain([&None]) {
        lines.insert(run.clone(), Vec::new());
    }
    let mut remarks: Vec<&str> = Vec::new();
    let mut places = places.iter();
    let mut last: Option<&Place<'_>> = None;
    let mut opened = BTreeSet::new();
    for slot in slots.iter().map(Some).chain([None]) {
        let next = match slot {
            Some(Slot::Remark(text)) => {
                remarks.push(text);
                continue;
            }
            Some(Slot::Piece(_)) => places.next(),
            None => None,
        };
        let around = (last, next);
        let split = gaps.split(around, &remarks);
        let mut put = |home: &Option<RunName>, line: Line| {
            if let Some(run) = home
                && opened.insert(run.clone())
            {
                lines.entry(None).or_default().push(Line::Run(run.clone()));
            }
            lines.entry(home.clone()).or_default().push(line);
        };
        for (text, home) in std::mem::take(&mut remarks).into_iter().zip(split) {
            put(&home, Line::Remark(text.to_owned()));
        }
        if let Some(Place { name, home, .. }) = next {
            put(home, Line::Event((*name).clone()));
        }
        last = next;
    }
    // A run that had no part in the stream stays as it is.
    let manifest = |(run, lines): (Option<RunName>, Vec<Line>)| {
        let has_part = run.is_none() || layout.stream.iter().any(|listed| listed.run == run);
        let own = layout.manifests.get(&run).filter(|_| !has_part);
        let manifest = own.cloned().unwrap_or_else(|| Manifest::from_lines(lines));
        (run, manifest)
    };
    lines.into_iter().map(manifest).collect()
}

/// Which remarks stood between which events, and in which manifest each.
struct Gaps {
    between: BTreeMap<Between, Vec<(Option<RunName>, String)>>,
}

/// The positions of the events around a gap; the beginning and the end have none.
type Between = (Option<usize>, Option<usize>);

impl Gaps {
    fn of(layout: &Layout) -> Self {
        let mut between = BTreeMap::new();
        let (mut last, mut remarks) = (None, Vec::new());
        for line in layout.flat() {
            match line {
                FlatLine::Remark(run, text) => remarks.push((run, text)),
                FlatLine::Event(at) => {
                    between.insert((last, Some(at)), std::mem::take(&mut remarks));
                    last = Some(at);
                }
            }
        }
        between.insert((last, None), remarks);
        Self { between }
    }

    /// The manifest of each remark between two events.
    fn split(
        &self,
        (left, right): (Option<&Place<'_>>, Option<&Place<'_>>),
        remarks: &[&str],
    ) -> Vec<Option<RunName>> {
        let home = |place: Option<&Place<'_>>| place.and_then(|place| place.home.clone());
        let (before, after) = (home(left), home(right));
        if before == after {
            return vec![before; remarks.len()];
        }
        let position = |place: Option<&Place<'_>>| match place {
            // The beginning and the end are places, too; a new event has none.
            None => Some(None),
            Some(place) => place.piece.position().map(Some),
        };
        let were = position(left).zip(position(right)).and_then(|key| self.between.get(&key));
        let are_same = |were: &&Vec<(Option<RunName>, String)>| {
            let same = |((_, was), is): (&(_, String), &&str)| is_like(was, is);
            were.len() == remarks.len() && were.iter().zip(remarks).all(same)
        };
        if let Some(were) = were.filter(are_same) {
            let allowed = [&before, &None, &after];
            return were
                .iter()
                .map(|(run, _)| run.clone().filter(|run| allowed.contains(&&Some(run.clone()))))
                .collect();
        }
        let mut split = vec![None; remarks.len()];
        // The heading of a run goes into it.
        if let (Some(last), Some(text)) = (split.last_mut(), remarks.last())
            && is_heading(text)
        {
            *last = after;
        }
        split
    }
}

fn is_heading(text: &str) -> bool {
    Line::Remark(text.to_owned()).as_heading().is_some()
}

/// Whether two remarks are the same, but for the number of a turn.
fn is_like(one: &str, other: &str) -> bool {
    one == other || (is_heading(one) && is_heading(other))
}

/// The runs that go as a whole: nothing of the stream is left in them, and nothing stands beside it.
fn emptied_runs(layout: &Layout, places: &[Place<'_>]) -> BTreeSet<RunName> {
    let used: BTreeSet<&RunName> = places.iter().filter_map(|place| place.home.as_ref()).collect();
    let mut beside = layout.files.clone();
    let mut emptied = BTreeSet::new();
    for listed in &layout.stream {
        if let Some(files) = beside.get_mut(&listed.run) {
            files.remove(&listed.name);
        }
        emptied.extend(listed.run.clone().filter(|run| !used.contains(run)));
    }
    emptied.retain(|run| beside.get(&Some(run.clone())).is_none_or(BTreeSet::is_empty));
    emptied
}

/// How many bytes the event files have.
fn bytes_of(layout: &Layout, all: &[&Piece]) -> Result<u64, Vec<Fault>> {
    let size = |piece: &&Piece| match (&piece.bytes, piece.position()) {
        (Some(bytes), _) => bytes.len() as u64,
        (None, Some(position)) => layout.stream.get(position).map_or(0, |listed| listed.bytes),
        (None, None) => 0,
    };
    let bytes = all.iter().map(size).sum();
    if bytes > limits::CONVERSATION {
        let message =
            format!("the conversation would be larger than {} bytes", limits::CONVERSATION);
        return Err(vec![Fault::of_plan(None, message)]);
    }
    Ok(bytes)
}

fn progress(all: &[&Piece]) -> Progress {
    let mut progress = Progress::default();
    for event in all.iter().filter_map(|piece| piece.event.as_ref()) {
        progress.push(event);
    }
    progress
}

fn tally(layout: &Layout, places: &[Place<'_>], moved: &[bool]) -> Tally {
    let mut tally = Tally::default();
    let mut kept = BTreeSet::new();
    for (place, moved) in places.iter().zip(moved) {
        let Place { piece, name, .. } = place;
        match &piece.origin {
            Origin::Added(_) => tally.added.push(((*name).clone(), piece.shown.clone())),
            Origin::StandIn(call) => tally.stand_ins.push(((*name).clone(), call.clone())),
            Origin::Kept(position) => {
                kept.insert(*position);
                if *moved {
                    tally.moved.push((*name).clone());
                }
                if piece.bytes.is_some() {
                    tally.edited.push((*name).clone());
                }
                let was = layout.stream.get(*position).map(|listed| &listed.name);
                if let Some(was) = was.filter(|was| was != name) {
                    tally.renamed.push(((*name).clone(), was.clone()));
                }
            }
        }
    }
    let gone = layout.stream.iter().enumerate().filter(|(at, _)| !kept.contains(at));
    tally.removed = gone.map(|(_, listed)| listed.name.clone()).collect();
    tally
}
