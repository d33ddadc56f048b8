//! Mending a conversation that breaks the format: a commit that can be looked at and undone.
//!
//! Nothing is thrown away: a file that cannot be in the stream stays beside it, and history keeps
//! what had to leave the tree. The turn under way is left alone.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::{Change, Listed, TreePath, sanitize::missing_result};
use crate::{
    format::{FileName, Line, Manifest, RunName, encode, encode_meta},
    model::{Address, Entry, Event, EventKind, Meta, Progress, Refusal, Stream, ToolCall},
};

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
    /// Files of the format whose permissions are not those of a plain file.
    pub odd_modes: Vec<TreePath>,
    /// What `meta.toml` should say, if it is missing or partly wrong.
    pub meta: Option<Meta>,
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
    edits: BTreeMap<(Option<RunName>, FileName), LineEdit>,
    repairs: Repairs,
}

/// What becomes of the line of an event.
#[derive(Default)]
struct LineEdit {
    removed: bool,
    renamed: Option<FileName>,
    followed_by: Vec<FileName>,
}

impl Work {
    fn new(input: Repair) -> Self {
        let highest = input.files.values().flatten().map(FileName::address).max();
        let next = highest.map_or(Some(Address::FIRST), Address::next);
        let mut work = Self {
            manifests: BTreeMap::new(),
            changed: BTreeSet::new(),
            next,
            edits: BTreeMap::new(),
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
        for path in std::mem::take(&mut self.input.odd_modes) {
            self.repairs.actions.push(format!("{path}: a plain file again"));
            self.repairs.changes.push(Change::Move(path.clone(), path));
        }
        for path in std::mem::take(&mut self.input.twice) {
            self.repairs.actions.push(format!("{path}: its second entry is taken out"));
            // Written anew, a directory has each name once.
            self.repairs.changes.push(Change::Move(path.clone(), path));
        }
    }

    fn rewrite_meta(&mut self) {
        if let Some(meta) = self.input.meta.take() {
            let path = TreePath::meta();
            self.repairs.actions.push(format!("{path}: written anew with what could be read"));
            self.repairs.changes.push(Change::Put(path, encode_meta(&meta)));
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
        for (index, Listed { run, name, event, .. }) in listed.into_iter().enumerate() {
            let Some(event) = event else {
                self.unlist(&run, &name, "it is missing or cannot be read");
                continue;
            };
            let anchor = name.clone();
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
            last = Some((run, anchor));
        }
    }

    fn unlist(&mut self, run: &Option<RunName>, name: &FileName, why: &str) {
        let path = TreePath::event_in(run.as_ref(), name);
        self.act(run, format!("{path}: taken out of the stream: {why}"));
        self.edits.entry((run.clone(), name.clone())).or_default().removed = true;
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
        self.edits.entry((run.clone(), name)).or_default().renamed = Some(renamed.clone());
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
        self.edits.entry((run.clone(), after.clone())).or_default().followed_by.push(name);
        progress.push(&event);
        Some((run, after))
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
            let Some(manifest) = self.manifests.remove(&run) else { continue };
            let mut lines = Vec::with_capacity(manifest.lines().len());
            for line in manifest.lines() {
                let Line::Event(name) = line else {
                    lines.push(line.clone());
                    continue;
                };
                let edit = self.edits.remove(&(run.clone(), name.clone())).unwrap_or_default();
                if !edit.removed {
                    lines.push(Line::Event(edit.renamed.unwrap_or_else(|| name.clone())));
                }
                lines.extend(edit.followed_by.into_iter().map(Line::Event));
            }
            let manifest = Manifest::from_lines(lines);
            self.repairs.changes.push(Change::Put(path, manifest.to_bytes()));
        }
        // All of them would not fit into the message of a commit.
        let more = self.repairs.actions.len().saturating_sub(MAX_ACTIONS);
        if more > 0 {
            self.repairs.actions.truncate(MAX_ACTIONS);
            self.repairs.actions.push(format!("and {more} more like these"));
        }
        self.repairs
    }
}

/// How many actions are told one by one.
const MAX_ACTIONS: usize = 1000;

fn place(run: &Option<RunName>) -> impl fmt::Display {
    match run {
        Some(run) => TreePath::run_manifest(run),
        None => TreePath::manifest(),
    }
}
