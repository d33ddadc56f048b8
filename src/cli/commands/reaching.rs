//! Talks to the process that is at a conversation.

use std::{thread, time::Duration};

use crate::{
    cli::error::CommandError,
    model::ConversationId,
    serve::{Connection, FromClient, FromServer, Role},
    workspace::{ProcessEntry, Running, Workspace},
};

/// How often and when to try again: between two turns nobody listens for a moment.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// Connects to the process that serves a conversation, if there is one.
pub fn reach(
    workspace: &Workspace,
    id: ConversationId,
    role: Role,
) -> Result<Option<Connection>, CommandError> {
    match workspace.process_of(id) {
        Some(process) => reach_process(&process, role),
        None => Ok(None),
    }
}

/// Connects to this process, if it still is there.
pub fn reach_process(
    process: &ProcessEntry,
    role: Role,
) -> Result<Option<Connection>, CommandError> {
    Connection::open(&process.socket, role).map_err(|error| {
        let (pid, socket) = (process.process.pid, process.socket.display());
        CommandError::failure(format!("process {pid} cannot be reached at `{socket}`: {error}"))
            .hint(format!(
                "`jp conversation kill {}` ends it by a signal; what is stored is safe",
                process.conversation
            ))
    })
}

/// What a process said to what it was told.
pub enum Heard<T> {
    /// The answer.
    Answered(T),
    /// It does not do it, and says why.
    Refused(String),
    /// The query has failed, and says why.
    Failed(CommandError),
    /// It is about to end or has cut us off, and may or may not have done it.
    Gone,
}

/// Tells a process something, and waits for what answers it.
pub fn say<T>(
    mut connection: Connection,
    message: &FromClient,
    answer: impl Fn(&FromServer) -> Option<T>,
) -> Heard<T> {
    // Whoever does not listen to the end may have said why.
    let _unheard = connection.speaker().say(message);
    loop {
        match connection.hear() {
            Ok(FromServer::Refused { message }) => return Heard::Refused(message),
            Ok(FromServer::End(closing)) if !closing.goes_on => {
                return closing.failure.map_or(Heard::Gone, |failure| {
                    Heard::Failed(CommandError::of_failure(&failure, closing.code))
                });
            }
            Ok(message) => {
                if let Some(answer) = answer(&message) {
                    return Heard::Answered(answer);
                }
            }
            Err(_) => return Heard::Gone,
        }
    }
}

/// Lets the process that is at a conversation change its queue, and returns when that is on disk;
/// the number of the follow-up, or nothing if no process is at it or it is about to end. Whoever is
/// cut off looks whether it was done before it is tried again.
pub fn change_queue(
    workspace: &Workspace,
    id: ConversationId,
    message: &FromClient,
    is_done: impl Fn() -> Result<Option<u32>, CommandError>,
) -> Result<Option<u32>, CommandError> {
    for _ in 0..TRIES {
        let Some(process) = workspace.process_of(id) else { return Ok(None) };
        if let Some(connection) = reach_process(&process, Role::Messenger)? {
            match say(connection, message, number) {
                Heard::Answered(number) => return Ok(Some(number)),
                Heard::Refused(why) => {
                    let hint = format!("`jp conversation queue {id}` lists what is queued");
                    return Err(CommandError::failure(why).hint(hint));
                }
                Heard::Failed(_) | Heard::Gone => {
                    if let Some(number) = is_done()? {
                        return Ok(Some(number));
                    }
                }
            }
        }
        thread::sleep(PAUSE);
    }
    Ok(None)
}

fn number(message: &FromServer) -> Option<u32> {
    match message {
        FromServer::Queued { number }
        | FromServer::Unqueued { number }
        | FromServer::Requeued { number } => Some(*number),
        _ => None,
    }
}

/// The failure of a command that needs a process that serves a conversation: none does. Whoever is
/// at it all the same is one for itself.
pub fn unserved(workspace: &Workspace, id: ConversationId) -> Unserved {
    match workspace.running(id) {
        Some(Running { pid, .. }) => Unserved::Alone {
            pid,
            failure: CommandError::failure(format!("process {pid} is at {id}, and serves nobody")),
        },
        None => Unserved::Nobody(CommandError::failure(format!("no process is running for {id}"))),
    }
}

/// Why nobody serves a conversation.
pub enum Unserved {
    /// A process without a server is at it.
    Alone {
        /// Its number.
        pid: u32,
        /// What is to be said.
        failure: CommandError,
    },
    /// Nobody is at it.
    Nobody(CommandError),
}
