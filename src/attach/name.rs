//! How the source of an attachment is written down.

use std::path::{Component, Path, PathBuf};

/// The name of a file: below the workspace from there on, everywhere else from the top.
///
/// A file that is named in several ways has one name, so that it is known again; only what leads to
/// it is resolved, and a symbolic link keeps its own name.
pub fn of_file(path: &Path, root: &Path) -> String {
    let resolved = resolve(path);
    let root = root.canonicalize().unwrap_or_else(|_unreadable| root.to_owned());
    let shown = resolved.strip_prefix(&root).unwrap_or(&resolved);
    match shown.as_os_str().is_empty() {
        true => ".".to_owned(),
        false => shown.to_string_lossy().into_owned(),
    }
}

/// The path with everything before its last part resolved.
fn resolve(path: &Path) -> PathBuf {
    let whole = || path.canonicalize().unwrap_or_else(|_unreadable| path.to_owned());
    match (path.parent(), path.components().next_back()) {
        (Some(parent), Some(Component::Normal(name))) => match parent.canonicalize() {
            Ok(parent) => parent.join(name),
            Err(_unreadable) => whole(),
        },
        _ => whole(),
    }
}
