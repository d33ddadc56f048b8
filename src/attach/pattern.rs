//! Patterns of files, such as `src/**/*.rs`.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::AttachError;

/// A pattern of files.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Where to look: what comes before the first part that is a pattern.
    pub base: PathBuf,
    matcher: GlobMatcher,
}

impl Pattern {
    /// Whether a name could be a pattern.
    pub fn is_one(text: &str) -> bool {
        text.contains(['*', '?', '[', '{'])
    }

    /// Reads a pattern: `*` and `?` stay within a directory, `**` goes down, `{a,b}` is either.
    pub fn parse(text: &str) -> Result<Self, AttachError> {
        let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build();
        let glob = glob.map_err(|error| AttachError::Pattern {
            pattern: text.to_owned(),
            problem: error.kind().to_string(),
        })?;
        let fixed = Path::new(text).iter().take_while(|part| {
            part.to_str().is_some_and(|part| !Self::is_one(part) && !part.contains('\\'))
        });
        Ok(Self { base: fixed.collect(), matcher: glob.compile_matcher() })
    }

    /// Whether it stands for a file below its base.
    pub fn matches(&self, below_base: &Path) -> bool {
        self.matcher.is_match(self.base.join(below_base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_has_a_base_and_stays_within_directories() {
        let cases = [
            ("src/**/*.rs", "src", "a.rs", true),
            ("src/**/*.rs", "src", "a/b/c.rs", true),
            ("src/*.rs", "src", "a/b.rs", false),
            ("*.md", "", "a.md", true),
            ("*.md", "", "docs/a.md", false),
            ("../x/{a,b}.txt", "../x", "b.txt", true),
            ("/etc/host?", "/etc", "hosts", true),
            ("a[12].txt", "", "a2.txt", true),
            ("a[12].txt", "", "a3.txt", false),
        ];
        for (text, base, file, expected) in cases {
            let pattern = Pattern::parse(text).unwrap();
            assert_eq!(pattern.base, Path::new(base), "{text}");
            assert_eq!(pattern.matches(Path::new(file)), expected, "{text} {file}");
        }
    }

    #[test]
    fn a_pattern_that_makes_no_sense_is_told() {
        let error = Pattern::parse("a{b").unwrap_err().to_string();
        assert!(error.starts_with("`a{b` is not a pattern: "), "{error}");
    }
}
