//! What was found in files, put back to where the files stand in a conversation.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
};

use super::{
    Hit, Reach, SearchProblem, Searched,
    facts::Facts,
    run::{Look, Looks, Version},
};
use crate::{
    format::limits,
    model::{CallId, EventType},
    store::{Commit, Located, ObjectId, Objects, ReadError, Snapshot},
};

/// What was found in the stream of a version. What is not in the stream of a past version is looked
/// for in the ones before, which may have it.
pub(super) fn resolve(
    objects: &Objects,
    version: &Version,
    looks: &Looks,
    reach: &Reach<'_>,
) -> (Vec<Searched>, Vec<SearchProblem>) {
    let mut resolution =
        Resolution { objects, version, looks, reach, found: Vec::new(), problems: Vec::new() };
    let blobs = version.files.iter().map(|file| file.blob);
    let mut left: HashSet<_> = blobs.filter(|blob| looks.contains_key(blob)).collect();
    let mut next = Some(version.handle.commit());
    while let Some(commit) = next.filter(|_| !left.is_empty()) {
        match resolution.at(commit, &mut left) {
            Ok(parent) => next = parent.filter(|_| version.is_past),
            Err(error) => {
                let (id, why) = (version.handle.id(), error.to_string());
                let problem = match version.is_past {
                    true => SearchProblem::History { id, why },
                    false => SearchProblem::Conversation { id, why },
                };
                resolution.problems.push(problem);
                break;
            }
        }
    }
    (resolution.found, resolution.problems)
}

struct Resolution<'a> {
    objects: &'a Objects,
    version: &'a Version,
    looks: &'a Looks,
    reach: &'a Reach<'a>,
    found: Vec<Searched>,
    problems: Vec<SearchProblem>,
}

impl Resolution<'_> {
    /// Finds contents in the stream at a commit, and returns the one before. Only those are left
    /// that are in its tree and not in its stream.
    fn at(
        &mut self,
        commit: ObjectId,
        left: &mut HashSet<ObjectId>,
    ) -> Result<Option<ObjectId>, ReadError> {
        let commit = Commit::read(self.objects, commit, &mut Vec::new())?;
        let snapshot = Snapshot::read(self.objects, commit)?;
        let (id, space) = (self.version.handle.id(), self.version.handle.space());
        let tools = Tools { objects: self.objects, order: &snapshot.order, calls: OnceCell::new() };
        let mut hits = Vec::new();
        let mut listed = HashSet::new();
        for (position, located) in snapshot.order.iter().enumerate() {
            let Some(blob) = located.blob.filter(|blob| left.contains(blob)) else { continue };
            listed.insert(blob);
            match self.looks.get(&blob) {
                Some(Look::Found { lines, facts }) => {
                    let timestamp = facts.timestamp.unwrap_or(snapshot.commit.committed);
                    let tool = || tools.of(facts, position);
                    if self.reach.scope.admits(facts, timestamp.instant(), tool) {
                        hits.push(Hit {
                            file: located.name.clone(),
                            event_type: facts.event_type,
                            timestamp: self.reach.details.then_some(timestamp),
                            lines: lines.clone(),
                        });
                    }
                }
                Some(Look::Unreadable(why)) => {
                    let (path, why) = (located.path(), why.clone());
                    self.problems.push(SearchProblem::File { id, path, why });
                }
                None => {}
            }
        }
        let there = snapshot.listings.values().flat_map(|listing| listing.files.values());
        let there: HashSet<_> = there.collect();
        left.retain(|blob| !listed.contains(blob) && there.contains(blob));
        let damage = snapshot.problems.iter().find(|problem| !problem.is_harmless());
        if let Some(damage) = damage.filter(|_| !self.version.is_past) {
            self.problems.push(SearchProblem::Damaged { id, why: damage.to_string() });
        }
        let Snapshot { commit, meta, .. } = snapshot;
        if !hits.is_empty() {
            self.found.push(Searched {
                id,
                space,
                title: meta.title,
                commit: commit.id,
                committed: commit.committed,
                is_past: self.version.is_past,
                updated: self.version.updated,
                hits,
            });
        }
        Ok(commit.parents.first().copied())
    }
}

/// The tools of the calls in a stream, read when somebody asks.
struct Tools<'a> {
    objects: &'a Objects,
    order: &'a [Located],
    /// Where the calls with an id stand, and their tools.
    calls: OnceCell<HashMap<CallId, Vec<(usize, String)>>>,
}

impl Tools<'_> {
    /// The tool of an event at a position: the one that it names, else that of its call.
    fn of<'a>(&'a self, facts: &'a Facts, position: usize) -> Option<&'a str> {
        if let Some(tool) = &facts.tool {
            return Some(tool);
        }
        let id = facts.call.as_ref()?;
        let calls = self.calls.get_or_init(|| self.read()).get(id)?;
        let before = calls.iter().rev().find(|(at, _)| *at < position);
        before.map(|(_, tool)| tool.as_str())
    }

    /// The calls that can be read; the others are told of elsewhere.
    fn read(&self) -> HashMap<CallId, Vec<(usize, String)>> {
        let call = |located: &Located| {
            let hint = located.name.hinted_type().filter(|hint| *hint == EventType::ToolCall)?;
            let bytes = self.objects.blob(&located.blob?, limits::EVENT_FILE).ok()?;
            let facts = Facts::of(&bytes, located.name.form(), Some(hint));
            Some((facts.call?, facts.tool?))
        };
        let mut calls: HashMap<_, Vec<_>> = HashMap::new();
        for (position, located) in self.order.iter().enumerate() {
            if let Some((id, tool)) = call(located) {
                calls.entry(id).or_default().push((position, tool));
            }
        }
        calls
    }
}
