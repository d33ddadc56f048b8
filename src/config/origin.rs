//! Where a value comes from.

use std::{fmt, path::PathBuf};

/// A configuration file, by whom it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The user's own, for everything.
    User,
    /// Of the workspace, for everybody who works in it.
    Workspace,
    /// Of the workspace, for this user.
    Local,
}

/// Where a value or a mistake stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// In a file.
    File {
        /// Whose.
        scope: Scope,
        /// Which.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// In an environment variable of this name.
    Variable(String),
    /// In a part of the conversation, such as `003-config-delta.toml`.
    Conversation(String),
    /// On the command line, such as `-c assistant.model` or `--model`.
    Argument(String),
}

impl Scope {
    /// All of them, the one that counts least first.
    pub const ALL: [Self; 3] = [Self::User, Self::Workspace, Self::Local];

    /// Its name, as an option of the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Workspace => "workspace",
            Self::Local => "local",
        }
    }
}

impl Origin {
    /// The name of the layer.
    pub fn layer(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File { scope, .. } => scope.name(),
            Self::Variable(_) => "environment",
            Self::Conversation(_) => "conversation",
            Self::Argument(_) => "argument",
        }
    }

    /// The place in words, up to the line; none of a default.
    pub fn source(&self) -> Option<String> {
        match self {
            Self::Default => None,
            Self::File { path, line, .. } => Some(format!("{}:{line}", path.display())),
            other => Some(other.to_string()),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line, column, .. } => {
                write!(f, "{}:{line}:{column}", path.display())
            }
            Self::Variable(name) => write!(f, "${name}"),
            Self::Conversation(part) => f.write_str(part),
            Self::Argument(shown) => f.write_str(shown),
        }
    }
}
