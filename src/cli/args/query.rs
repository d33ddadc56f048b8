//! The arguments of `jp query`.

use std::{ffi::OsString, num::NonZeroU64};

use clap::Args;

use super::{ConfigArgs, Decisions, FormatArg, MannerArgs, Wish, With};
use crate::{cli::complete::Candidates, store::Space};

/// What `jp query` is asked to do.
#[derive(Debug, Default, Args)]
pub struct Query {
    /// Ask this; `-` stands for standard input, `@FILE` for the text of a file [default: open an
    /// editor]
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    /// Put this beside the question, and keep it with the conversation: a file, a directory, a
    /// pattern such as `'src/**/*.rs'`, an address, or `-` for standard input; can be given again
    #[arg(long, short, value_name = "FILE|DIR|GLOB|URL|-", add = Candidates::Files)]
    pub attach: Vec<OsString>,
    /// Begin a new conversation
    #[arg(long, short, conflicts_with_all = ["id", "fork"])]
    pub new: bool,
    /// Continue this conversation: an id or the beginning of one, `last`, `last-created` or
    /// `previous`; without a value, pick one from a list [default: the one of this terminal]
    #[arg(
        long,
        value_name = "ID",
        num_args = 0..=1,
        require_equals = true,
        add = Candidates::Conversations(&[Space::Heads])
    )]
    pub id: Option<Option<String>>,
    /// Ask in a fork of the conversation, of all of it or of its last N turns
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with = "no_persist"
    )]
    pub fork: Option<Option<NonZeroU64>>,
    /// Go on with the last turn if it is not complete, and else as usual; `=recorded` or `=today`
    /// says with what, if the model would be told something else than before
    #[arg(
        long,
        value_name = "WITH",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        conflicts_with_all = ["new", "discard_turn", "no_persist", "attach", "schema"]
    )]
    pub continue_turn: Option<Option<With>>,
    /// Discard the last turn first if it is not complete; `jp conversation undo` brings it back
    #[arg(long, conflicts_with_all = ["new", "no_persist"])]
    pub discard_turn: bool,
    #[command(flatten, next_help_heading = "Calls that have no result, with --continue-turn")]
    pub decisions: Decisions,
    /// Compact earlier turns first, as `jp conversation compact` does; SPEC is words with commas,
    /// such as `reasoning,tools=omit,keep-last=3`
    #[arg(
        long,
        value_name = "SPEC",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with = "new"
    )]
    pub compact: Option<Wish>,
    /// Ask this model, now and later in this conversation [default: `assistant.model`]
    #[arg(long, short, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    /// Tell the model of no tools, now and later in this conversation [default: `assistant.tools`]
    #[arg(long)]
    pub no_tools: bool,
    /// Open no editor; without a text, send the last request again, or whatever the last turn lacks
    #[arg(long, short = 'E')]
    pub no_edit: bool,
    /// Keep nothing of this query, neither the question nor the answer; what was said before in the
    /// conversation is known all the same
    #[arg(long, conflicts_with = "detach")]
    pub no_persist: bool,
    /// Answer with data that fits this JSON Schema: a file, or the schema itself
    #[arg(long, value_name = "SCHEMA")]
    pub schema: Option<String>,
    /// Give the new conversation this title [default: the first line]
    #[arg(long, value_name = "TITLE")]
    pub title: Option<String>,
    /// Give the new conversation this label; can be given again
    #[arg(long, value_name = "KEY=VALUE")]
    pub label: Vec<String>,
    #[command(flatten)]
    pub manner: MannerArgs,
    /// Whether it is about a follow-up, and nothing else.
    #[arg(skip)]
    pub follow_up: bool,
}

/// What `jp models` is asked to do.
#[derive(Debug, Args)]
pub struct Models {
    /// Only those of this provider [default: all that have a key, and servers on this machine]
    pub provider: Option<String>,
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    pub format: FormatArg,
}
