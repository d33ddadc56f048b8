//! The files below a directory that git would not ignore.
//!
//! It reads no file and follows no symbolic link. `.git` and `.jp` are left out, whatever git says.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use ignore::{DirEntry, WalkBuilder};

use crate::fsutil::FsError;

/// A file below a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it is, below the directory that was asked for.
    pub path: PathBuf,
    /// How many bytes it has.
    pub size: u64,
}

/// The plain files below a directory, sorted by their paths; more than `most` are not looked for.
///
/// What git ignores is left out: by `.gitignore` files from the top of its repository down, by the
/// repository's own exclude file and by the user's. The directory itself counts even if git
/// ignores it.
pub fn files_below(directory: &Path, most: usize) -> Result<Vec<Found>, FsError> {
    let mut found = Vec::new();
    let mut builder = WalkBuilder::new(directory);
    builder
        .hidden(false)
        .ignore(false)
        .require_git(false)
        .follow_links(false)
        .current_dir(directory)
        .filter_entry(|entry| entry.depth() == 0 || !is_own(entry));
    for entry in builder.build() {
        let entry = entry.map_err(|error| failure(directory, error))?;
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        if found.len() == most {
            break;
        }
        let size = entry.metadata().map_err(|error| failure(entry.path(), error))?.len();
        found.push(Found { path: entry.into_path(), size });
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// Whether it belongs to git or to jp.
fn is_own(entry: &DirEntry) -> bool {
    entry.file_name() == OsStr::new(".git") || entry.file_name() == OsStr::new(".jp")
}

fn failure(path: &Path, error: ignore::Error) -> FsError {
    let path = named(&error).unwrap_or(path).to_owned();
    let text = error.to_string();
    let cause = error.into_io_error().unwrap_or_else(|| std::io::Error::other(text));
    FsError::new("read", path, cause)
}

/// The path that an error is about.
fn named(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            named(err)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(root: &Path, most: usize) -> Vec<String> {
        let found = files_below(root, most).unwrap();
        let name = |found: Found| {
            let path = found.path.strip_prefix(root).unwrap().to_owned();
            format!("{} {}", path.display(), found.size)
        };
        found.into_iter().map(name).collect()
    }

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn what_git_ignores_is_left_out_and_hidden_files_are_not() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        write(root, ".gitignore", "*.log\nbuild/\n");
        write(root, "src/b.rs", "bb");
        write(root, "src/a.rs", "a");
        write(root, "src/.gitignore", "!kept.log\n");
        write(root, "src/kept.log", "");
        write(root, "src/other.log", "");
        write(root, "build/out", "");
        write(root, ".hidden/x", "");
        write(root, ".ignore", "src\n");
        write(root, ".git/config", "");
        write(root, "src/.jp/store/x", "");
        std::os::unix::fs::symlink("/etc", root.join("src/link")).unwrap();
        let expected = [
            ".gitignore 13",
            ".hidden/x 0",
            ".ignore 4",
            "src/.gitignore 10",
            "src/a.rs 1",
            "src/b.rs 2",
            "src/kept.log 0",
        ];
        assert_eq!(below(root, 100), expected);
        assert_eq!(below(&root.join("src"), 100).len(), 4);
        assert_eq!(below(&root.join("build"), 100), ["out 0"]);
        assert_eq!(below(root, 2).len(), 2);
    }

    #[test]
    fn a_directory_that_is_not_there_is_named() {
        let error = files_below(Path::new("/nowhere/at/all"), 1).unwrap_err();
        assert!(error.to_string().contains("`/nowhere/at/all`"), "{error}");
    }
}
