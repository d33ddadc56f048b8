//! Mending a conversation that breaks the format: a commit that can be looked at and undone.
//!
//! Nothing is thrown away: a file that cannot be in the stream stays beside it, and history keeps
//! what had to leave the tree. The turn under way is left alone.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::{Change, TreePath, sanitize::missing_result};
use crate::{
    format::{FileName, Line, Manifest, RunName, encode, encode_meta},
    model::{Address, Entry, Event, EventKind, Meta, Progress, Refusal, Stream, ToolCall},
};

/// A line of the stream as it was found.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The sealed run that it stands in.
    pub run: Option<RunName>,
    /// The name of the file.
    pub name: FileName,
    /// The event, if the file is there and can be read.
    pub event: Option<Event>,
}

/// Everything that a repair needs to know.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The manifests, at the top and of each run, with what could be read of them; `None` for one
    /// that is missing.
    pub manifests: BTreeMap<Option<RunName>, Option<Manifest>>,
    /// Manifests that hold lines which could not be read or lead nowhere.
    pub flawed: BTreeSet<Option<RunName>>,
    /// The files that stand in each directory.
    pub files: BTreeMap<Option<RunName>, BTreeSet<FileName>>,
    /// The stream in order.
    pub listed: Vec<Listed>,
    /// What does not belong into the tree.
    pub foreign: Vec<TreePath>,
    /// What is in the tree twice under one name.
    pub twice: Vec<TreePath>,
    /// Whether `meta.toml` is missing or cannot be read.
    pub meta_broken: bool,
}

/// The change set of a repair, and what it does in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// The change set.
    pub changes: Vec<Change>,
    /// What it does, one line each.
    pub actions: Vec<String>,
}

/// Decides what mends a conversation.
pub fn repair(input: Repair) -> Repairs {
    let mut work = Work::new(input);
    work.remove_foreign();
    work.rewrite_meta();
    work.rebuild_manifests();
    work.mend_stream();
    work.finish()
}

struct Work {
    input: Repair,
    manifests: BTreeMap<Option<RunName>, Manifest>,
    changed: BTreeSet<Option<RunName>>,
    next: Option<Address>,
    repairs: Repairs,
}

impl Work {
    fn new(input: Repair) -> Self {
        let highest = input.files.values().flatten().map(FileName::address).max();
        let next = highest.map_or(Some(Address::FIRST), Address::next);
        let mut work = Self {
            manifests: BTreeMap::new(),
            changed: BTreeSet::new(),
            next,
            repairs: Repairs::default(),
            input,
        };
        for run in work.input.flawed.clone() {
            work.act(&run, format!("{}: lines that are wrong are taken out", place(&run)));
        }
        work
    }

    fn act(&mut self, run: &Option<RunName>, action: String) {
        self.changed.insert(run.clone());
        self.repairs.actions.push(action);
    }

    fn remove_foreign(&mut self) {
        for path in std::mem::take(&mut self.input.foreign) {
            self.repairs.actions.push(format!("{path}: taken out, it does not belong here"));
            self.repairs.changes.push(Change::Remove(path));
        }
        for path in std::mem::take(&mut self.input.twice) {
            self.repairs.actions.push(format!("{path}: its second entry is taken out"));
            // Written anew, a directory has each name once.
            self.repairs.changes.push(Change::Move(path.clone(), path));
        }
    }

    fn rewrite_meta(&mut self) {
        if self.input.meta_broken {
            let path = TreePath::meta();
            self.repairs.actions.push(format!("{path}: written anew"));
            self.repairs.changes.push(Change::Put(path, encode_meta(&Meta::default())));
        }
    }

    fn rebuild_manifests(&mut self) {
        let found = std::mem::take(&mut self.input.manifests);
        for (run, manifest) in found {
            let manifest = match manifest {
                Some(manifest) => manifest,
                None => {
                    let action = format!("{}: written anew from the files beside it", place(&run));
                    self.act(&run, action);
                    self.rebuilt(&run)
                }
            };
            let mut manifest = manifest;
            manifest.lines_mut().retain(|line| match line {
                Line::Run(name) => {
                    run.is_none() && self.input.files.contains_key(&Some(name.clone()))
                }
                Line::Event(_) | Line::Remark(_) => true,
            });
            self.manifests.insert(run, manifest);
        }
    }

    fn rebuilt(&self, run: &Option<RunName>) -> Manifest {
        let mut lines: Vec<(Address, Line)> = Vec::new();
        for name in self.input.files.get(run).into_iter().flatten() {
            lines.push((name.address(), Line::Event(name.clone())));
        }
        if run.is_none() {
            for run in self.input.files.keys().flatten() {
                let address = run.as_str().parse().unwrap_or(Address::FIRST);
                lines.push((address, Line::Run(run.clone())));
            }
        }
        lines.sort_by_key(|(address, line)| (*address, !matches!(line, Line::Run(_))));
        Manifest::from_lines(lines.into_iter().map(|(_, line)| line).collect())
    }

