//! `jp conversation wait`

use std::{thread, time::Duration};

use serde_json::json;

use super::{DONE, Outcome, reaching::reach, to_read_at};
use crate::{
    cli::{
        args::{AtArg, Wait},
        error::CommandError,
        output::Output,
    },
    env::Env,
    model::{ConversationId, Pending},
    serve::{Connection, FromServer, Role},
    workspace::{Handle, Workspace},
};

/// How often it is looked whether somebody is still at it who does not tell.
const PAUSE: Duration = Duration::from_millis(50);

/// A question waits for an answer.
const WAITING: u8 = 3;
/// It ended in any other way than complete.
const NOT_COMPLETE: u8 = 1;

pub fn run(env: &Env, output: &mut Output, args: &Wait) -> Outcome {
    let id = args.change.id.as_deref();
    let (workspace, handle) = to_read_at(env, output, id, &AtArg::default())?;
    let id = handle.id();
    let ending = loop {
        let connection = reach(&workspace, id, Role::Watcher)?;
        match connection.map(watch).transpose()?.flatten() {
            Some(ending) => break ending,
            // One without a server, or one that has cut us off.
            None if workspace.running(id).is_some() => thread::sleep(PAUSE),
            // What is stored says it.
            None => break stored(&workspace, &workspace.select(&id.to_string())?)?,
        }
    };
    tell(output, args.change.format.is_json(), id, &ending)?;
    Ok(match ending.as_str() {
        "complete" => DONE,
        "waiting" => WAITING,
        _ => NOT_COMPLETE,
    })
}

/// Watches until it is over, or waits for somebody who is not there.
fn watch(mut connection: Connection) -> Result<Option<String>, CommandError> {
    loop {
        match connection.hear() {
            Ok(FromServer::Pending { pid: None, .. }) => return Ok(Some("waiting".to_owned())),
            Ok(FromServer::End(closing)) if !closing.goes_on => {
                // One that could not go on has no word of its own.
                return Ok(Some(closing.ending).filter(|ending| !ending.is_empty()));
            }
            Ok(FromServer::Refused { message }) => return Err(CommandError::failure(message)),
            Ok(_) => {}
            Err(_gone) => return Ok(None),
        }
    }
}

/// How the last turn stands, as it is stored.
fn stored(workspace: &Workspace, handle: &Handle) -> Result<String, crate::workspace::LoadError> {
    let stream = workspace.load(handle)?.stream();
    let progress = stream.incomplete.map(|incomplete| incomplete.progress);
    Ok(match progress {
        None => "complete",
        Some(progress) if !progress.open_questions().is_empty() => "waiting",
        Some(progress) => progress.pending().map_or("complete", Pending::word),
    }
    .to_owned())
}

fn tell(output: &mut Output, json: bool, id: ConversationId, ending: &str) -> std::io::Result<()> {
    match json {
        true => output.json(&json!({ "conversation": id.to_string(), "ending": ending })),
        false => output.line(format_args!("{id}: {ending}")),
    }
}
