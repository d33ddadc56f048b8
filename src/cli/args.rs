//! The arguments of every command. The doc comments are the help.

use std::{ffi::OsString, num::NonZeroU64, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

use super::{commands::Shell, complete::Candidates};
use crate::store::Space;

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
    /// List conversations, last changed first
    Ls(Ls),
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
    #[command(override_usage = "jp conversation cat [OPTIONS] [ID] <ADDRESS>")]
    Cat {
        /// The conversation [default: the one last changed], then the number of the event or the
        /// name of its file
        #[arg(required = true, num_args = 1..=2, value_names = ["ID", "ADDRESS"])]
        #[arg(add = Candidates::ConversationThenEvent)]
        args: Vec<String>,
        #[command(flatten)]
        at: AtArg,
    },
    /// List what happened to a conversation, newest first
    ///
    /// One line for each operation: what one command did, or a commit that something else made.
    /// The commits can be given to `--at`.
    Log(Log),
    /// Show what changed between two versions, or between two conversations
    ///
    /// Without a version, it shows what the last operation changed; with one, what changed from it
    /// to now. Text is marked as git marks words: `[-removed-]` and `{+added+}`. The exit code is 0
    /// whether or not anything changed.
    Diff(Diff),
    /// Show who wrote each line of an event, and when
    ///
    /// Content that comes back, as by an undo, belongs to whoever wrote it first.
    #[command(override_usage = "jp conversation blame [OPTIONS] [ID] <ADDRESS>")]
    Blame(Blame),
    /// Take back the last operation
    ///
    /// A whole command is taken back: a turn, an edit, an append, a title. Done again, it takes
    /// back the one before. History is kept: undo is a new commit that brings back the old tree.
    Undo(Change),
    /// Do again what undo took back
    ///
    /// Works until something new happens.
    Redo(Change),
    /// Bring back an earlier version, or a conversation from the trash
    Restore {
        #[command(flatten)]
        change: Change,
        #[command(flatten)]
        at: AtArg,
    },
    /// Start a new conversation from another one
    ///
    /// The fork shares everything with it up to here, and costs next to nothing.
    Fork(Fork),
    /// Print or set the title of a conversation
    Title {
        /// The conversation: its id, or a beginning of it that no other has
        #[arg(add = Candidates::Conversations(&[Space::Heads]))]
        id: String,
        /// The new title [default: print the present one]
        title: Option<String>,
        /// Take the title away
        #[arg(long, conflicts_with = "title")]
        clear: bool,
    },
    /// Mark conversations, to find them again with `ls --label`
    #[command(subcommand)]
    Label(Label),
    /// Put conversations away: `ls` shows them with `--archived` only
    Archive(Several),
    /// Bring archived conversations back
    Unarchive(Several),
    /// Move conversations to the trash, from where `restore` brings them back
    Rm(Several),
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

#[derive(Debug, Args)]
pub struct Ls {
    /// Those that were archived
    #[arg(long, conflicts_with = "trash")]
    pub archived: bool,
    /// Those in the trash
    #[arg(long)]
    pub trash: bool,
    /// Those with this label; can be given again
    #[arg(long, value_name = "KEY[=VALUE]", add = Candidates::Labels)]
    pub label: Vec<String>,
    /// In which order
    #[arg(long, value_enum, default_value_t = Sort::Updated)]
    pub sort: Sort,
    /// The other way round
    #[arg(long)]
    pub reverse: bool,
    /// No more than this many
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Forks below what they were forked from
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

#[derive(Debug, Args)]
pub struct Log {
    #[command(flatten)]
    pub target: Target,
    /// Each commit of each operation
    #[arg(long)]
    pub events: bool,
    /// With all conversations that were forked from the same one
    #[arg(long)]
    pub graph: bool,
    /// No more than this many operations
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct Diff {
    /// The version before: `ID@WHEN`, or `@WHEN` of the conversation last changed; or a conversation
    /// `ID`, which stands for its last operation unless there is a B
    #[arg(value_name = "A", add = Candidates::Conversations(&[Space::Heads, Space::Archive]))]
    pub from: Option<String>,
    /// The version after: `ID`, `ID@WHEN`, or `@WHEN` of the conversation of A [default: now]
    #[arg(value_name = "B", add = Candidates::Conversations(&[Space::Heads, Space::Archive]))]
    pub to: Option<String>,
    /// From this version to now: a commit, `turn 4`, `~2` operations ago, `2h ago` or
    /// `2026-11-01 14:03`
    #[arg(long, value_name = "WHEN", conflicts_with = "to")]
    pub at: Option<String>,
    /// Only which events changed, and by how many lines
    #[arg(long)]
    pub stat: bool,
    #[command(flatten)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct Blame {
    /// The conversation [default: the one last changed], then the number of the event or the name
    /// of its file
    #[arg(required = true, num_args = 1..=2, value_names = ["ID", "ADDRESS"])]
    #[arg(add = Candidates::ConversationThenEvent)]
    pub args: Vec<String>,
    #[command(flatten)]
    pub at: AtArg,
    #[command(flatten)]
    pub format: FormatArg,
}

/// The conversation that a command changes.
#[derive(Debug, Args)]
pub struct Change {
    /// The conversation: its id, or a beginning of it that no other has [default: the only one
    /// there is]
    #[arg(add = Candidates::Conversations(&[Space::Heads]))]
    pub id: Option<String>,
    #[command(flatten)]
    pub format: FormatArg,
}

/// The conversations that a command moves.
#[derive(Debug, Args)]
pub struct Several {
    /// The conversations: their ids, or beginnings of them that no others have
    #[arg(required = true, value_name = "ID")]
    #[arg(add = Candidates::Conversations(&[Space::Heads, Space::Archive]))]
    pub ids: Vec<String>,
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
pub enum Label {
    /// Set labels of a conversation
    Add {
        /// The conversation: its id, or a beginning of it that no other has
        #[arg(add = Candidates::Conversations(&[Space::Heads]))]
        id: String,
        /// The labels
        #[arg(required = true, value_name = "KEY[=VALUE]", add = Candidates::Labels)]
        labels: Vec<String>,
    },
    /// Take labels of a conversation away
    Rm {
        /// The conversation: its id, or a beginning of it that no other has
        #[arg(add = Candidates::Conversations(&[Space::Heads]))]
        id: String,
        /// The labels
        #[arg(required = true, value_name = "KEY")]
        keys: Vec<String>,
    },
    /// List the labels of a conversation, or all labels and how many conversations have them
    Ls {
        /// The conversation: its id, or a beginning of it that no other has [default: all active
        /// ones]
        id: Option<String>,
        #[command(flatten)]
        format: FormatArg,
    },
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
    /// Delete conversations in the trash for good
    ///
    /// Nothing else ever deletes anything. What would go is shown first, and you are asked.
    EmptyTrash {
        /// Those that have been in the trash for longer than this, such as `30d` or `2 weeks`
        #[arg(long, value_name = "AGE")]
        older_than: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// Show what would go, and nothing else
        #[arg(long)]
        dry_run: bool,
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
    #[arg(add = Candidates::Conversations(&[Space::Heads, Space::Archive]))]
    pub id: Option<String>,
    #[command(flatten)]
    pub at: AtArg,
}

#[derive(Debug, Args)]
pub struct AtArg {
    /// As it was: at a commit, `turn 4`, `~2` operations ago, `2h ago` or `2026-11-01 14:03`
    #[arg(long, value_name = "WHEN")]
    pub at: Option<String>,
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
