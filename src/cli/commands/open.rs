//! The workspace that a command works in.

use crate::{
    cli::error::CommandError,
    env::Env,
    workspace::{SelectError, Workspace},
};

/// Opens the workspace for a command that names a conversation in it.
pub fn workspace_with(env: &Env, id: &str) -> Result<Workspace, CommandError> {
    let unknown = || SelectError::Unknown { given: id.to_owned(), candidates: Vec::new() };
    Workspace::open(env)?.ok_or_else(|| unknown().into())
}

/// Opens the workspace for a command that needs its store.
pub fn existing_workspace(env: &Env) -> Result<Workspace, CommandError> {
    Workspace::open(env)?.ok_or_else(|| {
        CommandError::failure("there is no store here yet")
            .hint("`jp init` makes one, and so does the first conversation")
    })
}
