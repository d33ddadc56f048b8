//! `jp conversation use`

use serde_json::json;

use super::{DONE, Next, Otherwise, Outcome, find, session, warn_of_dropped};
use crate::{
    cli::{
        args::{FormatArg, Need},
        error::CommandError,
        output::Output,
    },
    env::Env,
    ui::escape,
    workspace::{Handle, Session, Workspace},
};

pub fn run(env: &Env, output: &mut Output, id: Option<&str>, format: &FormatArg) -> Outcome {
    let session = session(env)?;
    let need = id.map_or(Need::Picked, Need::Explicit);
    let (workspace, handle) = find(env, output, need, Otherwise::TheOnlyOne, true)?;
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
    handle.check_active()?;
    let note = workspace.turn_to(Some(session), handle.id()).map_err(CommandError::failure)?;
    if let Some(note) = note {
        output.warn(note);
    }
    Ok(())
}
