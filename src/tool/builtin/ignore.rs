//! Which files git does not look at: `.gitignore` at every level, and `.git/info/exclude`.
//!
//! The patterns are those of git, byte by byte. git itself is never run, and the user's own list of
//! ignored files, which only git's configuration can name, does not count.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use regex::bytes::{Regex, RegexBuilder};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};

use super::pattern;

/// The largest list of patterns that is read.
const LARGEST: u64 = 1 << 20;

/// The name of a list of patterns.
pub(super) const NAME: &str = ".gitignore";

/// The patterns of one file, and the directory that they are about.
#[derive(Debug, Default)]
pub(super) struct Rules {
    base: PathBuf,
    rules: Vec<Rule>,
    everything: bool,
}

#[derive(Debug)]
struct Rule {
    negated: bool,
    directories: bool,
    anchored: bool,
    matches: Matches,
}

#[derive(Debug)]
enum Matches {
    Exactly(Vec<u8>),
    Pattern(Box<Regex>),
}

/// All the rules for a directory: those from further up stand first.
#[derive(Clone, Debug, Default)]
pub(super) struct Ignored {
    lists: Vec<Arc<Rules>>,
    /// The way from the directory that git begins in to the root of the workspace.
    prefix: PathBuf,
}

impl Ignored {
    /// The rules that come from above the root of a workspace.
    pub(super) fn above(root: &Path) -> Self {
        let Some(top) = root.ancestors().find(|path| path.join(".git").symlink_metadata().is_ok())
        else {
            return Self::default();
        };
        let prefix = root.strip_prefix(top).unwrap_or(Path::new("")).to_owned();
        let mut ignored = Self { lists: Vec::new(), prefix };
        let exclude = git_directory(&top.join(".git")).map(|git| git.join("info/exclude"));
        let exclude = exclude.and_then(|path| read_plain(&path));
        ignored.lists.extend(exclude.map(|text| Arc::new(Rules::read(Path::new(""), &text))));
        let mut directory = top.to_owned();
        let mut base = PathBuf::new();
        // That of the root itself is read when the root is walked.
        for name in &ignored.prefix.clone() {
            if let Some(text) = read_plain(&directory.join(NAME)) {
                ignored.lists.push(Arc::new(Rules::read(&base, &text)));
            }
            directory.push(name);
            base.push(name);
        }
        ignored
    }

    /// The rules with those of a directory of the workspace.
    pub(super) fn with(&self, directory: &Path, list: &[u8]) -> Self {
        let mut ignored = self.clone();
        ignored.lists.push(Arc::new(Rules::read(&self.prefix.join(directory), list)));
        ignored
    }

    /// The rules with one that ignores all of a directory, because its list cannot be read.
    pub(super) fn with_everything(&self, directory: &Path) -> Self {
        let mut ignored = self.clone();
        let base = self.prefix.join(directory);
        ignored.lists.push(Arc::new(Rules { base, rules: Vec::new(), everything: true }));
        ignored
    }

    /// Whether an entry of the workspace is ignored, apart from what is above it.
    pub(super) fn ignores(&self, path: &Path, is_directory: bool) -> bool {
        let path = self.prefix.join(path);
        let said = self.lists.iter().rev().find_map(|rules| rules.say(&path, is_directory));
        said.unwrap_or(false)
    }
}

impl Rules {
    /// Reads a list.
    fn read(base: &Path, text: &[u8]) -> Self {
        if text.len() as u64 > LARGEST {
            return Self { base: base.to_owned(), rules: Vec::new(), everything: true };
        }
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let lines = text.split(|byte| *byte == b'\n');
        let rules = lines.filter_map(Rule::read).collect();
        Self { base: base.to_owned(), rules, everything: false }
    }

    /// What the last rule says that is about a path.
    fn say(&self, path: &Path, is_directory: bool) -> Option<bool> {
        let inside = path.strip_prefix(&self.base).ok()?;
        if self.everything {
            return Some(true);
        }
        let name = inside.file_name()?.as_encoded_bytes();
        let inside = inside.as_os_str().as_encoded_bytes();
        let rule = self.rules.iter().rev().find(|rule| {
            (is_directory || !rule.directories)
                && rule.matches.is_match(if rule.anchored { inside } else { name })
        });
        rule.map(|rule| !rule.negated)
    }
}

