//! One file for each command.

mod append;
mod cat;
mod completions;
mod fsck;
mod git;
mod init;
mod ls;
mod man;
mod open;
mod reference;
mod schema;
mod show;
mod store;

pub use self::completions::Shell;
use self::open::{existing_workspace, to_read, workspace_with};
use super::{
    args::{Cli, Command, Conversation},
    error::CommandError,
    output::Output,
};
use crate::env::Env;

/// The exit code of a command that worked, or why it did not.
pub type Outcome = Result<u8, CommandError>;

const DONE: u8 = 0;

/// Runs a command.
pub fn run(cli: Cli, env: &Env, output: &mut Output) -> Outcome {
    match cli.command {
        Command::Init { directory } => init::run(env, output, &directory),
        Command::Conversation(command) => match command {
            Conversation::Append(args) => append::run(env, output, args),
            Conversation::Ls { format } => ls::run(env, output, &format),
            Conversation::Show { target, format } => show::run(env, output, &target, &format),
            Conversation::Cat { id, address } => cat::run(env, output, &id, &address),
            Conversation::Fsck { ids, repair, format } => {
                fsck::run(env, output, &ids, repair, &format)
            }
        },
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
