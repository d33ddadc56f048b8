//! `jp conversation use`

use serde_json::json;

use super::{DONE, Next, Otherwise, Outcome, can_ask, find, session, warn_of_dropped};
use crate::{
    cli::{
        args::{FormatArg, Need},
        error::CommandError,
        output::Output,
    },
    env::Env,
    store::Space,
    ui::escape,
    workspace::{Handle, Session, Workspace, WriteFailure},
};

pub fn run(env: &Env, output: &mut Output, id: Option<&str>, format: &FormatArg) -> Outcome {
    let session = session(env)?;
    let need = id.map_or(Need::Picked, Need::Explicit);
    let (workspace, handle) = find(env, output, need, Otherwise::TheOnlyOne, can_ask(env))?;
    turn_to(output, &workspace, &session, &handle)?;
    warn_of_dropped(output, &workspace, &handle, Next::Reads);
    let title = workspace.row(&handle, &mut Vec::new()).heading.title;
    if format.is_json() {
        output.json(&json!({ "id": handle.id(), "title": title }))?;
        return Ok(DONE);
    }
    output.line(match title {
        Some(title) => format!("{} {}", handle.id(), escape(&title)),
        None => handle.id().to_string(),
    })?;
    Ok(DONE)
}

/// Turns a terminal to a conversation, if it can be gone on with.
pub fn turn_to(
    output: &mut Output,
    workspace: &Workspace,
    session: &Session,
    handle: &Handle,
) -> Result<(), CommandError> {
    let (id, space) = (handle.id(), handle.space());
    if space != Space::Heads {
        return Err(WriteFailure::PutAway { id, space }.into());
    }
    let note = workspace.turn_to(Some(session), id).map_err(CommandError::failure)?;
    if let Some(note) = note {
        output.warn(note);
    }
    Ok(())
}
