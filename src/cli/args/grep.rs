//! The arguments of grep.

use clap::{Args, ValueEnum};

use super::{AtArg, FormatArg};
use crate::{cli::complete::Candidates, search::Role, store::Space};

#[derive(Debug, Args)]
pub struct Grep {
    /// What to look for within a line: a regular expression, which ignores case unless it has a
    /// letter of upper case
    pub pattern: String,
    /// The conversations: their ids, beginnings of them that no others have, `last`, `last-created`
    /// or `previous` [default: all active ones]
    #[arg(value_name = "ID", add = Candidates::Conversations(&[Space::Heads, Space::Archive]))]
    pub ids: Vec<String>,
    /// Take the pattern as a text, not as a regular expression
    #[arg(short = 'F', long)]
    pub fixed_strings: bool,
    /// Ignore case, whatever the pattern is
    #[arg(short, long)]
    pub ignore_case: bool,
    /// Let case count, whatever the pattern is
    #[arg(short = 's', long, conflicts_with = "ignore_case")]
    pub case_sensitive: bool,
    /// Search only what these said; can be given several times
    #[arg(long, value_name = "ROLE", value_enum)]
    pub role: Vec<RoleArg>,
    /// Search only calls of this tool and what belongs to them; can be given several times
    #[arg(long, value_name = "NAME")]
    pub tool: Vec<String>,
    /// Search only events that happened at this time or later: `2h ago`, `2026-11-01 14:03`
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Search only events that happened at this time or before
    #[arg(long, value_name = "WHEN")]
    pub until: Option<String>,
    /// Search archived conversations, too
    #[arg(long)]
    pub archived: bool,
    /// Search what was edited or taken out, too
    #[arg(long)]
    pub history: bool,
    #[command(flatten)]
    pub at: AtArg,
    /// Print only the ids of conversations with a match
    #[arg(short = 'l', long = "ids")]
    pub only_ids: bool,
    /// Print only how many lines match in each conversation
    #[arg(short, long, conflicts_with = "only_ids")]
    pub count: bool,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RoleArg {
    /// Requests, and answers to questions
    User,
    /// Messages, thoughts and data of models
    Assistant,
    /// Calls of tools, their results, and questions about them
    Tool,
    /// What was put beside requests
    Attachment,
    /// Changes of settings, and compactions
    System,
}

impl From<RoleArg> for Role {
    fn from(role: RoleArg) -> Self {
        match role {
            RoleArg::User => Self::User,
            RoleArg::Assistant => Self::Assistant,
            RoleArg::Tool => Self::Tool,
            RoleArg::Attachment => Self::Attachment,
            RoleArg::System => Self::System,
        }
    }
}
