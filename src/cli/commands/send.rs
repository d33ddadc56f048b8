//! `jp conversation send`

use std::io::{self, IsTerminal};

use serde_json::json;

use super::{
    DONE, Next, Outcome, query::gather, reaching::change_queue, tell_notes, to_change, to_read_at,
};
use crate::{
    cli::{
        args::{AtArg, Send},
        error::CommandError,
        output::Output,
    },
    env::Env,
    format::{FileName, encode},
    model::{Address, ConversationId, Event, EventKind, Request},
    plan::Draft,
    serve::{EventText, FromClient},
    store::ObjectId,
    workspace::Workspace,
};

pub fn run(env: &Env, output: &mut Output, args: &Send) -> Outcome {
    let text = gather(env, &args.text, !io::stdin().is_terminal())?;
    let draft = written(env, text)?;
    let sent = deliver(env, output, &args.id, &draft)?;
    let Sent { id, name, commit, asked } = &sent;
    output.done(format_args!("{id}: queued {name}"));
    let resume = format!("jp resume {id}");
    let inverse = match asked {
        // The process has the lock, and what it writes is one operation with its turn.
        Asked::ByProcess => {
            format!("jp conversation queue {id} --drop {}", name.address().number())
        }
        Asked::AfterTurn | Asked::Never => format!("jp conversation undo {id}"),
    };
    if args.format.is_json() {
        output.json(&json!({
            "id": id,
            "address": name.address().number(),
            "file": name.as_str(),
            "commit": commit.to_string(),
            "next": resume,
            "inverse": inverse,
        }))?;
        return Ok(DONE);
    }
    output.line(format_args!("{id} {} {name}", name.address()))?;
    output.say(match asked {
        Asked::ByProcess => "Queued: it is asked when the present turn is complete".to_owned(),
        Asked::AfterTurn => format!(
            "Queued: it is asked when the present turn is complete, which `{resume}` goes on with"
        ),
        Asked::Never => format!(
            "Queued: no turn is under way, so that nothing asks it by itself; `{resume}` does now, \
             `jp query --id={id} \"…\"` after that question"
        ),
    });
    output.hint_at_inverse(&inverse);
    Ok(DONE)
}

/// A request that says this.
pub fn written(env: &Env, text: Vec<u8>) -> Result<Draft, CommandError> {
    if text.is_empty() {
        return Err(CommandError::usage("there is nothing to queue")
            .hint("give a text: `jp conversation send ID \"And then …\"`, or pipe one in"));
    }
    let request = Request { content: text.into(), interrupts: false };
    let event = Event::new(env.now(), EventKind::Request(request));
    Ok(Draft { bytes: encode(&event)?, event })
}

/// A follow-up that is on disk.
struct Sent {
    id: ConversationId,
    name: FileName,
    commit: ObjectId,
    asked: Asked,
}

/// When a follow-up is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// When the turn that a process is at is complete.
    ByProcess,
    /// When somebody goes on with the turn that is not complete.
    AfterTurn,
    /// When somebody asks for it.
    Never,
}

/// Gives a follow-up to whoever writes the conversation: the process that is at it, else this one.
fn deliver(env: &Env, output: &mut Output, id: &str, draft: &Draft) -> Result<Sent, CommandError> {
    let (workspace, handle) = to_read_at(env, output, Some(id), &AtArg::default())?;
    let message = FromClient::Send { request: EventText::of(&draft.event) };
    let is_done = || is_there(&workspace, handle.id(), &draft.event);
    let number = change_queue(&workspace, handle.id(), &message, is_done)?;
    if let Some(address) = number.and_then(Address::new) {
        let handle = workspace.select(&handle.id().to_string())?;
        let name = FileName::new(address, &draft.event, None);
        let (id, commit) = (handle.id(), handle.commit());
        return Ok(Sent { id, name, commit, asked: Asked::ByProcess });
    }
    let (workspace, mut guard) = to_change(env, output, Some(id), Next::Writes)?;
    let name = workspace.enqueue(&mut guard, draft)?;
    let asked = match workspace.progress(&mut guard)?.is_incomplete() {
        true => Asked::AfterTurn,
        false => Asked::Never,
    };
    tell_notes(output, &mut guard);
    Ok(Sent { id: guard.id(), name, commit: guard.commit(), asked })
}

/// The number of a follow-up that waits or was asked, if it is there: then it is not to be queued
/// again.
fn is_there(
    workspace: &Workspace,
    id: ConversationId,
    event: &Event,
) -> Result<Option<u32>, CommandError> {
    let handle = workspace.select(&id.to_string())?;
    let queue = workspace.queue(&handle)?;
    if let Some(queued) = queue.iter().find(|queued| queued.event == *event) {
        return Ok(Some(queued.name.address().number()));
    }
    let conversation = workspace.load(&handle)?;
    let mut listed = conversation.listed.iter();
    let asked = listed.find(|listed| listed.event.as_ref() == Some(event));
    Ok(asked.map(|listed| listed.name.address().number()))
}
