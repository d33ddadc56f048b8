//! What a look at everything finds: files that are wrong, and commits that are.

use std::fmt;

use super::{Conversation, Handle, LoadError, Workspace};
use crate::{
    plan::{Heading, Summary},
    store::{Commit, ObjectError, ObjectId, Problem, RefError, Space},
};

/// One thing that is wrong with a conversation.
#[derive(Debug)]
pub enum Finding {
    /// A file of it.
    File(Problem),
    /// What its last commit tells about the tree, which lists believe without looking.
    Summary {
        /// The commit.
        commit: ObjectId,
        /// In what it is wrong.
        fields: Vec<&'static str>,
    },
    /// Its history breaks off.
    History(ObjectError),
    /// It is kept in another place as well, as after a move that was cut short.
    Twice(Space),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(problem) => problem.fmt(f),
            Self::Summary { commit, fields } => {
                write!(f, "the summary in commit {commit} does not fit: {}", fields.join(", "))
            }
            Self::History(error) => write!(f, "its history breaks off: {error}"),
            Self::Twice(space) => write!(f, "it is {} as well", space.whereabouts()),
        }
    }
}

impl Workspace {
    /// Everything that is wrong with a conversation: its files first, then its commits.
    pub(super) fn findings(&self, handle: &Handle) -> Result<Vec<Finding>, LoadError> {
        let conversation = self.examine(handle)?;
        let summary = summary_of(&conversation);
        let mut findings: Vec<_> = conversation.problems.into_iter().map(Finding::File).collect();
        findings.extend(summary);
        findings.extend(self.break_in_history(handle.commit()).map(Finding::History));
        findings.extend(self.other_places(handle)?.into_iter().map(Finding::Twice));
        Ok(findings)
    }

    /// Why the commits before one cannot be followed to the first.
    fn break_in_history(&self, tip: ObjectId) -> Option<ObjectError> {
        let mut buffer = Vec::new();
        let mut next = Some(tip);
        while let Some(id) = next {
            match Commit::read(self.store.objects(), id, &mut buffer) {
                Ok(commit) => next = commit.parents.first().copied(),
                Err(error) => return Some(error),
            }
        }
        None
    }

    fn other_places(&self, handle: &Handle) -> Result<Vec<Space>, RefError> {
        let mut places = Vec::new();
        for space in Space::ALL.into_iter().filter(|space| *space != handle.space()) {
            if self.store.tip(space, handle.id())?.is_some() {
                places.push(space);
            }
        }
        Ok(places)
    }
}

/// What is wrong with the summary in the commit of a sound tree. Of another one, its files tell.
fn summary_of(conversation: &Conversation) -> Option<Finding> {
    let snapshot = &conversation.snapshot;
    let said = snapshot.commit.summary.as_ref()?;
    let is_sound = conversation.problems.iter().all(Problem::is_harmless);
    let outline = conversation.outline().filter(|_| is_sound)?;
    let found = Summary::new(Heading::from(&snapshot.meta), &outline);
    let fields = said.differs_in(&Summary { format: snapshot.version, ..found });
    let commit = snapshot.commit.id;
    (!fields.is_empty()).then_some(Finding::Summary { commit, fields })
}
