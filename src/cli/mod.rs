//! The command line: arguments in, exit codes out, and the words in between.
//!
//! This is the only module that knows clap, chooses exit codes, and gives hints.

mod args;
mod commands;
mod complete;
mod error;
mod output;

use std::ffi::OsString;

use clap::{CommandFactory, Parser};

use self::{args::Cli, error::CommandError, output::Output};
use crate::{
    env::Env,
    provider::PRESETS,
    workspace::{ConfigFiles, Workspace},
};

/// The name by which everybody calls the program.
const NAME: &str = "jp";

/// Runs jp and returns its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, env: &Env) -> u8 {
    let mut output = Output::of_process();
    let mut is_about_conversations = false;
    let result = match env.var(complete::VARIABLE) {
        Some(shell) => complete::answer(Cli::command(), args, shell, env, &mut output),
        None => match Cli::try_parse_from(args) {
            Ok(cli) => {
                is_about_conversations = commands::is_about_conversations(&cli.command);
                commands::run(cli, &knowing_keys(env), &mut output)
            }
            Err(error) => Err(CommandError::from_clap(&error, &mut output)),
        },
    };
    let result = result.and_then(|code| output.flush().map(|()| code).map_err(CommandError::from));
    let code = match result {
        Ok(code) => code,
        Err(error) => {
            error.report(&mut output);
            error.exit_code()
        }
    };
    // Last, when everything has been said, and of no consequence to how it ended.
    if is_about_conversations && let Ok(Some(workspace)) = Workspace::open(env) {
        workspace.clear_stale();
    }
    code
}

/// The same world, in which it is known where keys of providers stand, so that no child gets them.
fn knowing_keys(env: &Env) -> Env {
    let known = PRESETS.iter().flat_map(|preset| preset.key_vars).map(|name| (*name).to_owned());
    env.clone().with_key_variables(known.chain(ConfigFiles::key_variables(env)))
}
