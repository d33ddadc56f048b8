//! The operations of conversations that were forked from each other.

use std::collections::{BinaryHeap, HashMap, HashSet};

use super::{
    operation::{Operation, is_one_operation},
    tally::Counts,
    walk::walk,
};
use crate::{
    model::ConversationId,
    store::{ObjectId, Record},
    workspace::{Handle, LoadError, Workspace},
};

/// An operation in a graph of forks.
#[derive(Clone, Debug)]
pub struct Branching {
    /// The operation, or the part of it that the forks share.
    pub operation: Operation,
    /// The last commit of the one before it, if that can be read.
    pub parent: Option<ObjectId>,
    /// The conversations that stand here.
    pub tips: Vec<ConversationId>,
}

/// The operations of several conversations, and where their histories cannot be read.
#[derive(Debug, Default)]
pub struct Lineage {
    /// The operations, newest first, each after all that came from it.
    pub branchings: Vec<Branching>,
    /// Why the history of a conversation ends before its beginning.
    pub problems: Vec<LoadError>,
}

/// The operations of several conversations, as far as they can be read.
pub fn lineage(workspace: &Workspace, members: &[Handle]) -> Lineage {
    let Some(known_as) = members.first().map(Handle::id) else { return Lineage::default() };
    let mut problems = Vec::new();
    let mut records: HashMap<ObjectId, Record> = HashMap::new();
    let mut tips: HashMap<ObjectId, Vec<ConversationId>> = HashMap::new();
    for member in members {
        tips.entry(member.commit()).or_default().push(member.id());
        for record in walk(workspace, member) {
            let record = match record {
                Ok(record) => record,
                Err(problem) => {
                    problems.push(problem);
                    break;
                }
            };
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
    let is_start = |id: &&ObjectId| records.contains_key(*id) && !children.contains_key(*id);
    for id in tips.keys().filter(is_start) {
        ready.push((time(id), *id));
    }
    let (mut branchings, mut counts) = (Vec::new(), Counts::default());
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
        let mut count = |record: &Record| counts.of(workspace, known_as, record);
        let before = match parent {
            Some(parent) => records.get(&parent).and_then(&mut count),
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
        let parent = parent.filter(|parent| records.contains_key(parent));
        branchings.push(Branching { operation, parent, tips: standing });
    }
    Lineage { branchings, problems }
}
