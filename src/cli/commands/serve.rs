//! `jp serve`, which nobody types: the process around a query.

use std::{ffi::OsString, path::PathBuf};

use clap::Parser;

use super::{Outcome, query};
use crate::{
    cli::{
        NAME,
        args::{Cli, Command},
        error::CommandError,
        output::Output,
    },
    env::Env,
    process::Inherited,
};

pub fn run(env: &Env, output: &mut Output, rendezvous: PathBuf, args: Vec<OsString>) -> Outcome {
    // Before anything else is opened.
    let inherited = Inherited::at_start();
    let words = [OsString::from(NAME)].into_iter().chain(args);
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => return Err(CommandError::from_clap(&error, output)),
    };
    output.choose_style(cli.color, env);
    match cli.command {
        Command::Query(args) => query::serve(env, output, &args, rendezvous, inherited),
        Command::Resume(args) => query::serve(env, output, &(*args).into(), rendezvous, inherited),
        _ => Err(CommandError::usage("only a query is served")),
    }
}
