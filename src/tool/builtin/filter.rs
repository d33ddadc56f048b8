//! Which files somebody wants to see, as a pattern.

use globset::{GlobBuilder, GlobMatcher};

use super::{path::Inside, problem::Problem};

/// A pattern of files: one without `/` is about names, another about paths.
#[derive(Debug)]
pub(super) struct Filter {
    matcher: GlobMatcher,
    is_about_names: bool,
}

impl Filter {
    pub(super) fn new(glob: &str) -> Result<Self, Problem> {
        let bare = glob.strip_prefix("./").unwrap_or(glob);
        let built = GlobBuilder::new(bare).literal_separator(true).backslash_escape(true).build();
        let wrong = |error: globset::Error| {
            Problem::Own(format!("`{glob}` is not a pattern of files: {}", error.kind()))
        };
        let matcher = built.map_err(wrong)?.compile_matcher();
        Ok(Self { matcher, is_about_names: !bare.contains('/') })
    }

    /// Whether a file fits, seen from a directory or from the root.
    pub(super) fn fits(&self, path: &Inside, from: &Inside) -> bool {
        if self.is_about_names {
            return path.split().is_some_and(|(_, name)| self.matcher.is_match(name));
        }
        let below = path.as_path().strip_prefix(from.as_path());
        self.matcher.is_match(path.as_path())
            || below.is_ok_and(|below| self.matcher.is_match(below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(glob: &str, path: &str, from: &str) -> bool {
        let inside = |text: &str| Inside::parse(text, &[]).unwrap();
        Filter::new(glob).unwrap().fits(&inside(path), &inside(from))
    }

    #[test]
    fn a_pattern_is_about_names_or_paths() {
        assert!(fits("*.rs", "a/b.rs", ""));
        assert!(!fits("*.rs", "a/b.rsx", ""));
        assert!(fits("*.{rs,toml}", "a.toml", ""));
        assert!(fits("b/*.rs", "a/b/c.rs", "a"));
        assert!(fits("a/b/*.rs", "a/b/c.rs", "a"));
        assert!(!fits("b/*.rs", "a/b/c.rs", ""));
        assert!(fits("./src/**/*.rs", "src/x/y.rs", ""));
        assert!(Filter::new("a[").is_err());
    }
}
