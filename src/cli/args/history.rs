//! The arguments of what looks back, and of fork.

use clap::Args;

use super::{AtArg, FormatArg, Target, Wish};
use crate::{cli::complete::Candidates, store::Space};

#[derive(Debug, Args)]
pub struct Log {
    #[command(flatten)]
    pub target: Target,
    /// List each commit of each operation
    #[arg(long)]
    pub events: bool,
    /// Draw all conversations that were forked from the same one
    #[arg(long)]
    pub graph: bool,
    /// List no more than this many operations
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct Diff {
    /// The version before: `ID@WHEN`, or `@WHEN` of the conversation of this terminal, else of the
    /// one last changed; or a conversation `ID`, which stands for its last operation unless there
    /// is a B
    #[arg(value_name = "A", add = Candidates::Conversations(&[Space::Heads, Space::Archive]))]
    pub from: Option<String>,
    /// The version after: `ID`, `ID@WHEN`, or `@WHEN` of the conversation of A [default: now]
    #[arg(value_name = "B", add = Candidates::Conversations(&[Space::Heads, Space::Archive]))]
    pub to: Option<String>,
    /// Compare this version with now: a commit, `turn 4`, `~2` operations ago, `2h ago` or
    /// `2026-11-01 14:03`
    #[arg(long, value_name = "WHEN", conflicts_with = "to")]
    pub at: Option<String>,
    /// Show only which events changed, and by how many lines
    #[arg(long)]
    pub stat: bool,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct Blame {
    /// The conversation [default: that of this terminal, else the one last changed], then the number
    /// of the event or the name of its file
    #[arg(required = true, num_args = 1..=2, value_names = ["ID", "ADDRESS"])]
    #[arg(add = Candidates::ConversationThenEvent)]
    pub args: Vec<String>,
    #[command(flatten)]
    pub at: AtArg,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct Fork {
    #[command(flatten)]
    pub target: Target,
    /// Keep the last N turns
    #[arg(long, value_name = "N", conflicts_with_all = ["first", "from", "until"])]
    pub last: Option<u64>,
    /// Keep the first N turns
    #[arg(long, value_name = "N", conflicts_with_all = ["from", "until"])]
    pub first: Option<u64>,
    /// Keep what comes from here on: the turn of an event, a turn or a time
    #[arg(long, value_name = "PLACE")]
    pub from: Option<String>,
    /// Keep what comes up to here: an event, a turn or a time
    #[arg(long, value_name = "PLACE")]
    pub until: Option<String>,
    /// The title of the fork [default: the same]
    #[arg(long)]
    pub title: Option<String>,
    /// Make the fork the conversation of this terminal
    #[arg(long)]
    pub activate: bool,
    /// Edit the fork in your editor, as `jp conversation edit` does; the original stays as it is
    #[arg(short, long)]
    pub edit: bool,
    /// With `--edit`, commit without asking
    #[arg(short, long, requires = "edit")]
    pub yes: bool,
    /// Let models see less of the fork, as `jp conversation compact` does: words such as
    /// `reasoning,tools=omit,keep-last=3`; not with `--edit`
    #[arg(long, value_name = "SPEC", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "")]
    pub compact: Option<Wish>,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct Restore {
    /// The conversation: its id, a beginning of it that no other has, `last`, `last-created` or
    /// `previous` [default: that of this terminal, else the only one there is]
    #[arg(add = Candidates::Conversations(&[Space::Heads, Space::Trash]))]
    pub id: Option<String>,
    #[command(flatten)]
    pub at: AtArg,
    #[command(flatten)]
    pub format: FormatArg,
}
