//! The arguments about follow-ups.

use clap::Args;

use super::FormatArg;
use crate::{cli::complete::Candidates, store::Space};

/// What `jp conversation send` is asked to do.
#[derive(Debug, Args)]
pub struct Send {
    /// The conversation: its id, a beginning of it that no other has, `last`, `last-created` or
    /// `previous`
    #[arg(add = Candidates::Conversations(&[Space::Heads]))]
    pub id: String,
    /// Queue this; `-` stands for standard input, `@FILE` for the text of a file
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    #[command(flatten)]
    pub format: FormatArg,
}

/// What `jp conversation queue` is asked to do.
#[derive(Debug, Args)]
#[command(override_usage = "jp conversation queue [OPTIONS] [ID]\n       \
                            jp conversation queue [OPTIONS] [ID] --drop <N>\n       \
                            jp conversation queue [OPTIONS] [ID] --edit <N> [--text <TEXT>]")]
pub struct Queue {
    /// The conversation: its id, a beginning of it that no other has, `last`, `last-created` or
    /// `previous` [default: that of this terminal, else the one last changed; to change something,
    /// the only one there is]
    #[arg(add = Candidates::Conversations(&[Space::Heads]))]
    pub id: Option<String>,
    /// Take this one out, without asking it: its number, or the name of its file
    #[arg(long, value_name = "N", conflicts_with_all = ["edit", "text"])]
    pub drop: Option<String>,
    /// Change this one, in the editor or to what `--text` says
    #[arg(long, value_name = "N")]
    pub edit: Option<String>,
    /// Change it to this, without an editor; `-` stands for standard input, `@FILE` for the text of
    /// a file
    #[arg(long, value_name = "TEXT", requires = "edit")]
    pub text: Option<String>,
    #[command(flatten)]
    pub format: FormatArg,
}
