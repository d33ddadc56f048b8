//! Applying plans: one commit for each, all of them durable at once.

use gix::{ObjectId, objs::Kind};

use super::{
    Directory, Lock, Store,
    commit::Description,
    directory::ApplyError,
    gate::Gate,
    pack::PackBuilder,
    publish::{PublishError, Published, publish},
    refs::{Expected, RefError, Space},
};
use crate::{model::ConversationId, plan::Change};

/// A commit to be made.
#[derive(Clone, Debug)]
pub struct NewCommit {
    /// Its tree.
    pub content: Content,
    /// Everything else.
    pub description: Description,
}

/// The tree of a commit to be made.
#[derive(Clone, Debug)]
pub enum Content {
    /// That of the commit before, with these changes.
    Changed(Vec<Change>),
    /// One that is in the store already, to the bit unless there are changes.
    Tree(ObjectId, Vec<Change>),
}

/// Where a conversation stands: the commit that is continued, and its tree.
#[derive(Clone, Debug, Default)]
pub struct Tip {
    /// The commit; `None` before the first one.
    pub commit: Option<ObjectId>,
    /// Its tree.
    pub tree: Directory,
}

/// Commits to be made of a conversation, one after the other.
pub struct Writing<'a> {
    /// The permission.
    pub lock: &'a Lock,
    /// The conversation.
    pub id: ConversationId,
    /// Where they begin, and then where they end.
    pub tip: &'a mut Tip,
    /// The commits.
    pub commits: &'a [NewCommit],
}

/// Commits that are on disk.
#[derive(Debug)]
pub struct Written {
    /// Their ids, in order.
    pub commits: Vec<ObjectId>,
    /// What happened besides.
    pub notes: Vec<String>,
}

/// Why commits could not be made. The conversation is as it was, unless the error says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Somebody else moved the conversation.
    #[error("the conversation has been changed by something else")]
    Moved,
    /// What it would come after was deleted meanwhile.
    #[error("commit {0} was deleted meanwhile")]
    Gone(ObjectId),
    /// A tree could not be built.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The pack could not be built.
    #[error(transparent)]
    Pack(#[from] super::pack::PackError),
    /// It could not be made durable.
    #[error(transparent)]
    Publish(#[from] PublishError),
}

impl Store {
    /// Makes commits on top of a tip and moves the ref, durably.
    pub fn write(&self, writing: Writing<'_>) -> Result<Written, WriteError> {
        let expected = writing.tip.commit.map_or(Expected::Absent, Expected::Is);
        self.write_over(expected, writing)
    }

    /// Makes commits on top of a tip that belongs to another conversation, and makes the ref.
    pub fn branch(&self, writing: Writing<'_>) -> Result<Written, WriteError> {
        self.write_over(Expected::Absent, writing)
    }

    fn write_over(
        &self,
        expected: Expected,
        Writing { lock, id, tip, commits }: Writing<'_>,
    ) -> Result<Written, WriteError> {
        let mut pack = PackBuilder::new();
        let mut ids = Vec::with_capacity(commits.len());
        let mut last = Vec::new();
        let mut tree = tip.tree.clone();
        let mut parent = tip.commit;
        for commit in commits {
            let root = match &commit.content {
                Content::Changed(changes) => tree.apply(changes, &self.objects, &mut pack)?,
                Content::Tree(id, changes) => {
                    tree = Directory::read(&self.objects, id).map_err(ApplyError::from)?;
                    match &changes[..] {
                        [] => *id,
                        changes => tree.apply(changes, &self.objects, &mut pack)?,
                    }
                }
            };
            let bytes = commit.description.encode(&root, parent.as_ref());
            let id = pack.add(Kind::Commit, &bytes)?;
            parent = Some(id);
            ids.push(id);
            last = bytes;
        }
        let Some(new) = parent.filter(|_| !ids.is_empty()) else {
            return Ok(Written { commits: ids, notes: Vec::new() });
        };
        let name = Self::ref_name(Space::Heads, id);
        let _gate = Gate::enter(self.path()).map_err(PublishError::from)?;
        self.settle().map_err(PublishError::from)?;
        // Nobody holds the conversation that a fork goes on from: it may have been deleted.
        if let (Expected::Absent, Some(parent)) = (expected, tip.commit)
            && !self.objects_anew().map_err(PublishError::from)?.contains(&parent)
        {
            return Err(WriteError::Gone(parent));
        }
        let stage_key = lock.path().file_stem().unwrap_or_default().to_string_lossy();
        let published = publish(self.path(), &stage_key, pack.finish()?, &name, expected, new)
            .map_err(|error| match error {
                PublishError::Ref(RefError::Moved { .. }) => WriteError::Moved,
                error => WriteError::Publish(error),
            })?;
        self.objects.remember(new, &last);
        tree.close();
        *tip = Tip { commit: Some(new), tree };
        Ok(Written { commits: ids, notes: notes(&published) })
    }
}

fn notes(published: &Published) -> Vec<String> {
    let healed = published.healed.iter().map(|id| format!("damaged object {id} was replaced"));
    let unhealed = published.unhealed.iter().map(ToString::to_string);
    healed.chain(unhealed).collect()
}
