//! Settings of the user, with the file that each comes from.
//!
//! Parsing only: whoever reads the file hands in its text.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// What the user's own configuration says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UserConfig {
    /// The conversation repository.
    pub store: StoreConfig,
}

/// `[store]`: the conversation repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreConfig {
    /// Where it is, instead of beside the project. `~/` is the user's home.
    pub path: Option<PathBuf>,
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}:{line}:{column}: {message}", path.display())]
pub struct ConfigError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl UserConfig {
    /// Reads the text of the user's configuration file.
    pub fn parse(path: &Path, text: &str, home: Option<&Path>) -> Result<Self, ConfigError> {
        let error = |offset: usize, message: String| {
            let before = &text[..offset.min(text.len())];
            let line = 1 + before.matches('\n').count();
            let column = 1 + before.rsplit('\n').next().map_or(0, |last| last.chars().count());
            ConfigError { path: path.to_owned(), line, column, message }
        };
        let mut config: Self = toml::from_str(text).map_err(|problem| {
            let offset = problem.span().map_or(0, |span| span.start);
            error(offset, problem.message().to_owned())
        })?;
        if let Some(store) = &mut config.store.path {
            if let (Ok(rest), Some(home)) = (store.strip_prefix("~"), home) {
                *store = home.join(rest);
            }
            if !store.is_absolute() {
                let offset = text.find("path").unwrap_or(0);
                return Err(error(offset, "`store.path` must be an absolute path".to_owned()));
            }
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<UserConfig, ConfigError> {
        UserConfig::parse(Path::new("config.toml"), text, Some(Path::new("/home/u")))
    }

    #[test]
    fn the_path_of_the_store_may_start_at_home() {
        let config = parse("[store]\npath = \"~/jp\"\n").unwrap();
        assert_eq!(config.store.path, Some(PathBuf::from("/home/u/jp")));
        assert_eq!(parse("").unwrap(), UserConfig::default());
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let said = |text| parse(text).unwrap_err().to_string();
        assert!(
            said("[store]\npth = \"/x\"\n").starts_with("config.toml:2:1: unknown field `pth`")
        );
        let relative = "config.toml:2:1: `store.path` must be an absolute path";
        assert_eq!(said("[store]\npath = \"x\"\n"), relative);
    }
}
