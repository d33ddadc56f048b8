//! `jp conversation`: what there is, and the arguments of what reads and writes events.

use std::{ffi::OsString, num::NonZeroU64, path::PathBuf};

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::{
    Answer, AtArg, Attach, Blame, Change, Checkout, Commit, Compact, Diff, Drop, Edit, Fork,
    FormatArg, Grep, Insert, Kill, Label, Log, Logs, Ls, Move, Pick, Queue, Restore, Send, Status,
    Target, Wait, Watch,
};
use crate::{cli::complete::Candidates, model::EventType, store::Space};

#[derive(Debug, Subcommand)]
pub enum Conversation {
    /// Append event files or messages to a conversation, each event as one commit
    ///
    /// What is printed is on disk. If one event cannot be appended, none is.
    Append(Append),
    /// Queue a follow-up: a question for later, kept with the conversation
    ///
    /// It is asked when a turn is complete, by the query that completed it, one after the other in
    /// the order in which they were sent. Nothing asks it by itself: `jp resume ID` does, or the
    /// next query in that conversation, after its own question.
    Send(Send),
    /// List the follow-ups that are queued, change one, or take one out
    ///
    /// `jp conversation undo` takes each change back.
    Queue(Queue),
    /// Print an event file to start from
    ///
    /// It has everything that an event of its type needs, and says in remarks what it may have.
    Template {
        /// The type of the event [default: list the types]
        #[arg(value_name = "TYPE", add = Candidates::EventTypes)]
        event_type: Option<EventType>,
    },
    /// List conversations, last changed first
    Ls(Ls),
    /// Show a conversation: what it is waiting for, and its events
    ///
    /// A turn that is not complete is told call by call: what has completed, what may have run, what
    /// is still to come, and which questions wait for an answer.
    Show(Show),
    /// Print a conversation for people: who said what, and when
    ///
    /// On a terminal it is laid out, and shown by `$JP_PAGER`, `$PAGER` or `less` if it is long.
    /// Elsewhere it is the markdown that was written.
    Print(Print),
    /// Print an event file as it is stored
    #[command(override_usage = "jp conversation cat [OPTIONS] [ID] <ADDRESS>")]
    Cat {
        /// The conversation [default: that of this terminal, else the one last changed], then the
        /// number of the event or the name of its file
        #[arg(required = true, num_args = 1..=2, value_names = ["ID", "ADDRESS"])]
        #[arg(add = Candidates::ConversationThenEvent)]
        args: Vec<String>,
        #[command(flatten)]
        at: AtArg,
    },
    /// Answer a question that a conversation waits for
    ///
    /// From any terminal or script, whether or not the process that asked still runs. The answer is
    /// kept in the conversation, and the turn goes on with `jp resume`, or at once with `--resume`.
    /// Whether a tool may run counts only where you have answered: a conversation that is imported,
    /// shared or forked brings no permission along. A secret is asked at the terminal only.
    #[command(override_usage = "jp conversation answer [OPTIONS] [ID] [VALUE]")]
    Answer(Answer),
    /// Search the texts of conversations
    ///
    /// What was said, which tools were called, with what, and what they returned, attachments and
    /// settings. Case is ignored unless the pattern has a letter of upper case. The exit code is 0
    /// if something was found, 1 if not, and 2 if the call is wrong.
    Grep(Grep),
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
    /// Edit a conversation in your editor
    ///
    /// The editor opens a directory with the plan `CONVERSATION`, which says which events there are
    /// and in which order, and a file for each event. Delete lines to remove events, reorder them,
    /// change files, add new ones by name. When the editor is closed, the result is checked, shown
    /// and committed; what is wrong is written above the plan, and the editor opens again. An
    /// emptied plan or an editor that fails changes nothing. `jp conversation undo` takes an edit
    /// back.
    Edit(Edit),
    /// Write a conversation out as a directory to work in
    ///
    /// Any editor, IDE or script works there; `commit` brings what was changed back, on top of what
    /// came in meanwhile. The directory remembers its conversation, and where it came from.
    #[command(override_usage = "jp conversation checkout [OPTIONS] [ID] <DIR>")]
    Checkout(Checkout),
    /// Commit what was changed in a directory that `checkout` made
    ///
    /// All of it is checked first: what is wrong is told by file, line and column, and nothing is
    /// committed. What came in meanwhile is kept; an event that was changed in both places is a
    /// conflict, shown as in git.
    Commit(Commit),
    /// Show what was changed in a directory that `checkout` made, and what is wrong with it
    Status(Status),
    /// Commit a directory that `checkout` made whenever its files are saved
    ///
    /// What is wrong is told, and waits for the next save. What comes into the conversation comes
    /// into the directory, too. Ctrl+C ends it.
    Watch(Watch),
    /// Remove events or turns
    #[command(override_usage = "jp conversation drop [OPTIONS] <ID> <ADDRESS>...\n       \
                                jp conversation drop [OPTIONS] <ID> --turns <TURNS>")]
    Drop(Drop),
    /// Put events or turns elsewhere in a conversation
    #[command(
        override_usage = "jp conversation move [OPTIONS] <ID> <ADDRESS>... [--before <PLACE> | \
                                --after <PLACE>]\n       \
                                jp conversation move [OPTIONS] <ID> --turns <TURNS> [--before <PLACE> \
                                | --after <PLACE>]"
    )]
    Move(Move),
    /// Put new events into a conversation
    #[command(
        override_usage = "jp conversation insert [OPTIONS] <ID> <FILE>... [--before <PLACE> | \
                                --after <PLACE>]"
    )]
    Insert(Insert),
    /// Take turns from other conversations
    ///
    /// Each event says where it was taken from. Configuration and compactions stay behind.
    Pick(Pick),
    /// Start a new conversation from another one
    ///
    /// The fork shares everything with it up to here, and costs next to nothing.
    Fork(Fork),
    /// Turn this terminal to a conversation: what is asked next goes on with it
    ///
    /// Nothing of the conversation changes, and it does not matter whether somebody else is at it.
    Use {
        /// The conversation: its id, a beginning of it that no other has, `last`, `last-created` or
        /// `previous` [default: pick one from a list]
        #[arg(add = Candidates::Conversations(&[Space::Heads]))]
        id: Option<String>,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Let models see less of earlier turns, and keep everything
    ///
    /// Nothing that is stored changes: an event says what is left out from now on. Without options
    /// these are thoughts, and what tools returned, in all turns but the last.
    Compact(Compact),
    /// Show a query that runs, from here on, and answer what it asks
    ///
    /// First comes what is stored of the turn under way, then what is not stored yet, then what
    /// happens. Ctrl+Z leaves again, and the query goes on. Whoever comes last is asked; others go on
    /// watching. A conversation that waits for an answer and has no process any more goes on as with
    /// `jp resume`.
    Attach(Attach),
    /// Wait until a query that runs is over, or waits for somebody
    ///
    /// The exit code tells how: 0 if the last turn is complete, 3 if a question waits for an answer,
    /// and 1 if it ended in any other way.
    Wait(Wait),
    /// Print what the queries of a conversation did: steps and errors, never what was said
    Logs(Logs),
    /// End a query that runs
    ///
    /// What it has is saved first, and `jp resume` goes on with it. With `--force` the process is
    /// killed; what is stored is safe in any case.
    Kill(Kill),
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
        /// The conversations: their ids, beginnings of them that no others have, `last`,
        /// `last-created` or `previous`
        #[arg(required = true, value_name = "ID")]
        #[arg(add = Candidates::Conversations(&[Space::Heads]))]
        ids: Vec<String>,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Bring archived conversations back
    Unarchive {
        /// The conversations: their ids, beginnings of them that no others have, `last`,
        /// `last-created` or `previous`
        #[arg(required = true, value_name = "ID")]
        #[arg(add = Candidates::Conversations(&[Space::Archive]))]
        ids: Vec<String>,
        #[command(flatten)]
        format: FormatArg,
    },
    /// Move conversations to the trash, from where `restore` brings them back
    Rm {
        /// The conversations: their ids, beginnings of them that no others have, `last`,
        /// `last-created` or `previous`
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
    /// Make a new conversation of a directory, or of a list of messages
    ///
    /// The directory has the form that `export --dir` writes, the list that of `export --format
    /// messages` or of chat messages. It is checked as a whole: if anything in it is wrong,
    /// everything that is wrong is told and nothing is kept.
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
                            jp conversation append [OPTIONS] --new <FILE>...\n       \
                            jp conversation append [OPTIONS] <ID> --messages <FILE>\n       \
                            jp conversation append [OPTIONS] --new --messages <FILE>")]
pub struct Append {
    /// The conversation (not with --new), then event files; `-` is standard input
    #[arg(required_unless_present = "messages", value_name = "ID|FILE")]
    #[arg(add = Candidates::ConversationThenFiles)]
    pub args: Vec<OsString>,
    /// Append the messages of this list in place of event files; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub messages: Option<OsString>,
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
pub struct Show {
    #[command(flatten)]
    pub target: Target,
    /// Show what it is waiting for, without its events: as quick for a long one as for a short one
    #[arg(long)]
    pub brief: bool,
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
    /// The directory; with `--format messages` the file with the list, and `-` is standard input
    #[arg(value_name = "SOURCE", value_hint = ValueHint::AnyPath)]
    pub source: PathBuf,
    /// The title of the conversation [default: the one in the directory, else the first line of
    /// its first request]
    #[arg(long)]
    pub title: Option<String>,
    /// What to read if it is no directory, and how to print; it may be given for each
    #[arg(long, value_enum, default_value = "text")]
    pub format: Vec<ImportFormat>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportFormat {
    /// Read a list of messages
    Messages,
    /// Print for people
    Text,
    /// Print for programs
    Json,
}

impl Import {
    /// Whether a list of messages is read.
    pub fn is_messages(&self) -> bool {
        self.format.contains(&ImportFormat::Messages)
    }

    /// Whether a program reads the output.
    pub fn is_json(&self) -> bool {
        self.format.contains(&ImportFormat::Json)
    }
}
