//! A change of one file that was thought through and not made yet.

use super::{diff, path::Inside, problem::Problem, root::Root, said::Promise, write::Snapshot};

/// What a file is, and what it becomes.
#[derive(Debug)]
pub(super) struct Change {
    path: Inside,
    before: Option<Snapshot>,
    after: Vec<u8>,
}

impl Change {
    /// A change of a file that is there, made of what is in it.
    pub(super) fn of(
        root: &Root,
        path: &Inside,
        make: impl FnOnce(&[u8]) -> Result<Vec<u8>, Problem>,
    ) -> Result<Self, Problem> {
        let before = root.snapshot(path)?.ok_or_else(|| Problem::Missing(path.clone()))?;
        let after = make(&before.bytes)?;
        Ok(Self { path: path.clone(), before: Some(before), after })
    }

    /// All of a file, new or in place of what is there.
    pub(super) fn to(root: &Root, path: &Inside, after: Vec<u8>) -> Result<Self, Problem> {
        Ok(Self { path: path.clone(), before: root.snapshot(path)?, after })
    }

    /// What the file has in it, if there is one.
    pub(super) fn before(&self) -> Option<&[u8]> {
        self.before.as_ref().map(|before| before.bytes.as_slice())
    }

    /// The change as a unified diff.
    pub(super) fn diff(&self) -> String {
        diff::unified(&self.path, self.before(), &self.after)
    }

    /// Makes the change, if the file is still what it was and what was shown.
    pub(super) fn make(&self, root: &Root, promise: &Promise) -> Result<(), Problem> {
        promise.check_contents(&self.path, self.before())?;
        root.replace(&self.path, self.before.as_ref(), &self.after)
    }
}
