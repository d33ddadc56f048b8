//! Looking for everything that is wrong with a conversation, and mending it.

use super::{AppendFailure, Conversation, Guard, Handle, LoadError, Workspace, append::Scribe};
use crate::{
    format::MANIFEST_FILE,
    plan::{Repair, repair},
    store::{Directory, ObjectId, Origin, Problem, Space, Tip, WriteError},
};

/// What was found, and what was done about it.
#[derive(Debug)]
pub struct Checkup {
    /// What was wrong.
    pub problems: Vec<Problem>,
    /// What a repair did, one line each.
    pub actions: Vec<String>,
    /// The last commit of the repair.
    pub commit: Option<ObjectId>,
    /// What is still wrong.
    pub left: Vec<Problem>,
}

impl Workspace {
    /// Finds everything that is wrong with a conversation.
    pub fn check(&self, handle: &Handle) -> Result<Checkup, LoadError> {
        let problems = self.examine(handle)?.problems;
        Ok(Checkup { left: problems.clone(), problems, actions: Vec::new(), commit: None })
    }

    /// Mends a conversation: one commit for what has no place in it, so that the events can be
    /// read, and one for the events.
    pub fn mend(&self, guard: &mut Guard) -> Result<Checkup, AppendFailure> {
        let id = guard.id();
        let mut checkup = self.check(guard)?;
        for _ in 0..2 {
            let conversation = self.examine(guard)?;
            if !conversation.snapshot.is_writable() {
                let version = conversation.snapshot.version;
                return Err(AppendFailure::ReadOnly { id, version });
            }
            let commit = conversation.snapshot.commit.clone();
            let repairs = repair(input(conversation));
            if repairs.actions.is_empty() {
                break;
            }
            let tree = Directory::read(self.store.objects(), &commit.tree)
                .map_err(|source| LoadError::object(id, source))?;
            let mut tip = Tip { commit: Some(commit.id), tree };
            let subject = format!("repair {id}");
            let scribe = Scribe::new(self)?;
            let body = repairs.actions.clone();
            let new = scribe.commit(subject, body, Origin::Edit, None, None, repairs.changes);
            let written = self.store.write(guard.lock(), Space::Heads, id, &mut tip, &[new]);
            let written = written.map_err(|source| match source {
                WriteError::Moved => AppendFailure::Contended { id },
                source => AppendFailure::write(id, source),
            })?;
            if let Some(commit) = written.commits.last() {
                guard.moved_to(*commit, None);
                checkup.commit = Some(*commit);
            }
            checkup.actions.extend(repairs.actions);
        }
        checkup.left = self.examine(guard)?.problems;
        Ok(checkup)
    }
}

fn input(conversation: Conversation) -> Repair {
    let snapshot = conversation.snapshot;
    let is_manifest = |problem: &&Problem| problem.path.name() == MANIFEST_FILE;
    let flawed = snapshot
        .manifests
        .iter()
        .filter(|(run, manifest)| {
            let place = run.as_ref().map(|run| run.as_str());
            let mut own = snapshot.problems.iter().filter(is_manifest);
            manifest.is_some() && own.any(|problem| problem.path.directory() == place)
        })
        .map(|(run, _)| run.clone())
        .collect();
    let foreign = snapshot.problems.iter().filter(|problem| problem.is_foreign());
    Repair {
        foreign: foreign.map(|problem| problem.path.clone()).collect(),
        flawed,
        files: snapshot
            .listings
            .iter()
            .map(|(run, listing)| (run.clone(), listing.files.keys().cloned().collect()))
            .collect(),
        manifests: snapshot.manifests,
        listed: conversation.listed,
        meta_broken: snapshot.meta_broken,
    }
}
