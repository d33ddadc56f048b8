//! Picking a conversation from a list.

use crate::{
    cli::{error::CommandError, output::Output},
    env::Env,
    workspace::{Handle, Session, Workspace},
};

pub fn pick(
    _env: &Env,
    _output: &mut Output,
    _workspace: &Workspace,
    _session: Option<&Session>,
) -> Result<Handle, CommandError> {
    Err(CommandError::failure("pick"))
}
