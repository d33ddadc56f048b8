//! Hands an answer to the process that asked and waits for it.

use super::{asking, choose, misread_by, nothing_open, open};
use crate::{
    cli::{
        args::Answer,
        commands::{DONE, Outcome},
        error::CommandError,
        output::Output,
    },
    env::Env,
    model::{EventKind, InquiryId},
    serve::{Connection, FromClient, FromServer, ReplyText, Role, place},
    turn::{Reply, Unanswered},
    workspace::{Handle, ProcessEntry, Workspace},
};

/// Answers what a process waits for.
pub fn answer(
    env: &Env,
    output: &mut Output,
    args: &Answer,
    (workspace, handle): (&Workspace, &Handle),
    process: &ProcessEntry,
) -> Outcome {
    let id = handle.id();
    let open = open(workspace, handle)?;
    let chosen = choose(&open, args, id)?;
    let mut answered = Vec::new();
    match &args.value {
        Some(value) => {
            let asked = chosen.first().ok_or_else(nothing_open)?;
            let reply = asked.read(value, args.reason.as_deref());
            let reply = reply.map_err(|misread| misread_by(&misread, id))?;
            answered.push(hand(env, process, asked, &reply)?);
        }
        None => {
            for asked in chosen {
                match asking::ask(env, output, id, asked)? {
                    asking::Said::Reply(reply) => answered.push(hand(env, process, asked, &reply)?),
                    asking::Said::Later => {}
                    asking::Said::Nothing => break,
                }
            }
        }
    }
    let pid = process.process.pid;
    if args.format.is_json() {
        let answers: Vec<_> =
            answered.iter().map(|question| serde_json::json!({ "question": question })).collect();
        let next = format!("jp conversation attach {id}");
        let left = open.iter().map(|asked| &asked.inquiry.id);
        let left: Vec<_> = left.filter(|question| !answered.contains(question)).collect();
        output.json(&serde_json::json!({
            "id": id, "answers": answers, "open": left, "next": next, "process": pid,
        }))?;
        return Ok(DONE);
    }
    for question in &answered {
        output.line(format_args!("{id} {question}"))?;
    }
    if !answered.is_empty() {
        output.say(format_args!("Process {pid} goes on: `jp conversation attach {id}` shows it"));
    }
    Ok(DONE)
}

/// Hands a reply over, and returns when it is on disk.
fn hand<'a>(
    env: &Env,
    process: &ProcessEntry,
    asked: &'a Unanswered,
    reply: &Reply,
) -> Result<&'a InquiryId, CommandError> {
    let question = &asked.inquiry.id;
    let gone = || {
        CommandError::failure(format!(
            "process {} is gone, and did not answer",
            process.process.pid
        ))
        .hint("try again: then the answer is kept without it")
    };
    let stream = place::connect(&process.socket).map_err(|_gone| gone())?;
    let mut connection = Connection::greet(stream, Role::Messenger)?;
    let message = FromClient::Reply(ReplyText::of(question, reply));
    connection.speaker().say(&message).map_err(|_gone| gone())?;
    loop {
        match connection.hear().map_err(|_gone| gone())? {
            FromServer::Saved { event, .. } => {
                if let Ok(event) = event.read(env.now())
                    && let EventKind::InquiryResponse(response) = event.kind
                    && response.id == *question
                {
                    return Ok(question);
                }
            }
            FromServer::Refused { message } => return Err(CommandError::failure(message)),
            FromServer::End(closing) if !closing.goes_on => return Err(gone()),
            _ => {}
        }
    }
}
