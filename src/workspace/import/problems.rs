//! Everything that is wrong with a directory, up to a number that people can read.

use std::io;

use crate::{
    format::{Flaw, limits},
    fsutil::cause,
    plan::TreePath,
    store::{Problem, ProblemKind},
};

/// What is wrong, in the order in which it was found.
#[derive(Debug, Default)]
pub(super) struct Problems {
    found: Vec<Problem>,
    more: bool,
}

impl Problems {
    /// Adds a problem of a file as a whole.
    pub(super) fn push(&mut self, path: TreePath, message: impl Into<String>, kind: ProblemKind) {
        self.add(Problem { path, flaw: Flaw::new(message), kind });
    }

    /// Adds that a file or directory cannot be read.
    pub(super) fn unreadable(&mut self, path: TreePath, error: &io::Error) {
        self.push(path, format!("it cannot be read: {}", cause(error)), ProblemKind::Damage);
    }

    /// Adds the flaws of a file.
    pub(super) fn extend(&mut self, path: &TreePath, flaws: Vec<Flaw>, kind: ProblemKind) {
        for flaw in flaws {
            self.add(Problem { path: path.clone(), flaw, kind });
        }
    }

    /// Adds what was found elsewhere.
    pub(super) fn append(&mut self, other: Self) {
        self.more |= other.more;
        for problem in other.found {
            self.add(problem);
        }
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// What was found, and at the end that there may be more.
    pub(super) fn into_vec(mut self) -> Vec<Problem> {
        if let Some(last) = self.found.last().filter(|_| self.more) {
            let flaw = Flaw::new("there may be more problems");
            self.found.push(Problem { path: last.path.clone(), flaw, kind: last.kind });
        }
        self.found
    }

    fn add(&mut self, problem: Problem) {
        if self.found.len() < limits::FLAWS {
            self.found.push(problem);
        } else {
            self.more = true;
        }
    }
}
