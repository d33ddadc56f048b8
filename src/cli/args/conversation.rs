//! `jp conversation`: what there is, and the arguments of what reads and writes events.

use std::{ffi::OsString, num::NonZeroU64, path::PathBuf};

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::{
    AtArg, Blame, Change, Compact, Diff, Fork, FormatArg, Label, Log, Ls, Restore, Target,
};
use crate::{cli::complete::Candidates, store::Space};

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
    Restore(Restore),
    /// Start a new conversation from another one
    ///
    /// The fork shares everything with it up to here, and costs next to nothing.
    Fork(Fork),
    /// Let models see less of earlier turns, and keep everything
    ///
    /// Nothing that is stored changes: an event says what is left out from now on. Without options
    /// these are thoughts, and what tools returned, in all turns but the last.
    Compact(Compact),
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
        #[command(flatten)]
        format: FormatArg,
    },
    /// Mark conversations, to find them again with `ls --label`
    #[command(subcommand)]
    Label(Label),
    /// Put conversations away: `ls` shows them with `--archived` only
    Archive {
        /// The conversations: their ids, or beginnings of them that no others have
        #[arg(required = true, value_name = "ID")]
        #[arg(add = Candidates::Conversations(&[Space::Heads]))]
        ids: Vec<String>,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Bring archived conversations back
    Unarchive {
        /// The conversations: their ids, or beginnings of them that no others have
        #[arg(required = true, value_name = "ID")]
        #[arg(add = Candidates::Conversations(&[Space::Archive]))]
        ids: Vec<String>,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Move conversations to the trash, from where `restore` brings them back
    Rm {
        /// The conversations: their ids, or beginnings of them that no others have
        #[arg(required = true, value_name = "ID")]
        #[arg(add = Candidates::Conversations(&[Space::Heads, Space::Archive]))]
        ids: Vec<String>,
        #[command(flatten)]
        format: FormatArg,
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
    /// Print what a model sees, with marks where something is left out
    #[arg(long)]
    pub compacted: bool,
    /// Print only the texts, as they are stored
    #[arg(long)]
    pub raw: bool,
}

#[derive(Debug, Args)]
pub struct Export {
    #[command(flatten)]
    pub target: Target,
    /// Write all files into this directory, which must not exist or be empty
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "output"], value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
    /// What to write
    #[arg(long, value_enum, default_value_t = ExportFormat::Md)]
    pub format: ExportFormat,
    /// Leave out what compactions leave out; with `--format messages` only
    #[arg(long, conflicts_with = "dir")]
    pub compacted: bool,
    /// Write to this file, replacing it [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One markdown document, for people
    Md,
    /// What a model is sent, as JSON for any provider: all of it, unless `--compacted`
    Messages,
    /// Everything, decoded, as JSON
    Json,
}

#[derive(Debug, Args)]
pub struct Import {
    /// The directory
    #[arg(value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    /// The title of the conversation [default: the one in the directory, else the first line of
    /// its first request]
    #[arg(long)]
    pub title: Option<String>,
    #[command(flatten)]
    pub format: FormatArg,
}
