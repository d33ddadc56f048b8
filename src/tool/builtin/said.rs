//! What was said about a call before it ran, so that it does that or nothing.
//!
//! Rules look at the path behind the links, and people at a diff. Both are true when they are made,
//! and a link or a file may be another by the time the tool runs.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{path::Inside, problem::Problem, root::Root};
use crate::tool::Subject;

/// What the diffs of calls began with, by their arguments.
#[derive(Debug, Default)]
pub(super) struct Said {
    shown: Mutex<BTreeMap<String, Contents>>,
}

/// The contents of a file, or that there was none.
type Contents = Option<[u8; 32]>;

/// What holds for a call that runs.
#[derive(Debug, Default)]
pub(super) struct Promise {
    paths: Option<Vec<String>>,
    shown: Option<Contents>,
}

impl Said {
    /// Remembers the contents that the diff of a call begins with.
    pub(super) fn shown(&self, arguments: &Value, before: Option<&[u8]>) {
        self.calls().insert(arguments.to_string(), digest(before));
    }

    /// What was said about a call that runs now, and what it was about when it was allowed.
    pub(super) fn take(&self, arguments: &Value, subject: Option<&Subject>) -> Promise {
        let shown = self.calls().remove(&arguments.to_string());
        Promise { paths: subject.map(|subject| subject.paths.clone()), shown }
    }

    fn calls(&self) -> MutexGuard<'_, BTreeMap<String, Contents>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Promise {
    /// Whether this is the path that rules have looked at, if they have.
    pub(super) fn check_path(&self, found: &Inside) -> Result<(), Problem> {
        match &self.paths {
            Some(paths) if !paths.contains(&found.to_string()) => {
                Err(Problem::Moved { said: paths.join(", "), found: found.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Where a walk begins: the path behind the one that a model named, if it is the one that rules
    /// have looked at and may be read.
    pub(super) fn walked(&self, root: &Root, named: &str) -> Result<Inside, Problem> {
        let start = root.resolve(&root.parse(named)?)?;
        self.check_path(&start)?;
        root.check_read(&start)?;
        Ok(start)
    }

    /// Whether these are the contents that were shown, if they were.
    pub(super) fn check_contents(
        &self,
        path: &Inside,
        before: Option<&[u8]>,
    ) -> Result<(), Problem> {
        match self.shown {
            Some(shown) if shown != digest(before) => Err(Problem::NotAsShown(path.clone())),
            _ => Ok(()),
        }
    }
}

fn digest(contents: Option<&[u8]>) -> Contents {
    contents.map(|bytes| Sha256::digest(bytes).into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_shown_counts_once() {
        let (said, call) = (Said::default(), json!({}));
        let path = Inside::parse("f", &[]).unwrap();
        said.shown(&call, Some(b"a"));
        let promise = said.take(&call, None);
        assert!(promise.check_contents(&path, Some(b"a")).is_ok());
        assert!(promise.check_contents(&path, Some(b"b")).is_err());
        assert!(promise.check_contents(&path, None).is_err());
        assert!(said.take(&call, None).check_contents(&path, Some(b"b")).is_ok());
    }
}
