//! The configuration of the store, read without obeying it.

use std::path::Path;

use super::StoreError;

/// The configuration file of a repository, alone: no includes, no other files.
pub(super) struct Config(gix::config::File);

impl Config {
    pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let config = |message: String| StoreError::Config { path: path.to_owned(), message };
        let text =
            std::str::from_utf8(bytes).map_err(|_error| config("it is not UTF-8".to_owned()))?;
        let file = gix::config::File::try_from(text).map_err(|error| config(error.to_string()))?;
        Ok(Self(file))
    }

    pub(super) fn get(&self, section: &str, key: &str) -> Option<String> {
        let value = self.0.raw_value_by(section, None, key).ok()?;
        Some(value.to_string())
    }

    /// Every section with its sub-section and keys.
    pub(super) fn keys(&self) -> Vec<(String, Option<String>, String)> {
        let mut keys = Vec::new();
        for section in self.0.sections() {
            let header = section.header();
            let name = header.name().to_string().to_lowercase();
            let subsection = header.subsection_name().map(ToString::to_string);
            for key in section.body().value_names() {
                keys.push((name.clone(), subsection.clone(), key.to_string().to_lowercase()));
            }
        }
        keys
    }
}
