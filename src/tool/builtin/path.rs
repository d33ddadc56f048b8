//! A path inside the workspace, and which of them are off limits.
//!
//! Nothing is looked up here: `..` is folded by names alone, so that a path means the same whatever
//! links there are, and one that would leave the workspace is refused before anything is opened.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::{Component, Path, PathBuf},
};

use super::problem::Problem;

/// A path from the root of the workspace down: names only, none for the root itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Inside(PathBuf);

/// What keeps a path from being used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guarded {
    /// It belongs to git.
    Git,
    /// It belongs to jp.
    Jp,
    /// Conversations are kept there.
    Store,
}

impl Inside {
    /// The path that a model named: relative to the root, or absolute and beneath one of `roots`,
    /// which are names of the same directory.
    pub(super) fn parse(text: &str, roots: &[&Path]) -> Result<Self, Problem> {
        if text.contains('\0') {
            return Err(Problem::Nul(text.replace('\0', "\\0")));
        }
        let given = Path::new(text);
        let outside = || Problem::Outside(text.to_owned());
        let relative = match given.is_absolute() {
            true => {
                let stripped = roots.iter().find_map(|root| given.strip_prefix(root).ok());
                stripped.ok_or_else(outside)?
            }
            false => given,
        };
        Self::fold(relative.components()).ok_or_else(outside)
    }

    /// The names that are left when `.` and `..` are folded; none if they lead out.
    pub(super) fn fold<'a>(components: impl Iterator<Item = Component<'a>>) -> Option<Self> {
        let mut folded = PathBuf::new();
        for component in components {
            match component {
                Component::Normal(name) => folded.push(name),
                Component::CurDir => {}
                Component::ParentDir => {
                    if !folded.pop() {
                        return None;
                    }
                }
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(Self(folded))
    }

    /// The path of these names.
    pub(super) fn of(names: &[OsString]) -> Self {
        Self(names.iter().collect())
    }

    /// A name in this directory.
    pub(super) fn join(&self, name: &OsStr) -> Self {
        Self(self.0.join(name))
    }

    /// The directory and the name in it; none of the root.
    pub(super) fn split(&self) -> Option<(Self, &OsStr)> {
        let name = self.0.file_name()?;
        let parent = self.0.parent().unwrap_or(Path::new(""));
        Some((Self(parent.to_owned()), name))
    }

    /// The names from the root down.
    pub(super) fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.0.iter()
    }

    /// The path, empty for the root.
    pub(super) fn as_path(&self) -> &Path {
        &self.0
    }

    /// Whether it is this directory or in it.
    pub(super) fn is_in(&self, directory: &Self) -> bool {
        self.0.starts_with(&directory.0)
    }

    /// Why nobody writes here, if so.
    pub(super) fn guarded_from_writing(&self) -> Option<Guarded> {
        self.names().find_map(guard)
    }

    /// Why nobody reads here, if so. The settings of the workspace are no secret.
    pub(super) fn guarded_from_reading(&self) -> Option<Guarded> {
        let names: Vec<_> = self.names().collect();
        let first = names.iter().position(|name| guard(name).is_some())?;
        match (guard(names[first]), &names[first + 1..]) {
            (Some(Guarded::Jp), [name]) if is_settings(name) => None,
            (guarded, _) => guarded,
        }
    }
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_os_str().is_empty() {
            true => f.write_str("."),
            false => self.0.display().fmt(f),
        }
    }
}

/// Whose directory or file a name is, also where case or invisible characters make no difference.
pub(super) fn guard(name: &OsStr) -> Option<Guarded> {
    let name = name.to_string_lossy();
    let visible: String = name.chars().filter(|c| !is_invisible(*c)).collect();
    if visible.eq_ignore_ascii_case(".git") {
        return Some(Guarded::Git);
    }
    visible.eq_ignore_ascii_case(".jp").then_some(Guarded::Jp)
}

/// The characters that some file systems do not count.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

fn is_settings(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.starts_with("config") && name.ends_with(".toml"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<String, String> {
        let roots = [Path::new("/w/s"), Path::new("/real")];
        match Inside::parse(text, &roots) {
            Ok(path) => Ok(path.to_string()),
            Err(problem) => Err(problem.to_string()),
        }
    }

    #[test]
    fn a_path_is_folded_by_its_names() {
        for (text, expected) in [
            ("a", "a"),
            ("./a//b/", "a/b"),
            ("a/../b/./c", "b/c"),
            ("a/..", "."),
            ("", "."),
            (".", "."),
            ("/w/s/a/b", "a/b"),
            ("/w/s", "."),
            ("/real/a/../c", "c"),
            ("~/a", "~/a"),
            ("a\\b", "a\\b"),
        ] {
            assert_eq!(parse(text), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_path_that_leads_out_is_refused() {
        for text in ["..", "a/../..", "/etc/passwd", "/w", "/w/sx", "/w/s/../t", "/", "../s/a"] {
            assert_eq!(parse(text), Err(format!("`{text}` is outside of the workspace")), "{text}");
        }
        assert_eq!(parse("a\0b"), Err("`a\\0b` has a NUL in it, which no path can".to_owned()));
    }

    #[test]
    fn what_belongs_to_git_and_jp_is_guarded_at_any_depth() {
        let inside = |text: &str| Inside::parse(text, &[]).unwrap();
        for (text, writing, reading) in [
            ("a", None, None),
            (".github/x", None, None),
            (".gitignore", None, None),
            (".git", Some(Guarded::Git), Some(Guarded::Git)),
            ("a/.git/hooks/pre-commit", Some(Guarded::Git), Some(Guarded::Git)),
            (".GiT/config", Some(Guarded::Git), Some(Guarded::Git)),
            (".g\u{200c}it/config", Some(Guarded::Git), Some(Guarded::Git)),
            (".jp", Some(Guarded::Jp), Some(Guarded::Jp)),
            (".jp/store/HEAD", Some(Guarded::Jp), Some(Guarded::Jp)),
            (".jp/config.toml", Some(Guarded::Jp), None),
            ("a/.jp/config.local.toml", Some(Guarded::Jp), None),
            (".jp/config.toml/x", Some(Guarded::Jp), Some(Guarded::Jp)),
            (".git/.jp/config.toml", Some(Guarded::Git), Some(Guarded::Git)),
        ] {
            let path = inside(text);
            assert_eq!(path.guarded_from_writing(), writing, "{text}");
            assert_eq!(path.guarded_from_reading(), reading, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_path_that_is_taken_has_names_only(text in "([a-c.]{0,3}/|\\.\\./|/|\\PC){0,8}") {
            if let Ok(path) = Inside::parse(&text, &[Path::new("/a")]) {
                let names = path.as_path().components();
                prop_assert!(names.into_iter().all(|c| matches!(c, Component::Normal(_))));
                prop_assert_eq!(Inside::parse(&path.to_string(), &[]).unwrap(), path);
            }
        }
    }
}
