//! Commands that run on the user's terminal.

use std::{ffi::OsStr, process::Command};

use super::Child;
use crate::env::Env;

/// A command that stands in the directory of an [`Env`] and sees of its variables what such a child
/// needs, and nothing else.
#[expect(clippy::disallowed_methods, reason = "this is where children come from")]
pub fn command(env: &Env, child: Child, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(child.variables(env)).current_dir(env.cwd());
    command
}
