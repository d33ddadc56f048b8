//! What rules look at in a call of a built-in tool.

use super::root::Root;
use crate::tool::Subject;

/// A call that reads a path: the one behind the links, which is the one that is opened.
pub(super) fn reading(root: &Root, path: &str) -> Subject {
    let Ok(path) = root.parse(path) else { return Subject::default() };
    // What cannot be resolved is not opened either.
    let path = root.resolve(&path).unwrap_or(path);
    Subject { paths: vec![path.to_string()], ..Subject::default() }
}

/// A call that reads whatever is in a directory, and in those beneath it.
pub(super) fn walking(root: &Root, path: &str) -> Subject {
    Subject { beneath: true, ..reading(root, path) }
}

/// A call that writes a path, which leads through no link or is refused.
pub(super) fn writing(root: &Root, path: &str) -> Subject {
    let Ok(path) = root.parse(path) else { return Subject::default() };
    Subject { paths: vec![path.to_string()], ..Subject::default() }
}
