//! The arguments of `jp conversation answer`.

use clap::Args;

use super::FormatArg;
use crate::{cli::complete::Candidates, store::Space};

/// What `jp conversation answer` is asked to do.
#[derive(Debug, Args)]
pub struct Answer {
    /// The conversation: its id, a beginning of it that no other has, `last`, `last-created` or
    /// `previous` [default: that of this terminal, else the only one there is]
    #[arg(add = Candidates::Conversations(&[Space::Heads]))]
    pub id: Option<String>,
    /// The answer: `yes` or `no`, one of the options or a beginning of it that no other has, or a
    /// text; whether a tool may run, `run`, `always` or `refuse` [default: ask at the terminal]
    pub value: Option<String>,
    /// Tell the model why, with `refuse`
    #[arg(long, value_name = "TEXT", requires = "value")]
    pub reason: Option<String>,
    /// Answer this question [default: the first, at the terminal all of them]
    #[arg(long, value_name = "QUESTION")]
    pub question: Option<String>,
    /// List the questions that are open, and change nothing
    #[arg(long, conflicts_with_all = ["value", "question", "resume"])]
    pub list: bool,
    /// Go on with the turn, as `jp resume` does
    #[arg(long)]
    pub resume: bool,
    /// Ask nothing at the terminal
    #[arg(long)]
    pub non_interactive: bool,
    #[command(flatten)]
    pub format: FormatArg,
}
