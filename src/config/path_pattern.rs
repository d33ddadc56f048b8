//! A pattern of paths.

use std::borrow::Cow;

use globset::{GlobBuilder, GlobMatcher};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A pattern of paths in the workspace: `*` and `?` stay within a name, `**` goes through
/// directories.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PathPattern(GlobMatcher);

impl PathPattern {
    /// Whether a path from the root of the workspace is such a path.
    pub fn fits(&self, path: &str) -> bool {
        self.0.is_match(path)
    }

    /// Whether everything beneath a directory is such a path, whatever it is called.
    pub fn fits_all_beneath(&self, directory: &str) -> bool {
        // Nobody writes a pattern with these letters in it.
        let below = |rest: &str| match directory {
            "." => self.fits(rest),
            directory => self.fits(&format!("{directory}/{rest}")),
        };
        below("\u{1}") && below("\u{1}/\u{2}") && below("\u{1}/\u{2}/\u{3}")
    }

    /// Whether something beneath a directory could be such a path: the names that the pattern
    /// begins with lead there, or come from there.
    pub fn may_fit_beneath(&self, directory: &str) -> bool {
        let names = directory.split('/').filter(|name| *name != ".");
        let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
        let plain = self.as_str().split('/').filter(|part| *part != ".").take_while(is_plain);
        plain.zip(names).all(|(part, name)| part == name)
    }

    /// The pattern as it is written.
    pub fn as_str(&self) -> &str {
        self.0.glob().glob()
    }
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for PathPattern {}

impl TryFrom<String> for PathPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let glob = GlobBuilder::new(&text).literal_separator(true).backslash_escape(true).build();
        match glob {
            Ok(glob) if !text.is_empty() && !text.starts_with('/') => {
                Ok(Self(glob.compile_matcher()))
            }
            Ok(_) => Err("it is not a path from the root of the workspace".to_owned()),
            Err(error) => Err(error.kind().to_string()),
        }
    }
}

impl From<PathPattern> for String {
    fn from(pattern: PathPattern) -> Self {
        pattern.as_str().to_owned()
    }
}

impl JsonSchema for PathPattern {
    fn schema_name() -> Cow<'static, str> {
        "PathPattern".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "title": "a pattern such as `src/**/*.rs`" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Result<PathPattern, String> {
        text.to_owned().try_into()
    }

    #[test]
    fn a_star_stays_within_a_name_and_two_go_through_directories() {
        let one = pattern("src/*.rs").unwrap();
        assert!(one.fits("src/a.rs"));
        assert!(!one.fits("src/b/a.rs"));
        assert!(!one.fits("src/a.rs/x"));
        let many = pattern("src/**").unwrap();
        assert!(many.fits("src/b/a.rs"));
        assert!(!many.fits("srcx/a.rs"));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for wrong in ["", "/etc/passwd", "src/[", "{a"] {
            assert!(pattern(wrong).is_err(), "{wrong}");
        }
    }
}
