//! Hands an answer to the process that asked and waits for it.

use super::{asking, choose, misread_by, nothing_open, open};
use crate::{
    cli::{
        args::Answer,
        commands::{
            DONE, INTERRUPTED, Outcome,
            reaching::{Heard, reach_process, say},
        },
        error::CommandError,
        output::Output,
    },
    env::Env,
    model::{EventKind, InquiryId},
    serve::{FromClient, FromServer, ReplyText, Role},
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
    let mut code = DONE;
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
                    asking::Said::Nothing => {
                        code = INTERRUPTED;
                        break;
                    }
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
        return Ok(code);
    }
    for question in &answered {
        output.line(format_args!("{id} {question}"))?;
    }
    if !answered.is_empty() {
        output.say(format_args!("Process {pid} goes on: `jp conversation attach {id}` shows it"));
    }
    Ok(code)
}

/// Hands a reply over, and returns when it is on disk.
fn hand<'a>(
    env: &Env,
    process: &ProcessEntry,
    asked: &'a Unanswered,
    reply: &Reply,
) -> Result<&'a InquiryId, CommandError> {
    let question = &asked.inquiry.id;
    let pid = process.process.pid;
    let gone = || {
        CommandError::failure(format!("process {pid} has ended, and the question is still open"))
            .hint("try again: then the answer is kept without it")
    };
    let connection = reach_process(process, Role::Messenger)?.ok_or_else(gone)?;
    let message = FromClient::Reply(ReplyText::of(question, reply));
    let now = env.now();
    let is_stored = |message: &FromServer| match message {
        FromServer::Saved { event, .. } => match event.read(now).ok()?.kind {
            EventKind::InquiryResponse(response) => (response.id == *question).then_some(()),
            _ => None,
        },
        _ => None,
    };
    match say(connection, &message, is_stored) {
        Heard::Answered(()) => Ok(question),
        Heard::Refused(why) => {
            let id = process.conversation;
            let hint = format!("`jp conversation answer {id} --list` shows what is open");
            Err(CommandError::failure(why).hint(hint))
        }
        Heard::Failed(error) => Err(error),
        Heard::Gone => Err(gone()),
    }
}
