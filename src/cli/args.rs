//! The arguments of every command. The doc comments are the help.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

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
    /// Print an event file as it is stored
    Cat {
        /// The conversation: its id, or a beginning of it that no other has
        id: String,
        /// The number of the event, or the name of its file
        address: String,
    },
    /// Write a conversation out: as a document, as data, or as the directory that it is
    ///
    /// The directory holds every file of the conversation byte for byte, and `import` takes it
    /// back.
    Export(Export),
    /// Make a new conversation of a directory
    ///
    /// The directory has the form that `export --dir` writes. It is checked as a whole: if
    /// anything in it is wrong, everything that is wrong is told and nothing is kept.
    Import(Import),
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
pub struct Export {
    #[command(flatten)]
    pub target: Target,
    /// Write all files into this directory, which must not exist or be empty
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "output"])]
    pub dir: Option<PathBuf>,
    /// What to write
    #[arg(long, value_enum, default_value_t = ExportFormat::Md)]
    pub format: ExportFormat,
    /// Write to this file, replacing it [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One markdown document, for people
    Md,
    /// What a model is sent, as JSON for any provider: all of it, without compaction
    Messages,
    /// Everything, decoded, as JSON
    Json,
}

#[derive(Debug, Args)]
pub struct Import {
    /// The directory
    pub directory: PathBuf,
    /// The title of the conversation [default: the one in the directory, else the first line of
    /// its first request]
    #[arg(long)]
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
