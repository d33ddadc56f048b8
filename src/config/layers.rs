//! What a configuration is made of, before it is read.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use toml::{Table, Value};

use super::{
    Fault, Key, Origin, Override, Problem, Scope,
    variables::{Meaning, meaning},
};

/// Everything that sets values. However they are pushed, the order of the layers holds: files of
/// the user, the workspace and the user in the workspace, then variables, the conversation, and
/// the command line. Within a layer the last one counts.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    pub(super) layers: Vec<Layer>,
    pub(super) warnings: Vec<Problem>,
    pub(super) errors: Vec<Problem>,
}

/// One piece.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub source: Source,
    pub content: Content,
}

/// Where a piece comes from, in the order of the layers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    File { scope: Scope, path: PathBuf, trusted: bool },
    Variable(String),
    Conversation(String),
    Argument(String),
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A whole file.
    Text(String),
    /// A table without a text.
    Table(Table),
    /// A value that is TOML, or else a text.
    Loose(Key, String),
    /// A value.
    Exact(Key, Value),
}

impl Layers {
    /// The defaults alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a configuration file. One of a workspace is not trusted.
    pub fn file(self, scope: Scope, path: &Path, text: &str) -> Self {
        self.text(Source::File { scope, path: path.to_owned(), trusted: false }, text)
    }

    /// Adds a configuration file of a workspace that the user trusts as it is.
    pub fn trusted_file(self, scope: Scope, path: &Path, text: &str) -> Self {
        self.text(Source::File { scope, path: path.to_owned(), trusted: true }, text)
    }

    fn text(mut self, source: Source, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        self.push(source, Content::Text(text.to_owned()));
        self
    }

    /// Adds the environment variables that are settings, and warns of those that nearly are.
    pub fn variables<'a>(
        mut self,
        variables: impl IntoIterator<Item = (&'a OsStr, &'a OsStr)>,
    ) -> Self {
        for (name, value) in variables {
            let Some(name) = name.to_str() else { continue };
            let origin = || Origin::Variable(name.to_owned());
            // An empty variable is as good as none.
            match meaning(name) {
                _ if value.is_empty() => {}
                Meaning::Nothing => {}
                Meaning::Near(near) => {
                    let fault = Fault::NearVariable(near);
                    self.warnings.push(Problem { origin: origin(), fault });
                }
                Meaning::Setting(key) => match value.to_str() {
                    Some(text) => {
                        let content = Content::Loose(key, text.to_owned());
                        self.push(Source::Variable(name.to_owned()), content);
                    }
                    None => {
                        self.errors.push(Problem { origin: origin(), fault: Fault::NotUtf8 });
                    }
                },
            }
        }
        self
    }

    /// Adds a piece of a conversation: its base configuration, then its changes in their order,
    /// each with the name of its file.
    pub fn conversation(mut self, part: impl Into<String>, table: Table) -> Self {
        self.push(Source::Conversation(part.into()), Content::Table(table));
        self
    }

    /// Adds what was given with `-c`.
    pub fn argument(mut self, given: &Override) -> Self {
        let source = Source::Argument(format!("-c {}", given.key));
        self.push(source, Content::Loose(given.key.clone(), given.value.clone()));
        self
    }

    /// Adds what a flag sets, such as `--model`.
    pub fn flag(mut self, flag: &str, key: Key, value: impl Into<Value>) -> Self {
        self.push(Source::Argument(flag.to_owned()), Content::Exact(key, value.into()));
        self
    }

    fn push(&mut self, source: Source, content: Content) {
        self.layers.push(Layer { source, content });
    }
}

impl Source {
    /// Its place in the order: what is higher counts more.
    pub fn rank(&self) -> u8 {
        match self {
            Self::File { scope: Scope::User, .. } => 0,
            Self::File { scope: Scope::Workspace, .. } => 1,
            Self::File { scope: Scope::Local, .. } => 2,
            Self::Variable(_) => 3,
            Self::Conversation(_) => 4,
            Self::Argument(_) => 5,
        }
    }
}
