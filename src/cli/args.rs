//! The arguments of every command. The doc comments are the help.

use std::{ffi::OsString, num::NonZeroU64, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Keep conversations with language models as directories in git
#[derive(Debug, Parser)]
#[command(name = "jp", version, max_term_width = 100, propagate_version = false)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a directory a workspace
    ///
    /// Conversations of a workspace belong together. Inside a git repository they are kept in
    /// its git directory, where they stay out of the way of the project; elsewhere in `.jp/store`.
    /// Running it again changes nothing.
    Init {
        /// The directory [default: the current one]
        #[arg(default_value = ".", hide_default_value = true)]
        directory: PathBuf,
    },
    /// Work with conversations
    #[command(subcommand, visible_alias = "c")]
    Conversation(Conversation),
    /// Look after the repository that holds the conversations
    #[command(subcommand)]
    Store(Store),
    /// Run git on the repository that holds the conversations
    #[command(disable_help_flag = true)]
    Git {
        /// What git gets
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Print the JSON Schema of an event type or of `meta.toml`
    Schema {
        /// The event type, or `meta` [default: list the names]
        name: Option<String>,
        /// Write all schemas into this directory instead
        #[arg(long, value_name = "DIR", conflicts_with = "name")]
        write: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub enum Conversation {
    /// Append event files to a conversation, each as one commit
    ///
    /// What is printed is on disk. If one file cannot be appended, none is.
    Append(Append),
    /// List conversations, last used first
    Ls {
        #[command(flatten)]
        format: FormatArg,
    },
    /// Show a conversation: what it is waiting for, and its events
    Show {
        #[command(flatten)]
        target: Target,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Print a conversation for people: who said what, and when
    ///
    /// On a terminal it is laid out, and shown by `$JP_PAGER`, `$PAGER` or `less` if it is long.
    /// Elsewhere it is the markdown that was written.
    Print(Print),
    /// Print an event file as it is stored
    Cat {
        /// The conversation: its id, or a beginning of it that no other has
        id: String,
        /// The number of the event, or the name of its file
        address: String,
    },
    /// List everything that is wrong with conversations, by file and line
    Fsck {
        /// The conversations [default: all]
        ids: Vec<String>,
        /// Mend what can be mended, as a commit
        #[arg(long)]
        repair: bool,
        #[command(flatten)]
        format: FormatArg,
    },
}

#[derive(Debug, Args)]
#[command(override_usage = "jp conversation append [OPTIONS] <ID> <FILE>...\n       \
                            jp conversation append [OPTIONS] --new <FILE>...")]
pub struct Append {
    /// The conversation (not with --new), then event files; `-` is standard input
    #[arg(required = true, value_name = "ID|FILE")]
    pub args: Vec<OsString>,
    /// Start a new conversation
    #[arg(long)]
    pub new: bool,
    /// The title of the new conversation [default: the first line of its first request]
    #[arg(long, requires = "new")]
    pub title: Option<String>,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct Print {
    #[command(flatten)]
    pub target: Target,
    /// Print only the last turns
    #[arg(long, value_name = "N")]
    pub last: Option<NonZeroU64>,
    /// Print only this turn; the first one is 0
    #[arg(long, value_name = "N", conflicts_with = "last")]
    pub turn: Option<u64>,
    /// Print calls of tools with their arguments and results, not in a line
    #[arg(long)]
    pub tools: bool,
    /// Print what models thought, too
    #[arg(long)]
    pub reasoning: bool,
    /// Print only the texts, as they are stored
    #[arg(long)]
    pub raw: bool,
    /// Do not use a pager
    #[arg(long)]
    pub no_pager: bool,
}

#[derive(Debug, Subcommand)]
pub enum Store {
    /// Print where the repository is
    Path,
    /// Tell how large it is
    Stats {
        #[command(flatten)]
        format: FormatArg,
    },
    /// Pack it as small as it gets
    Pack {
        #[command(flatten)]
        format: FormatArg,
    },
    /// Check every object in it
    Fsck {
        #[command(flatten)]
        format: FormatArg,
    },
}

/// The conversation that a command reads.
#[derive(Debug, Args)]
pub struct Target {
    /// The conversation: its id, or a beginning of it that no other has [default: the one last
    /// changed]
    pub id: Option<String>,
}

#[derive(Debug, Args)]
pub struct FormatArg {
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
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
