//! The arguments of the commands about queries that run.

use clap::Args;

use super::{Change, FormatArg};
use crate::{cli::complete::Candidates, store::Space};

#[derive(Debug, Args)]
pub struct Attach {
    /// The conversation: its id, a beginning of it that no other has, `last`, `last-created` or
    /// `previous` [default: that of this terminal, else the one that changed last]
    #[arg(add = Candidates::Conversations(&[Space::Heads]))]
    pub id: Option<String>,
    /// Show the last N events before what goes on, and at least the turn under way; with 0 nothing
    /// of what was before, only what is asked and what comes [default: the turn under way]
    #[arg(long, value_name = "N")]
    pub tail: Option<usize>,
    /// Only watch: questions are for others, and Ctrl+C leaves
    #[arg(long)]
    pub read_only: bool,
    /// Print nothing but the answer, warnings and errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Wait {
    #[command(flatten)]
    pub change: Change,
}

#[derive(Debug, Args)]
pub struct Logs {
    /// The conversation: its id, a beginning of it that no other has, `last`, `last-created` or
    /// `previous` [default: that of this terminal, else the one that changed last]
    #[arg(add = Candidates::Conversations(&[Space::Heads]))]
    pub id: Option<String>,
    /// Go on printing as long as a process is running
    #[arg(long, short)]
    pub follow: bool,
}

#[derive(Debug, Args)]
pub struct Kill {
    /// The conversation: its id, or a beginning of it that no other has
    #[arg(add = Candidates::Conversations(&[Space::Heads]))]
    pub id: String,
    /// Do not ask the process to save what it has: end it at once
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub format: FormatArg,
}
