//! `jp conversation kill`

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    DONE, Outcome,
    reaching::{Unserved, unserved},
    to_read_at,
};
use crate::{
    cli::{
        args::{AtArg, Kill},
        error::CommandError,
        output::Output,
    },
    env::{Env, Life},
    process::signal::{End, end},
    serve::{Connection, FrameError, FromClient, FromServer, Role, place},
    workspace::ProcessEntry,
};

/// How long a process may take to save what it has.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often it is looked for programs of its tools, which may start others meanwhile.
const ROUNDS: usize = 20;

/// How often it is looked whether it is still there.
const PAUSE: Duration = Duration::from_millis(10);

pub fn run(env: &Env, output: &mut Output, args: &Kill) -> Outcome {
    let (workspace, handle) = to_read_at(env, output, Some(&args.id), &AtArg::default())?;
    let id = handle.id();
    let Some(entry) = workspace.process_of(id) else {
        return Err(match unserved(&workspace, id) {
            Unserved::Alone { pid, failure } => {
                failure.hint(format!("it is not one to be asked: `kill {pid}` ends it"))
            }
            Unserved::Nobody(failure) => {
                failure.hint(format!("`jp conversation show {id}` tells how far it is"))
            }
        });
    };
    let pid = entry.process.pid;
    match args.force {
        true => force(&entry)?,
        false => ask(&entry)?,
    }
    // What it left behind is cleared away by whoever looks.
    let _cleared = workspace.process_of(id);
    match args.format.is_json() {
        true => output.json(&json!({ "conversation": id.to_string(), "pid": pid }))?,
        false => {
            output.line(format_args!("{id}: process {pid} has ended"))?;
            output.hint(format_args!("`jp resume {id}` goes on if its last turn is not complete"));
        }
    }
    Ok(DONE)
}

/// Asks a process to save what it has and to end.
fn ask(entry: &ProcessEntry) -> Result<(), CommandError> {
    // Who does not listen at its socket hears a signal.
    if !is_asked(entry) {
        end(&entry.process, End::Ask).map_err(CommandError::failure)?;
    }
    let id = entry.conversation;
    wait_for_its_end(entry).map_err(|error| {
        error.hint(format!("`jp conversation kill {id} --force` kills it; what is stored is safe"))
    })
}

/// Asks a process at its socket; whether it has heard that.
fn is_asked(entry: &ProcessEntry) -> bool {
    let asked = || -> Result<bool, FrameError> {
        let stream = place::connect(&entry.socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut connection = Connection::greet(stream, Role::Messenger)?;
        connection.speaker().say(&FromClient::Stop)?;
        loop {
            match connection.hear()? {
                FromServer::End(_) => return Ok(true),
                FromServer::Refused { .. } => return Ok(false),
                _ => {}
            }
        }
    };
    asked().unwrap_or(false)
}

/// Kills exactly this process, and then what its tools run.
fn force(entry: &ProcessEntry) -> Result<(), CommandError> {
    // It leads a session of its own, to which the programs belong that its tools run.
    let leads = entry.process.session().contains(&entry.process);
    end(&entry.process, End::Force).map_err(CommandError::failure)?;
    wait_for_its_end(entry)?;
    for _ in 0..ROUNDS {
        let left = if leads { entry.process.session() } else { Vec::new() };
        if left.is_empty() {
            break;
        }
        for program in left {
            end(&program, End::Force).map_err(CommandError::failure)?;
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}

fn wait_for_its_end(entry: &ProcessEntry) -> Result<(), CommandError> {
    let until = Instant::now() + PATIENCE;
    while entry.process.life() == Life::Alive {
        if Instant::now() >= until {
            let pid = entry.process.pid;
            return Err(CommandError::failure(format!("process {pid} does not end")));
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}