    fn mend_stream(&mut self) {
        let listed = std::mem::take(&mut self.input.listed);
        let sound: Vec<(usize, Entry)> = listed
            .iter()
            .enumerate()
            .filter_map(|(index, listed)| {
                let event = listed.event.clone()?;
                Some((index, Entry { address: listed.name.address(), event }))
            })
            .collect();
        let stream = Stream::new(sound.iter().map(|(_, entry)| entry.clone()));
        let under_way = stream.incomplete.map_or(0, |incomplete| incomplete.turn.entries.len());
        let complete = sound.len() - under_way - stream.waiting.len();
        let tail = sound.get(complete).map_or(listed.len(), |(index, _)| *index);

        let mut progress = Progress::default();
        let mut calls: Vec<ToolCall> = Vec::new();
        let mut last: Option<(Option<RunName>, FileName)> = None;
        let mut seen = BTreeSet::new();
        for (index, Listed { run, name, event }) in listed.into_iter().enumerate() {
            let Some(event) = event else {
                self.unlist(&run, &name, "it is missing or cannot be read");
                continue;
            };
            let name = self.unique(&mut seen, &run, name);
            if index < tail
                && let Err(refusal) = progress.admit(&event)
            {
                match refusal {
                    Refusal::RequestAfterRequest => self.mark_interrupting(&run, &name, &event),
                    Refusal::RequestBeforeResults(ids) => {
                        for call in calls.iter().filter(|call| ids.contains(&call.id)) {
                            last = self.add_result(call, &event, last.take(), &mut progress);
                        }
                        calls.clear();
                    }
                    refusal => {
                        self.unlist(&run, &name, &refusal.to_string());
                        continue;
                    }
                }
            }
            match &event.kind {
                EventKind::ToolCall(call) => calls.push(call.clone()),
                EventKind::ToolResult(result) => calls.retain(|call| call.id != result.id),
                _ => {}
            }
            progress.push(&event);
            last = Some((run, name));
        }
    }

    fn unlist(&mut self, run: &Option<RunName>, name: &FileName, why: &str) {
        let path = TreePath::event_in(run.as_ref(), name);
        self.act(run, format!("{path}: taken out of the stream: {why}"));
        if let Some(manifest) = self.manifests.get_mut(run) {
            manifest.lines_mut().retain(|line| *line != Line::Event(name.clone()));
        }
    }

    /// Gives a file a number of its own if another file has it already.
    fn unique(
        &mut self,
        seen: &mut BTreeSet<Address>,
        run: &Option<RunName>,
        name: FileName,
    ) -> FileName {
        if seen.insert(name.address()) {
            return name;
        }
        let Some(address) = self.take_address() else { return name };
        let rest = name.as_str().split_once('-').map_or("event.md", |(_, rest)| rest);
        let Ok(renamed) = format!("{address}-{rest}").parse::<FileName>() else { return name };
        let path = TreePath::event_in(run.as_ref(), &name);
        self.act(run, format!("{path}: now {renamed}, its number was given twice"));
        let target = TreePath::event_in(run.as_ref(), &renamed);
        self.repairs.changes.push(Change::Move(path, target));
        if let Some(manifest) = self.manifests.get_mut(run) {
            for line in
                manifest.lines_mut().iter_mut().filter(|line| **line == Line::Event(name.clone()))
            {
                *line = Line::Event(renamed.clone());
            }
        }
        seen.insert(address);
        renamed
    }

    fn mark_interrupting(&mut self, run: &Option<RunName>, name: &FileName, event: &Event) {
        let mut event = event.clone();
        if let EventKind::Request(request) = &mut event.kind {
            request.interrupts = true;
        }
        let path = TreePath::event_in(run.as_ref(), name);
        if let Ok(bytes) = encode(&event) {
            let action = format!("{path}: marked as an interruption, it follows a request");
            self.repairs.actions.push(action);
            self.repairs.changes.push(Change::Put(path, bytes));
        }
    }

    fn add_result(
        &mut self,
        call: &ToolCall,
        at: &Event,
        last: Option<(Option<RunName>, FileName)>,
        progress: &mut Progress,
    ) -> Option<(Option<RunName>, FileName)> {
        let event = missing_result(call, at);
        let (run, after) = last.clone()?;
        let (Some(address), Ok(bytes)) = (self.take_address(), encode(&event)) else {
            return last;
        };
        let name = FileName::new(address, &event, None);
        let path = TreePath::event_in(run.as_ref(), &name);
        self.act(&run, format!("{path}: added, call `{}` had no result", call.id));
        self.repairs.changes.push(Change::Put(path, bytes));
        if let Some(manifest) = self.manifests.get_mut(&run) {
            let lines = manifest.lines_mut();
            let place = lines.iter().position(|line| *line == Line::Event(after.clone()));
            let place = place.map_or(lines.len(), |index| index + 1);
            lines.insert(place, Line::Event(name.clone()));
        }
        progress.push(&event);
        Some((run, name))
    }

    fn take_address(&mut self) -> Option<Address> {
        let address = self.next?;
        self.next = address.next();
        Some(address)
    }

    fn finish(mut self) -> Repairs {
        for run in self.changed {
            let path = match &run {
                Some(run) => TreePath::run_manifest(run),
                None => TreePath::manifest(),
            };
            if let Some(manifest) = self.manifests.get(&run) {
                self.repairs.changes.push(Change::Put(path, manifest.to_bytes()));
            }
        }
        self.repairs
    }
}

fn place(run: &Option<RunName>) -> impl fmt::Display {
    match run {
        Some(run) => TreePath::run_manifest(run),
        None => TreePath::manifest(),
    }
}