impl Rule {
    fn read(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = without_spaces(line);
        if line.is_empty() || line.starts_with(b"#") {
            return None;
        }
        let (negated, line) = match line.strip_prefix(b"!") {
            Some(line) => (true, line),
            None => (false, line),
        };
        let (directories, line) = match line.strip_suffix(b"/") {
            Some(line) => (true, line),
            None => (false, line),
        };
        let anchored = line.contains(&b'/');
        let line = line.strip_prefix(b"/").unwrap_or(line);
        if line.is_empty() {
            return None;
        }
        let is_plain = !line.iter().any(|byte| b"*?[\\".contains(byte));
        let matches = match is_plain {
            true => Matches::Exactly(line.to_vec()),
            false => Matches::Pattern(Box::new(compile(line)?)),
        };
        Some(Self { negated, directories, anchored, matches })
    }
}

impl Matches {
    fn is_match(&self, text: &[u8]) -> bool {
        match self {
            Self::Exactly(exactly) => exactly == text,
            Self::Pattern(regex) => regex.is_match(text),
        }
    }
}

fn compile(line: &[u8]) -> Option<Regex> {
    let source = pattern::regex(line)?;
    RegexBuilder::new(&source).unicode(false).dot_matches_new_line(true).build().ok()
}

/// A line without the spaces at its end, of which one stays if it is escaped.
fn without_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut index = 0;
    while index < line.len() {
        if line[index] == b'\\' {
            index = (index + 2).min(line.len());
            end = index;
            continue;
        }
        index += 1;
        if line[index - 1] != b' ' {
            end = index;
        }
    }
    &line[..end]
}

/// The directory that holds what all worktrees share.
fn git_directory(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = String::from_utf8(read_plain(git)?).ok()?;
    let own = git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    let common = read_plain(&own.join("commondir")).and_then(|text| String::from_utf8(text).ok());
    Some(common.map_or_else(|| own.clone(), |common| own.join(common.trim())))
}

/// The beginning of a file, if it is one.
fn read_plain(path: &Path) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::empty()).ok()?;
    read_list(file.into())
}

/// A list that is open, and one byte more than what is used.
pub(super) fn read_list(file: File) -> Option<Vec<u8>> {
    let found = fstat(&file).ok()?;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut text = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignores(list: &str, path: &str) -> bool {
        let (path, is_directory) = match path.strip_suffix('/') {
            Some(path) => (path, true),
            None => (path, false),
        };
        let ignored = Ignored::default().with(Path::new(""), list.as_bytes());
        ignored.ignores(Path::new(path), is_directory)
    }

    #[test]
    fn a_line_is_read_as_git_does() {
        for (list, path, expected) in [
            ("a", "a", true),
            ("a", "x/a", true),
            ("/a", "x/a", false),
            ("x/a", "x/a", true),
            ("x/a", "y/x/a", false),
            ("a/", "a", false),
            ("a/", "a/", true),
            ("a\r\n", "a", true),
            ("a  \n", "a", true),
            ("a\\ \n", "a ", true),
            ("a b", "a b", true),
            ("# a\na", "# a", false),
            ("\\#a", "#a", true),
            ("\\!a", "!a", true),
            ("*\n!a", "a", false),
            ("*\n!a", "b", true),
            ("!a\na", "a", true),
            ("\u{feff}a", "a", true),
            ("/", "a", false),
            ("", "a", false),
            ("a[", "a[", false),
            ("a\\", "a", false),
            ("{a,b}", "a", false),
            ("{a,b}", "{a,b}", true),
        ] {
            assert_eq!(ignores(list, path), expected, "{list:?} {path:?}");
        }
    }

    #[test]
    fn a_list_further_down_counts_more() {
        let ignored = Ignored::default().with(Path::new(""), b"*.log\n/a/keep");
        let inner = ignored.with(Path::new("a"), b"!*.log\nkeep");
        assert!(ignored.ignores(Path::new("a/x.log"), false));
        assert!(!inner.ignores(Path::new("a/x.log"), false));
        assert!(inner.ignores(Path::new("b/x.log"), false));
        assert!(inner.ignores(Path::new("a/keep"), false));
        assert!(ignored.with_everything(Path::new("a")).ignores(Path::new("a/x"), false));
        let long = vec![b'\n'; LARGEST as usize + 1];
        assert!(ignored.with(Path::new(""), &long).ignores(Path::new("x"), false));
    }
}
