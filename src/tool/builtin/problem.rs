//! Why a built-in tool did not do what it was asked for, in words that a model can act on.

use std::io;

use super::path::{Guarded, Inside};
use crate::fsutil::cause;

/// Why a built-in tool did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error("`{0}` has a NUL in it, which no path can")]
    Nul(String),
    #[error("`{0}` is outside of the workspace")]
    Outside(String),
    #[error("`{path}` leads out of the workspace, through the symbolic link `{link}`")]
    LeadsOut { path: Inside, link: Inside },
    #[error("`{0}` goes round in a circle of symbolic links")]
    Circle(Inside),
    #[error(
        "`{path}` cannot be written: `{link}` is a symbolic link, and none is followed to write"
    )]
    Link { path: Inside, link: Inside },
    #[error("`{path}` is off limits: {}", guarded_words(*.guarded))]
    Guarded { path: Inside, guarded: Guarded },
    #[error("there is no `{0}`")]
    Missing(Inside),
    #[error("`{0}` is a directory")]
    Directory(Inside),
    #[error("`{0}` is not a directory")]
    NoDirectory(Inside),
    #[error("`{path}` is {kind}, and only files are opened")]
    NoFile { path: Inside, kind: &'static str },
    #[error(
        "`{said}` was what was asked for, and now a symbolic link leads to `{found}`: call again"
    )]
    Moved { said: String, found: Inside },
    #[error("`{0}` exists already; set `overwrite` to replace all of it, or change a part of it")]
    Exists(Inside),
    #[error(
        "`{0}` was changed by somebody else at the same time, and was left as it is: read it again"
    )]
    Changed(Inside),
    #[error(
        "`{0}` is not what it was when the change was shown, and was left as it is: read it again"
    )]
    NotAsShown(Inside),
    #[error("`{path}` has {size} bytes, and this tool changes files of up to {limit}")]
    TooLarge { path: Inside, size: u64, limit: u64 },
    #[error("cannot {action} `{path}`: {}", cause(source))]
    System { action: &'static str, path: Inside, source: io::Error },
    #[error("the workspace cannot be opened: {0}")]
    NoWorkspace(String),
    #[error("it was cancelled")]
    Cancelled,
    /// What only one of the tools says.
    #[error("{0}")]
    Own(String),
}

impl Problem {
    /// What a system call said about a path.
    pub(super) fn system(
        action: &'static str,
        path: &Inside,
        source: impl Into<io::Error>,
    ) -> Self {
        let source = source.into();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing(path.clone()),
            _ => Self::System { action, path: path.clone(), source },
        }
    }
}

fn guarded_words(guarded: Guarded) -> &'static str {
    match guarded {
        Guarded::Git => "what belongs to git is left to git",
        Guarded::Jp => "what belongs to jp is left to jp",
        Guarded::Store => "conversations are kept there",
    }
}
