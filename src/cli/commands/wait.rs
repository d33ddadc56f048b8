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
    model::{Finish, Turn},
    serve::{Connection, FromServer, Role},
    ui::escape_lines,
    workspace::{Handle, LoadError, Workspace},
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
    let mut failure = None;
    let ending = loop {
        match reach(&workspace, id, Role::Watcher)?.map(watch).transpose()? {
            Some(Watched::Waits) => break Standing::Waiting,
            Some(Watched::Over(why)) => failure = why,
            Some(Watched::CutOff) | None => {}
        }
        // One without a server, or one that has cut us off or is about to end.
        match workspace.running(id) {
            Some(_) => thread::sleep(PAUSE),
            // What is stored says it, also to whoever comes later.
            None => break stored(&workspace, &workspace.select(&id.to_string())?)?,
        }
    };
    if args.change.format.is_json() {
        let id = id.to_string();
        let ending = ending.word();
        output.json(&json!({ "conversation": id, "ending": ending, "failure": failure }))?;
    } else {
        output.line(format_args!("{id}: {}", ending.word()))?;
        if let Some(failure) = failure {
            output.say(escape_lines(&failure));
        }
    }
    Ok(match ending {
        Standing::Complete => DONE,
        Standing::Waiting => WAITING,
        Standing::Stopped | Standing::Interrupted => NOT_COMPLETE,
    })
}

/// How the last turn of a conversation stands that nobody is at.
#[derive(Clone, Copy)]
enum Standing {
    Complete,
    Waiting,
    Stopped,
    Interrupted,
}

impl Standing {
    fn word(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Waiting => "waiting",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
        }
    }
}

/// What was seen of a query.
enum Watched {
    /// A question waits for somebody who is not there.
    Waits,
    /// It is over; why it failed, if it did.
    Over(Option<String>),
    /// It says nothing any more.
    CutOff,
}

/// Watches until it is over, or waits for somebody who is not there.
fn watch(mut connection: Connection) -> Result<Watched, CommandError> {
    loop {
        match connection.hear() {
            Ok(FromServer::Pending { pid: None, .. }) => return Ok(Watched::Waits),
            Ok(FromServer::End(closing)) if !closing.goes_on => {
                return Ok(Watched::Over(
                    closing.failure.map(|failure| failure.messages.join("\n")),
                ));
            }
            Ok(FromServer::Refused { message }) => return Err(CommandError::failure(message)),
            Ok(_) => {}
            Err(_gone) => return Ok(Watched::CutOff),
        }
    }
}

/// How the last turn stands, as it is stored.
fn stored(workspace: &Workspace, handle: &Handle) -> Result<Standing, LoadError> {
    let stream = workspace.load(handle)?.stream();
    let progress = stream.incomplete.map(|incomplete| incomplete.progress);
    Ok(match progress {
        Some(progress) if !progress.open_questions().is_empty() => Standing::Waiting,
        Some(progress) if progress.pending().is_some() => Standing::Interrupted,
        Some(_) | None => match stream.turns.last().and_then(finish) {
            Some(Finish::Cancelled) => Standing::Stopped,
            _ => Standing::Complete,
        },
    })
}

/// How the last answer of a turn ended.
fn finish(turn: &Turn) -> Option<&Finish> {
    let mut events = turn.entries.iter().rev().map(|entry| &entry.event);
    events.find_map(|event| event.block()?.finish.as_ref())
}
