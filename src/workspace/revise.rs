//! Changing what is there: one commit, by compare-and-swap from the version that was looked at.

use super::{
    Guard, LoadError, Workspace, WriteFailure,
    scribe::{Operation, Scribe},
};
use crate::{
    format::encode_meta,
    model::Meta,
    plan::{Change, Heading, Summary, TreePath},
    store::{Content, Directory, Links, ObjectId, Origin, Space, Tip, WriteError, Writing},
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

/// How often a change starts over when something else than jp was faster.
const ATTEMPTS: usize = 20;

impl Workspace {
    /// Makes a revision of the version that the guard names. If the conversation has moved since,
    /// nothing happens.
    pub fn revise(&self, guard: &mut Guard, revision: Revision) -> Result<ObjectId, WriteFailure> {
        let mut operation = self.begin_operation(guard)?;
        self.revise_in(guard, revision, &mut operation)
    }

    /// Makes a revision as a part of an operation.
    pub(super) fn revise_in(
        &self,
        guard: &mut Guard,
        revision: Revision,
        operation: &mut Operation,
    ) -> Result<ObjectId, WriteFailure> {
        let id = guard.id();
        let parent = guard.commit();
        let tree = match &revision.content {
            Content::Changed(_) => self.directory(id, parent)?,
            // It is replaced as a whole.
            Content::Tree(..) => Directory::default(),
        };
        let mut tip = Tip { commit: Some(parent), tree };
        let mut scribe = Scribe::new(self, operation);
        let Revision { subject, body, origin, content, summary, links } = revision;
        let mut new = scribe.commit(subject, origin, summary, content);
        new.description.body = body;
        new.description.links = links;
        let lock = guard.lock();
        let written = self.store.write(Writing { lock, id, tip: &mut tip, commits: &[new] });
        let written = written.map_err(|source| match source {
            WriteError::Moved => WriteFailure::Contended { id },
            source => WriteFailure::write(id, source),
        })?;
        let commit = written.commits.last().copied().unwrap_or(parent);
        guard.moved_to(commit, None);
        self.tidy(guard, written.notes);
        Ok(commit)
    }

    /// Changes title, labels and so on; `None` if that leaves everything as it is.
    pub fn revise_meta(
        &self,
        guard: &mut Guard,
        subject: &str,
        change: impl Fn(&mut Meta),
    ) -> Result<Option<ObjectId>, WriteFailure> {
        let mut operation = self.begin_operation(guard)?;
        self.revise_meta_in(guard, &mut operation, subject, change)
    }

    /// The same as a part of an operation.
    pub fn revise_meta_in(
        &self,
        guard: &mut Guard,
        operation: &mut Operation,
        subject: &str,
        change: impl Fn(&mut Meta),
    ) -> Result<Option<ObjectId>, WriteFailure> {
        self.keep_trying(guard, |guard| {
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
                subject: subject.to_owned(),
                body: Vec::new(),
                origin: Origin::User,
                content: Content::Changed(changes),
                summary,
                links: Links::default(),
            };
            self.revise_in(guard, revision, operation).map(Some)
        })
    }

    /// Makes a change, and starts over when something else than jp, which knows no locks, has moved
    /// the conversation meanwhile.
    pub fn keep_trying<T>(
        &self,
        guard: &mut Guard,
        mut change: impl FnMut(&mut Guard) -> Result<T, WriteFailure>,
    ) -> Result<T, WriteFailure> {
        for _ in 0..ATTEMPTS {
            match change(guard) {
                Err(WriteFailure::Contended { .. }) => self.catch_up(guard)?,
                done => return done,
            }
        }
        Err(WriteFailure::Contended { id: guard.id() })
    }

    /// Lets a guard name the present version.
    pub fn catch_up(&self, guard: &mut Guard) -> Result<(), WriteFailure> {
        let id = guard.id();
        let commit = self.store.tip(Space::Heads, id)?.ok_or(LoadError::Gone(id))?;
        guard.moved_to(commit, None);
        Ok(())
    }
}
