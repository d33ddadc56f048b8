//! Changing what is there: one commit, by compare-and-swap from the version that was looked at.

use super::{AppendFailure, Guard, Handle, LoadError, Workspace, scribe::Scribe};
use crate::{
    format::{Compatibility, Flaw, decode_meta, encode_meta, limits},
    model::{ConversationId, Meta},
    plan::{Change, Heading, Summary, TreePath},
    store::{
        Content, Directory, Links, Listing, ObjectId, Origin, Problem, ProblemKind, ReadError,
        Space, Tip, WriteError,
    },
};

/// A change of a conversation: everything but an append.
#[derive(Clone, Debug)]
pub struct Revision {
    /// What happened, in a few words.
    pub subject: String,
    /// What happened, at length.
    pub body: Vec<String>,
    /// Who brought it about.
    pub origin: Origin,
    /// The tree that it leads to.
    pub content: Content,
    /// The summary of that tree; without one, readers look at the tree itself.
    pub summary: Option<Summary>,
    /// Where undo and redo go from here.
    pub links: Links,
}

impl Workspace {
    /// Makes a revision of the version that the guard names. If the conversation has moved since,
    /// nothing happens.
    pub fn revise(&self, guard: &mut Guard, revision: Revision) -> Result<ObjectId, AppendFailure> {
        let operation = self.new_operation()?;
        self.revise_in(guard, revision, operation)
    }

    /// Makes a revision as a part of an operation.
    pub(super) fn revise_in(
        &self,
        guard: &mut Guard,
        revision: Revision,
        operation: String,
    ) -> Result<ObjectId, AppendFailure> {
        let id = guard.id();
        let parent = guard.commit();
        let tree = match &revision.content {
            Content::Changed(_) => self.directory(id, parent)?,
            // It is replaced as a whole.
            Content::Tree(..) => Directory::default(),
        };
        let mut tip = Tip { commit: Some(parent), tree };
        let mut scribe = Scribe::of(self, Some(parent), operation);
        let Revision { subject, body, origin, content, summary, links } = revision;
        let mut new = scribe.commit(subject, origin, summary, content);
        new.description.body = body;
        new.description.links = links;
        let written = self.store.write(guard.lock(), Space::Heads, id, &mut tip, &[new]);
        let written = written.map_err(|source| match source {
            WriteError::Moved => AppendFailure::Contended { id },
            source => AppendFailure::write(id, source),
        })?;
        let commit = written.commits.last().copied().unwrap_or(parent);
        guard.moved_to(commit, None);
        let notes: Vec<_> = written.notes.into_iter().chain(self.tidy(guard.lock())).collect();
        guard.note(notes);
        Ok(commit)
    }

    /// Changes title, labels and so on; `None` if that leaves everything as it is.
    pub fn revise_meta(
        &self,
        guard: &mut Guard,
        subject: String,
        change: impl FnOnce(&mut Meta),
    ) -> Result<Option<ObjectId>, AppendFailure> {
        let old = self.meta(guard)?;
        let mut meta = old.clone();
        change(&mut meta);
        if meta == old {
            return Ok(None);
        }
        let summary = self
            .summary(guard)?
            .map(|summary| Summary { heading: Heading::from(&meta), ..summary });
        let changes = vec![Change::Put(TreePath::meta(), encode_meta(&meta))];
        let revision = Revision {
            subject,
            body: Vec::new(),
            origin: Origin::User,
            content: Content::Changed(changes),
            summary,
            links: Links::default(),
        };
        self.revise(guard, revision).map(Some)
    }

    /// Title, labels and so on of a version that may be changed, whatever its events are like.
    pub fn meta(&self, handle: &Handle) -> Result<Meta, AppendFailure> {
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
            AppendFailure::Damaged { id, problems }
        })?;
        match version.compatibility() {
            Compatibility::ReadWrite => Ok(meta),
            Compatibility::ReadOnly | Compatibility::Refused => {
                Err(AppendFailure::ReadOnly { id, version })
            }
        }
    }

    /// Lets a guard name the present version, after something else than jp moved the conversation.
    pub fn refresh(&self, guard: &mut Guard) -> Result<(), AppendFailure> {
        let id = guard.id();
        let commit = self.store.tip(Space::Heads, id)?.ok_or(LoadError::Gone(id))?;
        guard.moved_to(commit, None);
        Ok(())
    }

    /// Fails if a version was written by a newer jp, whose work this one must not touch.
    pub fn check_writable(&self, handle: &Handle) -> Result<(), AppendFailure> {
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
                Err(AppendFailure::ReadOnly { id, version })
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
