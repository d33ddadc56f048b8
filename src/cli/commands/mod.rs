//! One file for each command.

mod append;
mod cat;
mod fsck;
mod git;
mod init;
mod ls;
mod open;
mod print;
mod schema;
mod show;
mod store;

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
    output.choose_style(cli.color, env);
    match cli.command {
        Command::Init { directory } => init::run(env, output, &directory),
        Command::Conversation(command) => match command {
            Conversation::Append(args) => append::run(env, output, args),
            Conversation::Ls { format } => ls::run(env, output, &format),
            Conversation::Show { target, format } => show::run(env, output, &target, &format),
            Conversation::Print(args) => print::run(env, output, &args),
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
    }
}
