//! The arguments of every command. The doc comments are the help.

mod answer;
mod attach;
mod compact;
mod config;
mod conversation;
mod edit;
mod grep;
mod history;
mod list;
mod mcp;
mod need;
mod query;
mod queue;
mod resume;
mod shared;
mod store;
mod trust;

use std::{ffi::OsString, path::PathBuf};

use clap::{Parser, Subcommand, ValueEnum, ValueHint};

pub use self::{
    answer::Answer,
    attach::{Attach, Kill, Logs, Wait},
    compact::{Compact, ToolsArg, Wish},
    config::{Config, ConfigArgs, SetConfig, ShowConfig},
    conversation::{Append, Conversation, Export, ExportFormat, Import, ImportFormat, Print, Show},
    edit::{
        ChangeHow, Checkout, Chosen, Commit, Drop, Edit, EditHow, Insert, Move, Pick, PlaceArg,
        Status, Watch,
    },
    grep::Grep,
    history::{Blame, Diff, Fork, Log, Restore},
    list::{Label, Ls, Sort},
    mcp::{Mcp, McpLs, Tools, ToolsLs, ToolsRun},
    need::Need,
    query::{Models, Query},
    queue::{Queue, Send},
    resume::{Decisions, Resume, With},
    shared::{AtArg, Change, FormatArg, MannerArgs, Target},
    store::Store,
    trust::Trust,
};
use super::{commands::Shell, complete::Candidates};

/// Keep conversations with language models as directories in git
#[derive(Debug, Parser)]
#[command(
    name = "jp",
    version,
    max_term_width = 100,
    propagate_version = false,
    after_help = "Begin with a question, such as `jp query --new \"How do I undo a change?\"`."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// Do not use a pager, however long the output is
    #[arg(long, global = true)]
    pub no_pager: bool,
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
    /// Ask a model, and keep every step
    ///
    /// Without `--new` or `--id` it continues the conversation of this terminal. The answer goes to
    /// standard output, everything else to standard error, and questions to the terminal. Each
    /// step is stored when it is complete: whatever happens, at most the block that was still
    /// coming is lost.
    ///
    /// Without a configured model the built-in guide answers questions about jp, offline.
    #[command(visible_alias = "q")]
    Query(Box<Query>),
    /// Go on with a turn that failed or was interrupted
    ///
    /// What was done is not done again: results that are there are used, calls that were never made
    /// are made, and the model is asked what it would have been asked. A call that may have been
    /// made already is made again only if its tool says that this is harmless, or you do. Then,
    /// or if the last turn is complete, the follow-ups are asked that are queued.
    Resume(Box<Resume>),
    /// List the models that can be asked from here
    ///
    /// Services count whose key is in the environment, servers that run on this machine, and what
    /// `[providers.NAME]` in the configuration names. `jp query -m PROVIDER/MODEL` asks one.
    Models(Models),
    /// Look at the servers of the Model Context Protocol that bring tools along
    #[command(subcommand)]
    Mcp(Mcp),
    /// Look at the tools that a model may call, and run one by hand
    #[command(subcommand)]
    Tools(Tools),
    /// Work with conversations
    #[command(subcommand, visible_alias = "c")]
    Conversation(Conversation),
    /// Show and change settings
    ///
    /// Settings come from the files of the user and of the workspace, from environment variables,
    /// from the conversation, and from `-c` on the command line; what comes later counts more.
    #[command(subcommand)]
    Config(Config),
    /// Let a workspace take effect that names commands, addresses or permissions
    ///
    /// What of a workspace could run a program, send texts elsewhere or change what a model may do
    /// is ignored until you trust it: such settings in `.jp/config.toml` and
    /// `.jp/config.local.toml`, and `.mcp.json`. All of it is shown, beside what you trusted before,
    /// and you are asked. Any change of these files takes the trust away until you say so again.
    Trust(Trust),
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
    /// Print the JSON Schema of an event type, of any frontmatter, of `meta.toml` or of a configuration
    Schema {
        /// The event type, `frontmatter`, `meta` or `config` [default: list the names]
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
    /// Serve a query to whoever waits at a socket
    #[command(hide = true, disable_help_flag = true)]
    Serve {
        /// The socket
        rendezvous: PathBuf,
        /// The arguments of the query
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
}
