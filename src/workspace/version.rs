//! What has to be known of a version by whoever changes it: its fields, its summary, its tree.

use super::{Handle, LoadError, Workspace, WriteFailure};
use crate::{
    format::{Compatibility, Flaw, decode_meta, limits},
    model::{ConversationId, Meta},
    plan::{Heading, Summary, TreePath},
    store::{Directory, Listing, ObjectId, Problem, ProblemKind, ReadError},
};

impl Workspace {
    /// Title, labels and so on of a version that may be changed, whatever its events are like.
    pub fn meta(&self, handle: &Handle) -> Result<Meta, WriteFailure> {
        let id = handle.id();
        let objects = self.store.objects();
        let unreadable = |source| LoadError::object(id, source);
        let commit = self.store.commit(handle.commit()).map_err(unreadable)?;
        let top = Listing::top(objects, &commit.tree).map_err(unreadable)?;
        let problem = |path: TreePath, flaw: Flaw, kind| Problem { path, flaw, kind };
        if !top.foreign.is_empty() {
            let foreign = top.foreign.into_iter();
            let problems = foreign
                .map(|foreign| problem(foreign.path, Flaw::new(foreign.why), ProblemKind::Foreign));
            return Err(LoadError::Foreign { id, problems: problems.collect() }.into());
        }
        let decoded = match top.meta {
            Some(meta) => {
                let bytes = objects.blob(&meta, limits::MANIFEST_FILE).map_err(unreadable)?;
                decode_meta(&bytes)
            }
            None => Err(vec![Flaw::new("the file is missing")]),
        };
        let damage = |flaw| problem(TreePath::meta(), flaw, ProblemKind::Damage);
        let (version, meta) = decoded.map_err(|flaws| {
            let problems = flaws.into_iter().map(damage).collect();
            WriteFailure::Damaged { id, problems }
        })?;
        match version.compatibility() {
            Compatibility::ReadWrite => Ok(meta),
            Compatibility::ReadOnly | Compatibility::Refused => {
                Err(WriteFailure::ReadOnly { id, version })
            }
        }
    }

    /// Fails if a version was written by a newer jp, whose work this one must not touch.
    pub fn check_writable(&self, handle: &Handle) -> Result<(), WriteFailure> {
        let id = handle.id();
        let commit = self.store.commit(handle.commit());
        let commit = commit.map_err(|source| LoadError::object(id, source))?;
        let version = match commit.summary {
            Some(summary) => summary.format,
            None => match self.snapshot(id, handle.commit()) {
                Ok(snapshot) => snapshot.version,
                Err(LoadError::Read { source: ReadError::Version(version), .. }) => version,
                // What cannot be read at all may be taken back.
                Err(_) => return Ok(()),
            },
        };
        match version.compatibility() {
            Compatibility::ReadWrite => Ok(()),
            Compatibility::ReadOnly | Compatibility::Refused => {
                Err(WriteFailure::ReadOnly { id, version })
            }
        }
    }

    /// The summary of a version: from its commit, else from its tree; `None` if the tree is not
    /// sound enough to have one.
    pub fn summary(&self, handle: &Handle) -> Result<Option<Summary>, LoadError> {
        let id = handle.id();
        let commit = self.store.commit(handle.commit());
        let commit = commit.map_err(|source| LoadError::object(id, source))?;
        if commit.summary.is_some() {
            return Ok(commit.summary);
        }
        let conversation = match self.examine(handle) {
            Ok(conversation) => conversation,
            Err(LoadError::Read { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let sound = conversation.problems.iter().all(Problem::is_harmless);
        let heading = Heading::from(&conversation.snapshot.meta);
        let outline = conversation.outline().filter(|_| sound);
        Ok(outline.map(|outline| Summary::new(heading, &outline)))
    }

    /// The summary that the commit of a version carries, if jp wrote it.
    pub fn written_summary(&self, handle: &Handle) -> Result<Option<Summary>, LoadError> {
        let commit = self.store.commit(handle.commit());
        let commit = commit.map_err(|source| LoadError::object(handle.id(), source))?;
        let writable =
            |summary: &Summary| summary.format.compatibility() == Compatibility::ReadWrite;
        Ok(commit.summary.filter(writable))
    }

    /// The content of a file of a version, if it is there.
    pub fn file_in(&self, handle: &Handle, path: &TreePath) -> Result<Option<ObjectId>, LoadError> {
        let mut tree = self.directory(handle.id(), handle.commit())?;
        let found = tree.file(path, self.store.objects());
        found.map_err(|source| LoadError::object(handle.id(), source))
    }

    /// The tree of a commit, to be changed.
    pub(super) fn directory(
        &self,
        id: ConversationId,
        commit: ObjectId,
    ) -> Result<Directory, LoadError> {
        let unreadable = |source| LoadError::object(id, source);
        let commit = self.store.commit(commit).map_err(unreadable)?;
        Directory::read(self.store.objects(), &commit.tree).map_err(unreadable)
    }
}
