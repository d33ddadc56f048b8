//! `jp git`

use std::ffi::OsString;

use super::Outcome;
use crate::{
    cli::{error::CommandError, output::Output},
    env::Env,
    store::GitError,
    workspace::Workspace,
};

pub fn run(env: &Env, output: &mut Output, args: &[OsString]) -> Outcome {
    let workspace = Workspace::open(env)?.ok_or_else(|| {
        CommandError::failure("there is no store here yet")
            .hint("`jp init` makes one, and so does the first conversation")
    })?;
    output.flush()?;
    let mut command = workspace.store().git(env, args)?;
    let status = command.status().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => CommandError::from(GitError::NoGit),
        _ => CommandError::failure(format!("cannot run git: {error}")),
    })?;
    // Ended by a signal: what a shell would say.
    let code = status.code().unwrap_or_else(|| 128 + signal(status));
    Ok(u8::try_from(code).unwrap_or(1))
}

#[cfg(unix)]
fn signal(status: std::process::ExitStatus) -> i32 {
    std::os::unix::process::ExitStatusExt::signal(&status).unwrap_or(0)
}

#[cfg(not(unix))]
fn signal(_status: std::process::ExitStatus) -> i32 {
    0
}
