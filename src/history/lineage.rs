//! Conversations that were forked from each other.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};

use super::{
    operation::{Operation, events, is_one_operation},
    walk::walk,
};
use crate::{
    model::ConversationId,
    store::{ObjectId, Record, RefError, Space},
    workspace::{Handle, LoadError, Row, Workspace},
};

/// The conversations of a list, each after the one that it was forked from, with its depth.
pub fn family_tree(rows: Vec<Row>) -> Vec<(usize, Row)> {
    let known: BTreeSet<_> = rows.iter().map(|row| row.id).collect();
    let parent =
        |row: &Row| row.heading.forked.filter(|from| *from != row.id && known.contains(from));
    let mut children: BTreeMap<Option<ConversationId>, Vec<Row>> = BTreeMap::new();
    for row in rows {
        children.entry(parent(&row)).or_default().push(row);
    }
    let mut ordered = Vec::new();
    // What is forked from itself in a circle begins anywhere.
    while let Some(start) = children.keys().next().copied() {
        let mut left: Vec<(usize, Row)> =
            children.remove(&start).into_iter().flatten().rev().map(|row| (0, row)).collect();
        while let Some((depth, row)) = left.pop() {
            let below = children.remove(&Some(row.id)).into_iter().flatten().rev();
            left.extend(below.map(|row| (depth + 1, row)));
            ordered.push((depth, row));
        }
    }
    ordered
}

/// The conversations that have a root in common with one: it, what it was forked from, and all
/// their forks, wherever they are kept.
pub fn family(workspace: &Workspace, handle: &Handle) -> Result<Vec<Handle>, RefError> {
    let mut rows = Vec::new();
    for space in Space::ALL {
        rows.extend(workspace.overview(space)?.rows);
    }
    let parent: HashMap<_, _> =
        rows.iter().filter_map(|row| Some((row.id, row.heading.forked?))).collect();
    let root = |mut id: ConversationId| {
        let mut seen = BTreeSet::new();
        while let Some(from) = parent.get(&id).filter(|_| seen.insert(id)) {
            id = *from;
        }
        id
    };
    let own = root(handle.id());
    let others = rows.iter().filter(|row| row.id != handle.id() && root(row.id) == own);
    Ok(std::iter::once(handle.clone()).chain(others.map(Row::handle)).collect())
}

/// An operation in a graph of forks.
#[derive(Clone, Debug)]
pub struct Branching {
    /// The operation, or the part of it that the forks share.
    pub operation: Operation,
    /// The last commit of the one before it.
    pub parent: Option<ObjectId>,
    /// The conversations that stand here.
    pub tips: Vec<ConversationId>,
}

/// The operations of several conversations, newest first, each after all that came from it.
pub fn branchings(workspace: &Workspace, members: &[Handle]) -> Result<Vec<Branching>, LoadError> {
    let Some(known_as) = members.first().map(Handle::id) else { return Ok(Vec::new()) };
    let mut records: HashMap<ObjectId, Record> = HashMap::new();
    let mut tips: HashMap<ObjectId, Vec<ConversationId>> = HashMap::new();
    for member in members {
        tips.entry(member.commit()).or_default().push(member.id());
        for record in walk(workspace, member) {
            let record = record?;
            let (id, known) = (record.id, records.len());
            records.insert(id, record);
            if records.len() == known {
                break;
            }
        }
    }
    let mut children: HashMap<ObjectId, usize> = HashMap::new();
    for record in records.values() {
        if let Some(parent) = record.parents.first() {
            *children.entry(*parent).or_default() += 1;
        }
    }
    // A commit ends what a line of the graph shows if something else than its operation goes on
    // from it.
    let shared: HashSet<ObjectId> =
        children.iter().filter(|(_, count)| **count > 1).map(|(id, _)| *id).collect();
    let is_end = |id: ObjectId| tips.contains_key(&id) || shared.contains(&id);
    let mut ready: BinaryHeap<(i64, ObjectId)> = BinaryHeap::new();
    let time = |id: &ObjectId| records.get(id).map_or(0, |record| record.committed.seconds());
    for id in tips.keys().filter(|id| !children.contains_key(*id)) {
        ready.push((time(id), *id));
    }
    let mut branchings = Vec::new();
    while let Some((_, last)) = ready.pop() {
        let mut own: Vec<Record> = records.get(&last).cloned().into_iter().collect();
        let mut parent = own.last().and_then(|record| record.parent());
        while let Some(before) = parent.and_then(|id| records.get(&id)) {
            let newest = own.last().expect("it has a commit");
            if is_end(before.id) || !is_one_operation(newest, before) {
                break;
            }
            own.push(before.clone());
            parent = before.parent();
        }
        let count = |record: &Record| events(workspace, known_as, record);
        let before = match parent.and_then(|id| records.get(&id)) {
            Some(before) => count(before),
            None => Some(0),
        };
        let after = own.first().and_then(count);
        let delta = after.zip(before).map(|(after, before)| after - before);
        if let Some(parent) = parent {
            let left = children.entry(parent).or_insert(1);
            *left -= 1;
            if *left == 0 && records.contains_key(&parent) {
                ready.push((time(&parent), parent));
            }
        }
        let standing = tips.get(&last).cloned().unwrap_or_default();
        let operation = Operation { records: own, events: delta };
        branchings.push(Branching { operation, parent, tips: standing });
    }
    Ok(branchings)
}
