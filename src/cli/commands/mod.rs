//! One file for each command.

mod answer;
mod append;
mod archive;
mod attach;
mod blame;
mod cat;
mod checkout;
mod commit;
mod compact;
mod completions;
mod config;
mod diff;
mod drop;
mod edit;
mod empty_trash;
mod event_files;
mod export;
mod fork;
mod fsck;
mod git;
mod grep;
mod import;
mod init;
mod insert;
mod kill;
mod label;
mod locking;
mod log;
mod logs;
mod ls;
mod man;
mod mcp;
mod message_list;
mod models;
mod r#move;
mod open;
mod pending;
mod pick;
mod picking;
mod place;
mod print;
mod query;
mod queue;
mod reaching;
mod redo;
mod reference;
mod report;
mod restore;
mod resume;
mod rm;
mod schema;
mod send;
mod serve;
mod servers;
mod settings;
mod shelve;
mod show;
mod status;
mod store;
mod template;
mod title;
mod tools;
mod trust;
mod turn_back;
mod unarchive;
mod undo;
mod r#use;
mod wait;
mod watch;

use std::ffi::OsString;

use self::open::{
    Next, Otherwise, can_ask, event_named, existing_workspace, find, find_to_change, now, session,
    tell_notes, to_change, to_read, to_read_at, version, warn_of_dropped, workspace_with,
};
pub use self::{completions::Shell, label::written, schema::schemas};
use super::{
    args::{Cli, Command, Conversation, Mcp, Store, Tools},
    error::CommandError,
    output::Output,
};
use crate::env::Env;

/// The exit code of a command that worked, or why it did not.
pub type Outcome = Result<u8, CommandError>;

const DONE: u8 = 0;

/// What is added to the number of the signal that stopped a command.
const BY_SIGNAL: u8 = 128;

/// The exit code of what the user interrupted.
const INTERRUPTED: u8 = BY_SIGNAL + 2;

/// Whether a command works with the conversations of the workspace, so that it clears away what
/// others have left there.
pub fn is_about_conversations(command: &Command) -> bool {
    match command {
        Command::Conversation(Conversation::Template { .. }) | Command::Store(Store::Path) => false,
        Command::Query(_)
        | Command::Resume(_)
        | Command::Serve { .. }
        | Command::Conversation(_)
        | Command::Store(_)
        | Command::Git { .. } => true,
        Command::Init { .. }
        | Command::Models(_)
        | Command::Mcp(_)
        | Command::Tools(_)
        | Command::Config(_)
        | Command::Trust(_)
        | Command::Schema { .. }
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Reference => false,
    }
}

/// The arguments of this process.
fn arguments() -> impl Iterator<Item = OsString> {
    std::env::args_os().skip(1)
}

/// Runs a command.
pub fn run(cli: Cli, env: &Env, output: &mut Output) -> Outcome {
    output.choose_style(cli.color, env);
    if cli.no_pager {
        output.use_no_pager();
    }
    match cli.command {
        Command::Init { directory } => init::run(env, output, &directory),
        Command::Query(args) => query::run(env, output, &args, arguments()),
        Command::Serve { rendezvous, args } => serve::run(env, output, rendezvous, args),
        Command::Resume(args) => resume::run(env, output, *args),
        Command::Models(args) => models::run(env, output, &args),
        Command::Mcp(command) => match command {
            Mcp::Ls(args) => mcp::ls(env, output, &args),
        },
        Command::Tools(command) => match command {
            Tools::Ls(args) => tools::ls(env, output, &args),
            Tools::Run(args) => tools::run(env, output, &args),
        },
        Command::Conversation(command) => match command {
            Conversation::Append(args) => append::run(env, output, args),
            Conversation::Send(args) => send::run(env, output, &args),
            Conversation::Queue(args) => queue::run(env, output, &args),
            Conversation::Template { event_type } => template::run(output, event_type),
            Conversation::Ls(args) => ls::run(env, output, &args),
            Conversation::Show(args) => show::run(env, output, &args),
            Conversation::Cat { args, at } => cat::run(env, output, &args, &at),
            Conversation::Answer(args) => answer::run(env, output, &args),
            Conversation::Grep(args) => grep::run(env, output, &args),
            Conversation::Log(args) => log::run(env, output, &args),
            Conversation::Diff(args) => diff::run(env, output, &args),
            Conversation::Blame(args) => blame::run(env, output, &args),
            Conversation::Undo(args) => undo::run(env, output, &args),
            Conversation::Redo(args) => redo::run(env, output, &args),
            Conversation::Restore(args) => restore::run(env, output, &args),
            Conversation::Edit(args) => edit::run(env, output, &args),
            Conversation::Checkout(args) => checkout::run(env, output, &args),
            Conversation::Commit(args) => commit::run(env, output, &args),
            Conversation::Status(args) => status::run(env, output, &args),
            Conversation::Watch(args) => watch::run(env, output, &args),
            Conversation::Drop(args) => drop::run(env, output, &args),
            Conversation::Move(args) => r#move::run(env, output, &args),
            Conversation::Insert(args) => insert::run(env, output, &args),
            Conversation::Pick(args) => pick::run(env, output, &args),
            Conversation::Fork(args) => fork::run(env, output, &args),
            Conversation::Use { id, format } => r#use::run(env, output, id.as_deref(), &format),
            Conversation::Compact(args) => compact::run(env, output, &args),
            Conversation::Attach(args) => attach::run(env, output, &args),
            Conversation::Wait(args) => wait::run(env, output, &args),
            Conversation::Logs(args) => logs::run(env, output, &args),
            Conversation::Kill(args) => kill::run(env, output, &args),
            Conversation::Title { id, title, clear, format } => {
                title::run(env, output, &id, title.as_deref(), clear, &format)
            }
            Conversation::Label(args) => label::run(env, output, &args),
            Conversation::Archive { ids, format } => archive::run(env, output, &ids, &format),
            Conversation::Unarchive { ids, format } => unarchive::run(env, output, &ids, &format),
            Conversation::Rm { ids, format } => rm::run(env, output, &ids, &format),
            Conversation::Export(args) => export::run(env, output, &args),
            Conversation::Import(args) => import::run(env, output, args),
            Conversation::Print(args) => print::run(env, output, &args),
            Conversation::Fsck { ids, repair, format } => {
                fsck::run(env, output, &ids, repair, &format)
            }
        },
        Command::Config(command) => config::run(env, output, command),
        Command::Trust(args) => trust::run(env, output, &args),
        Command::Store(command) => store::run(env, output, command),
        Command::Git { args } => git::run(env, output, &args),
        Command::Schema { name, write } => {
            schema::run(env, output, name.as_deref(), write.as_deref())
        }
        Command::Completions { shell } => completions::run(output, shell),
        Command::Man { directory } => man::run(env, output, &directory),
        Command::Reference => reference::run(output),
    }
}
