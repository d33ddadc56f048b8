//! The workspace that a command works in.

use crate::{
    cli::{args::Target, error::CommandError},
    env::Env,
    workspace::{Handle, SelectError, Workspace},
};

/// Opens the workspace for a command that names a conversation in it.
pub fn workspace_with(env: &Env, id: &str) -> Result<Workspace, CommandError> {
    let unknown = || SelectError::Unknown { given: id.to_owned(), candidates: Vec::new() };
    Workspace::open(env)?.ok_or_else(|| unknown().into())
}

/// Opens the conversation that a command reads.
pub fn to_read(env: &Env, target: &Target) -> Result<(Workspace, Handle), CommandError> {
    let Some(id) = &target.id else {
        let workspace = Workspace::open(env)?;
        let last = match &workspace {
            Some(workspace) => workspace.last_changed()?,
            None => None,
        };
        return workspace.zip(last).ok_or_else(|| {
            CommandError::failure("there is no conversation yet")
                .hint("start one with `jp conversation append --new FILE`")
        });
    };
    let workspace = workspace_with(env, id)?;
    let handle = workspace.select(id)?;
    Ok((workspace, handle))
}

/// Opens the workspace for a command that needs its store.
pub fn existing_workspace(env: &Env) -> Result<Workspace, CommandError> {
    Workspace::open(env)?.ok_or_else(|| {
        CommandError::failure("there is no store here yet")
            .hint("`jp init` makes one, and so does the first conversation")
    })
}
