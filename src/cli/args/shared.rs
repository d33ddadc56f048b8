//! Arguments that several commands have.

use clap::{Args, ValueEnum};

use super::ConfigArgs;
use crate::{cli::complete::Candidates, store::Space};

/// The conversation that a command reads.
#[derive(Debug, Args)]
pub struct Target {
    /// The conversation: its id, a beginning of it that no other has, `last`, `last-created` or
    /// `previous` [default: that of this terminal, else the one last changed]
    #[arg(add = Candidates::Conversations(&[Space::Heads, Space::Archive]))]
    pub id: Option<String>,
    #[command(flatten)]
    pub at: AtArg,
}

#[derive(Debug, Default, Args)]
pub struct AtArg {
    /// As it was: at a commit, `turn 4`, `~2` operations ago, `2h ago` or `2026-11-01 14:03`
    #[arg(long, value_name = "WHEN")]
    pub at: Option<String>,
}

/// How a query is held: with whom, with what settings, and in which form.
#[derive(Clone, Debug, Default, Args)]
pub struct MannerArgs {
    /// Ask nothing at the terminal: a tool that needs permission is refused
    #[arg(long)]
    pub non_interactive: bool,
    /// Go on in the background: print the id of the conversation as soon as the question is stored;
    /// `jp conversation attach` shows the answer
    #[arg(long)]
    pub detach: bool,
    /// Stay in this process, which ends with its terminal and cannot be attached to
    #[arg(long, hide_short_help = true, conflicts_with = "detach")]
    pub no_server: bool,
    /// Print nothing but the answer, warnings and errors
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub struct FormatArg {
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

impl FormatArg {
    /// Whether a program reads the output.
    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }
}

/// The conversation that a command changes.
#[derive(Debug, Args)]
pub struct Change {
    /// The conversation: its id, a beginning of it that no other has, `last`, `last-created` or
    /// `previous` [default: that of this terminal, else the only one there is]
    #[arg(add = Candidates::Conversations(&[Space::Heads]))]
    pub id: Option<String>,
    #[command(flatten)]
    pub format: FormatArg,
}
