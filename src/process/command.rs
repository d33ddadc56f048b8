//! Commands that see the same world as jp does.

use std::{ffi::OsStr, process::Command};

use crate::env::Env;

/// A command that sees the variables and the directory of an [`Env`] and nothing else.
#[expect(clippy::disallowed_methods, reason = "this is where children come from")]
pub fn command(env: &Env, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(env.vars()).current_dir(env.cwd());
    command
}
