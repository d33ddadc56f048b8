//! What the user trusted, as it is kept.

use serde_json::{Value, json};

use super::WorkspaceFiles;
use crate::model::Timestamp;

/// The version of the file.
const VERSION: u64 = 1;

/// A workspace as the user trusted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The directory of the workspace, for people.
    pub root: String,
    /// The hash of all that was trusted.
    pub hash: String,
    /// When.
    pub trusted_at: Timestamp,
    /// The files as they were: the name in the workspace, where each was, and its text.
    pub files: Vec<(String, String, String)>,
}

impl Pin {
    /// Trusts files as they are.
    pub fn of(files: &WorkspaceFiles, trusted_at: Timestamp) -> Self {
        let each = files.all().iter().map(|file| {
            (file.name.to_owned(), file.path.to_string_lossy().into_owned(), file.text.clone())
        });
        Self {
            root: files.root().to_string_lossy().into_owned(),
            hash: files.hash(),
            trusted_at,
            files: each.collect(),
        }
    }

    /// Whether these are the files that were trusted.
    pub fn covers(&self, files: &WorkspaceFiles) -> bool {
        self.hash == files.hash()
    }

    /// The text that a file had.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(known, ..)| known == name).map(|(.., text)| text.as_str())
    }

    /// Where a file was.
    pub(super) fn path(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(known, ..)| known == name).map(|(_, path, _)| path.as_str())
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let files = self
            .files
            .iter()
            .map(|(name, path, text)| json!({ "name": name, "path": path, "text": text }));
        let file = json!({
            "version": VERSION,
            "root": self.root,
            "hash": self.hash,
            "trusted_at": self.trusted_at.to_string(),
            "files": files.collect::<Vec<_>>(),
        });
        format!("{file:#}\n").into_bytes()
    }

    /// Reads a file; `None` if any of it is not as it was written: then nothing is trusted.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let file: Value = serde_json::from_slice(bytes).ok()?;
        let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
        if file.get("version")?.as_u64()? != VERSION {
            return None;
        }
        let each = |value: &Value| {
            Some((text(value, "name")?, text(value, "path")?, text(value, "text")?))
        };
        Some(Self {
            root: text(&file, "root")?,
            hash: text(&file, "hash")?,
            trusted_at: text(&file, "trusted_at")?.parse().ok()?,
            files: file.get("files")?.as_array()?.iter().map(each).collect::<Option<_>>()?,
        })
    }
}
