//! The answer to a shell.

use std::{
    ffi::{OsStr, OsString},
    sync::Arc,
};

use clap::{Arg, ArgMatches, Command};
use clap_complete::{ArgValueCompleter, env::Shells};

use super::{Candidates, candidates::Completer};
use crate::{
    cli::{error::CommandError, output::Output},
    env::Env,
};

/// The variable that names the shell that asks.
pub const VARIABLE: &str = "JP_COMPLETE";

/// The variable in which some of the scripts say which word is being completed.
const INDEX: &str = "_CLAP_COMPLETE_INDEX";

/// Answers `-- WORD…` for the shell of this name.
pub fn answer(
    command: Command,
    args: impl IntoIterator<Item = OsString>,
    shell: &OsStr,
    env: &Env,
    output: &mut Output,
) -> Result<u8, CommandError> {
    let shells = Shells::builtins();
    let Some(shell) = shell.to_str().and_then(|name| shells.completer(name)) else {
        let names: Vec<_> = shells.names().collect();
        let message =
            format!("{VARIABLE} is `{}`, which is not a shell that jp can answer", shell.display());
        return Err(CommandError::usage(message).hint(format!("one of {}", names.join(", "))));
    };
    let mut words: Vec<_> = args.into_iter().skip_while(|word| word != "--").skip(1).collect();
    let index = env.var(INDEX).and_then(OsStr::to_str).and_then(|index| index.parse().ok());
    let index = index.unwrap_or(words.len().saturating_sub(1));
    if words.is_empty() || index > words.len() {
        let message = format!("{VARIABLE} is set, and there is no command line to complete");
        let hint = format!(
            "unset {VARIABLE}; `jp completions {}` prints the script that sets it",
            shell.name()
        );
        return Err(CommandError::usage(message).hint(hint));
    }
    if index == words.len() {
        words.push(OsString::new());
    }
    let typed = Arc::new(parse(command.clone(), &words[..index]));
    let mut command = offering(command, &|arg| match arg.get::<Candidates>().copied() {
        None => arg,
        Some(candidates) => {
            let typed = Arc::clone(&typed);
            arg.add(ArgValueCompleter::new(Completer { candidates, env: env.clone(), typed }))
        }
    });
    let mut found = Vec::new();
    let written = shell.write_complete(&mut command, words, Some(env.cwd()), &mut found);
    written.map_err(|error| CommandError::failure(format!("cannot complete: {error}")))?;
    output.bytes(&found)?;
    Ok(0)
}

/// The command that was typed before the word in question, as far as it makes sense.
fn parse(command: Command, words: &[OsString]) -> ArgMatches {
    let parsed = command.ignore_errors(true).try_get_matches_from(words);
    let mut matches = parsed.unwrap_or_default();
    while let Some((_, inner)) = matches.remove_subcommand() {
        matches = inner;
    }
    matches
}

/// The command with its arguments prepared. Options count as hidden: they are offered where there is
/// nothing else to offer, so that a single conversation is completed at once.
fn offering(mut command: Command, prepare: &impl Fn(Arg) -> Arg) -> Command {
    command.build();
    fn each(command: Command, prepare: &impl Fn(Arg) -> Arg) -> Command {
        let options = |arg: Arg| if arg.is_positional() { arg } else { arg.hide(true) };
        command
            .mut_args(|arg| prepare(options(arg)))
            .mut_subcommands(|command| each(command, prepare))
    }
    each(command, prepare)
}
