//! `jp git`

use std::ffi::OsString;

use super::{Outcome, existing_workspace};
use crate::{
    cli::{error::CommandError, output::Output},
    env::Env,
    store::GitError,
};

pub fn run(env: &Env, output: &mut Output, args: &[OsString]) -> Outcome {
    let workspace = existing_workspace(env)?;
    output.flush()?;
    let mut command = workspace.store().git(env, args)?;
    run_instead(&mut command)
}

/// Becomes git, so that signals and the terminal are its own.
#[cfg(unix)]
fn run_instead(command: &mut std::process::Command) -> Outcome {
    Err(failed(&std::os::unix::process::CommandExt::exec(command)))
}

#[cfg(not(unix))]
fn run_instead(command: &mut std::process::Command) -> Outcome {
    let status = command.status().map_err(|error| failed(&error))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

fn failed(error: &std::io::Error) -> CommandError {
    match error.kind() {
        std::io::ErrorKind::NotFound => CommandError::from(GitError::NoGit),
        _ => CommandError::failure(format!("cannot run git: {error}")),
    }
}
