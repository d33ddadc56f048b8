//! The arguments of what lists conversations and marks them.

use clap::{Args, Subcommand, ValueEnum};

use super::FormatArg;
use crate::{cli::complete::Candidates, store::Space};

#[derive(Debug, Args)]
pub struct Ls {
    /// List those that were archived
    #[arg(long, conflicts_with = "trash")]
    pub archived: bool,
    /// List those in the trash
    #[arg(long)]
    pub trash: bool,
    /// List only those with this label; can be given again
    #[arg(long, value_name = "KEY[=VALUE]", add = Candidates::Labels)]
    pub label: Vec<String>,
    /// Sort in this order
    #[arg(long, value_enum, default_value_t = Sort::Updated)]
    pub sort: Sort,
    /// Sort the other way round
    #[arg(long)]
    pub reverse: bool,
    /// List no more than this many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Show forks below what they were forked from
    #[arg(long)]
    pub tree: bool,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// Last changed first
    Updated,
    /// Last begun first
    Created,
    /// By title
    Title,
    /// Most turns first
    Turns,
    /// Most events first
    Events,
}

#[derive(Debug, Subcommand)]
pub enum Label {
    /// Set labels of a conversation
    Add {
        /// The conversation: its id, or a beginning of it that no other has
        #[arg(add = Candidates::Conversations(&[Space::Heads]))]
        id: String,
        /// The labels
        #[arg(required = true, value_name = "KEY[=VALUE]", add = Candidates::Labels)]
        labels: Vec<String>,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Take labels of a conversation away
    Rm {
        /// The conversation: its id, or a beginning of it that no other has
        #[arg(add = Candidates::Conversations(&[Space::Heads]))]
        id: String,
        /// The labels
        #[arg(required = true, value_name = "KEY", add = Candidates::LabelKeys)]
        keys: Vec<String>,
        #[command(flatten)]
        format: FormatArg,
    },
    /// List the labels of a conversation, or all labels and how many conversations have them
    Ls {
        /// The conversation: its id, or a beginning of it that no other has [default: all active
        /// ones]
        #[arg(add = Candidates::Conversations(&[Space::Heads, Space::Archive]))]
        id: Option<String>,
        #[command(flatten)]
        format: FormatArg,
    },
}
