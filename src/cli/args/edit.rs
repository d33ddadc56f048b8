//! The arguments of what edits conversations.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, ValueHint};

use super::{AtArg, FormatArg};
use crate::{cli::complete::Candidates, store::Space};

#[derive(Debug, Args)]
#[command(override_usage = "jp conversation edit [OPTIONS] [ID]\n       \
                            jp conversation edit [OPTIONS] <ID> <ADDRESS>\n       \
                            jp conversation edit --title[=<TITLE>] [ID]")]
pub struct Edit {
    /// The conversation [default: that of this terminal, else the only one there is], then the
    /// number of one event or the name of its file
    #[arg(num_args = 0..=2, value_names = ["ID", "ADDRESS"])]
    #[arg(add = Candidates::ConversationThenEvent)]
    pub args: Vec<String>,
    /// Open all of it as a directory: a plan of the stream, and a file for each event; this is what
    /// happens without an ADDRESS
    #[arg(short, long, conflicts_with = "title")]
    pub interactive: bool,
    /// Edit the title, in the editor or to this text
    #[arg(long, value_name = "TITLE", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "")]
    pub title: Option<String>,
    #[command(flatten)]
    pub how: EditHow,
}

/// Whether an edit is asked about, and whether it is made.
#[derive(Debug, Args)]
pub struct EditHow {
    /// Commit without asking
    #[arg(short, long)]
    pub yes: bool,
    #[command(flatten)]
    pub change: ChangeHow,
}

#[derive(Debug, Args)]
pub struct Checkout {
    /// The conversation [default: that of this terminal, else the only one there is], then the
    /// directory, which must not exist or be empty
    #[arg(required = true, num_args = 1..=2, value_names = ["ID", "DIR"])]
    #[arg(add = Candidates::ConversationThenFiles, value_hint = ValueHint::DirPath)]
    pub args: Vec<String>,
    #[command(flatten)]
    pub at: AtArg,
    #[command(flatten)]
    pub format: FormatArg,
}

/// What an edit by a command is told as, and whether it is made.
#[derive(Debug, Args)]
pub struct ChangeHow {
    /// Tell what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct Commit {
    /// The directory
    #[arg(default_value = ".", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    #[command(flatten)]
    pub how: ChangeHow,
}

#[derive(Debug, Args)]
pub struct Status {
    /// The directory
    #[arg(default_value = ".", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct Watch {
    /// The directory
    #[arg(default_value = ".", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
}

/// Events of a conversation.
#[derive(Debug, Args)]
pub struct Chosen {
    /// The conversation: its id, or a beginning of it that no other has
    #[arg(add = Candidates::Conversations(&[Space::Heads]))]
    pub id: String,
    /// Events: numbers, names of files, or from one to another, such as `003..007`
    #[arg(value_name = "ADDRESS")]
    pub addresses: Vec<String>,
    /// Whole turns: a number, or from one to another, such as `2-4`
    #[arg(long, value_name = "TURNS", value_delimiter = ',')]
    pub turns: Vec<String>,
}

/// Where events go.
#[derive(Debug, Args)]
pub struct PlaceArg {
    /// Before this event, or before this turn as in `turn 2`
    #[arg(long, value_name = "PLACE", conflicts_with = "after")]
    pub before: Option<String>,
    /// After this event, or after this turn as in `turn 2` [default: at the end]
    #[arg(long, value_name = "PLACE")]
    pub after: Option<String>,
}

#[derive(Debug, Args)]
pub struct Drop {
    #[command(flatten)]
    pub chosen: Chosen,
    #[command(flatten)]
    pub how: ChangeHow,
}

#[derive(Debug, Args)]
pub struct Move {
    #[command(flatten)]
    pub chosen: Chosen,
    #[command(flatten)]
    pub place: PlaceArg,
    #[command(flatten)]
    pub how: ChangeHow,
}

#[derive(Debug, Args)]
pub struct Insert {
    /// The conversation, then event files; `-` is standard input
    #[arg(required = true, num_args = 2.., value_names = ["ID", "FILE"])]
    #[arg(add = Candidates::ConversationThenFiles)]
    pub args: Vec<OsString>,
    #[command(flatten)]
    pub place: PlaceArg,
    #[command(flatten)]
    pub how: ChangeHow,
}

#[derive(Debug, Args)]
pub struct Pick {
    /// The turns to take: a conversation, `:`, and a turn or turns as in `2-4`
    #[arg(required = true, value_name = "SOURCE:TURNS")]
    pub sources: Vec<String>,
    /// The conversation to put them into [default: that of this terminal, else the only one there
    /// is]
    #[arg(long, value_name = "ID", add = Candidates::Conversations(&[Space::Heads]))]
    pub into: Option<String>,
    #[command(flatten)]
    pub place: PlaceArg,
    #[command(flatten)]
    pub how: ChangeHow,
}
