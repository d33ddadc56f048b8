//! The change set of a commit.

use std::fmt;

use crate::format::{
    BriefingFile, CONFIG_FILE, FileName, MANIFEST_FILE, META_DIR, META_FILE, QUEUE_DIR, RunName,
};

/// A file in the directory of a conversation, at most one directory down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreePath {
    directory: Option<String>,
    name: String,
}

impl TreePath {
    /// The manifest.
    pub fn manifest() -> Self {
        Self { directory: None, name: MANIFEST_FILE.to_owned() }
    }

    /// The manifest of a sealed run.
    pub fn run_manifest(run: &RunName) -> Self {
        Self { directory: Some(run.to_string()), name: MANIFEST_FILE.to_owned() }
    }

    /// An event file at the top.
    pub fn event(name: &FileName) -> Self {
        Self { directory: None, name: name.to_string() }
    }

    /// An event file, at the top or in a sealed run.
    pub fn event_in(run: Option<&RunName>, name: &FileName) -> Self {
        Self { directory: run.map(ToString::to_string), name: name.to_string() }
    }

    /// Title, labels and format version.
    pub fn meta() -> Self {
        Self { directory: Some(META_DIR.to_owned()), name: META_FILE.to_owned() }
    }

    /// The configuration that the conversation began with.
    pub fn config() -> Self {
        Self { directory: Some(META_DIR.to_owned()), name: CONFIG_FILE.to_owned() }
    }

    /// What a model was told before the last turn.
    pub fn briefing(file: BriefingFile) -> Self {
        Self { directory: Some(META_DIR.to_owned()), name: file.name().to_owned() }
    }

    /// A request that waits for a running turn to end.
    pub fn queued(name: &FileName) -> Self {
        let directory = format!("{META_DIR}/{QUEUE_DIR}");
        Self { directory: Some(directory), name: name.to_string() }
    }

    /// All requests that wait for a running turn to end.
    pub fn queue() -> Self {
        Self { directory: Some(META_DIR.to_owned()), name: QUEUE_DIR.to_owned() }
    }

    /// Anything that was found in a tree, whatever it is.
    pub fn found(directory: Option<String>, name: String) -> Self {
        Self { directory, name }
    }

    /// The directory, if it is not the top.
    pub fn directory(&self) -> Option<&str> {
        self.directory.as_deref()
    }

    /// The name within its directory.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(directory) = &self.directory {
            write!(f, "{directory}/")?;
        }
        f.write_str(&self.name)
    }
}

/// One change of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A file has this content now.
    Put(TreePath, Vec<u8>),
    /// A file stands elsewhere now, its content untouched.
    Move(TreePath, TreePath),
    /// A file or directory is gone.
    Remove(TreePath),
}
