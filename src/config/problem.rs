//! What can be wrong with a configuration, and where.

use std::fmt;

use super::{Key, Origin};

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Fault {
    #[error("invalid TOML: {0}")]
    Syntax(String),
    #[error("it is not UTF-8")]
    NotUtf8,
    #[error("unknown key `{key}`{}", meant(nearest.as_ref(), accepted))]
    UnknownKey { key: Key, nearest: Option<Key>, accepted: Vec<String> },
    #[error("`{key}` must be {accepted}, found {found}{}", meant(nearest.as_ref(), &[]))]
    WrongValue { key: Key, accepted: String, found: String, nearest: Option<String> },
    #[error(
        "`{0}` looks like a secret: keys are never kept in a configuration, they come from \
         environment variables only, which `api_key_env` of a provider names"
    )]
    Secret(Key),
    #[error("`{0}` can be set in your own configuration file only")]
    OwnFileOnly(Key),
    #[error("`{0}` is ignored: only your own configuration file may set it")]
    ForeignFile(Key),
    #[error("`{0}` is ignored: the workspace is not trusted")]
    UntrustedFile(Key),
    #[error("`{0}` is ignored: a conversation may only set `assistant` and `ui`")]
    UntrustedConversation(Key),
    #[error("no key has this name: did you mean `{0}`?")]
    NearVariable(String),
    #[error("`store.path` must be an absolute path")]
    RelativeStore,
    #[error("`{key}` is not a name that can be used: {rule}")]
    OddName { key: Key, rule: &'static str },
    #[error("tool `{0}` has no `command`")]
    NoCommand(String),
    #[error("MCP server `{0}` has a `command` and a `url`: it is reached in one way")]
    TwoWays(String),
    #[error("MCP server `{0}` has a `command` without a program")]
    NoProgram(String),
    #[error("`{key}` must be one string, because `shell` is true, found {found}")]
    ShellCommand { key: Key, found: usize },
    #[error("a rule in `{0}` needs `argv` or `path`, and not both")]
    RuleAboutNothing(Key),
    #[error("`{0}` is for a provider with `api = \"script\"` only")]
    NotAScript(Key),
}

/// Something that is wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub origin: Origin,
    /// What.
    pub fault: Fault,
}

/// Why a configuration cannot be used: everything that is wrong, in the order of the layers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines(.0))]
pub struct ConfigErrors(pub Vec<Problem>);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.fault)
    }
}

/// The end of a message about an unknown name.
fn meant(nearest: Option<&impl fmt::Display>, accepted: &[String]) -> String {
    match nearest {
        Some(nearest) => format!(": did you mean `{nearest}`?"),
        None if accepted.is_empty() => String::new(),
        None => format!(": the keys here are {}", accepted.join(", ")),
    }
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
