//! The arguments of every command. The doc comments are the help.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

use super::{commands::Shell, complete::Candidates};
use crate::store::Space;

/// Keep conversations with language models as directories in git
#[derive(Debug, Parser)]
#[command(name = "jp", version, max_term_width = 100, propagate_version = false)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
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
        #[arg(default_value = ".", hide_default_value = true, value_hint = ValueHint::DirPath)]
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
        #[arg(add = Candidates::Schemas)]
        name: Option<String>,
        /// Write all schemas into this directory instead
        #[arg(long, value_name = "DIR", conflicts_with = "name", value_hint = ValueHint::DirPath)]
        write: Option<PathBuf>,
    },
    /// Print a script that lets a shell complete commands, options and conversations
    ///
    /// The script asks jp while you type, so that it knows the conversations of the workspace that
    /// you are in.
    Completions {
        /// The shell, and how it learns of the script
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Write a man page for each command into a directory
    ///
    /// In `~/.local/share/man/man1` most systems find them: `man jp` and `man jp-conversation-show`.
    Man {
        /// The directory, which is made if it is not there
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        directory: PathBuf,
    },
    /// Print the reference of all commands as markdown
    #[command(hide = true)]
    Reference,
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
    /// Print an event file as it is stored
    Cat {
        /// The conversation: its id, or a beginning of it that no other has
        #[arg(add = Candidates::Conversations(&[Space::Heads]))]
        id: String,
        /// The number of the event, or the name of its file
        #[arg(add = Candidates::Events)]
        address: String,
    },
    /// List everything that is wrong with conversations, by file and line
    Fsck {
        /// The conversations [default: all]
        #[arg(add = Candidates::Conversations(&[Space::Heads]))]
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
    #[arg(required = true, value_name = "ID|FILE", add = Candidates::ConversationThenFiles)]
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
    #[arg(add = Candidates::Conversations(&[Space::Heads]))]
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
