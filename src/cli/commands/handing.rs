//! Hands what is to be changed in a queue to the process that is at the conversation.

use std::{thread, time::Duration};

use crate::{
    cli::error::CommandError,
    model::ConversationId,
    serve::{Connection, FromClient, FromServer, Role, place},
    workspace::{ProcessEntry, Workspace},
};

/// How often and when to try again: between two turns nobody listens for a moment.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// Lets the process that is at a conversation change its queue, and returns when that is on disk;
/// the number of the follow-up, or nothing if no process is at it or it is about to end.
pub fn hand(
    workspace: &Workspace,
    id: ConversationId,
    message: &FromClient,
) -> Result<Option<u32>, CommandError> {
    for _ in 0..TRIES {
        let Some(process) = workspace.process_of(id) else { return Ok(None) };
        if let Some(number) = say(&process, message)? {
            return Ok(Some(number));
        }
        thread::sleep(PAUSE);
    }
    Ok(None)
}

/// Says it once; nothing if it was not heard.
fn say(process: &ProcessEntry, message: &FromClient) -> Result<Option<u32>, CommandError> {
    let Ok(stream) = place::connect(&process.socket) else { return Ok(None) };
    let mut connection = Connection::greet(stream, Role::Messenger)?;
    if connection.speaker().say(message).is_err() {
        return Ok(None);
    }
    loop {
        match connection.hear() {
            Ok(
                FromServer::Queued { number }
                | FromServer::Unqueued { number }
                | FromServer::Requeued { number },
            ) => return Ok(Some(number)),
            Ok(FromServer::Refused { message }) => return Err(CommandError::failure(message)),
            Ok(FromServer::End(closing)) if !closing.goes_on => return Ok(None),
            Ok(_) => {}
            Err(_) => return Ok(None),
        }
    }
}
