//! `jp conversation answer`

mod asking;
mod handing;
mod listing;

use serde_json::json;

use super::{
    DONE, INTERRUPTED, Next, Otherwise, Outcome, can_ask, find, locking, query, tell_notes,
    warn_of_dropped,
};
use crate::{
    cli::{
        args::{Answer, MannerArgs, Need, Resume},
        error::CommandError,
        output::Output,
    },
    env::Env,
    format::encode,
    model::{ConversationId, InquiryId},
    plan::Draft,
    turn::{Misread, Reply, Unanswered, unanswered},
    workspace::{Appended, Guard, Handle, Workspace},
};

pub fn run(env: &Env, output: &mut Output, args: &Answer) -> Outcome {
    let (need, may_ask) = (Need::of(args.id.as_deref()), !args.non_interactive);
    let (workspace, handle) = find(env, output, need, Otherwise::TheOnlyOne, may_ask)?;
    if args.list {
        listing::list(output, &workspace, &handle, &args.format)?;
        return Ok(DONE);
    }
    let interactive = may_ask && can_ask(env);
    if args.value.is_none() && !interactive {
        return Err(nobody(output, &workspace, &handle, args)?);
    }
    warn_of_dropped(output, &workspace, &handle, Next::Writes);
    if let Some(process) = workspace.process_of(handle.id()) {
        return handing::answer(env, output, args, (&workspace, &handle), &process);
    }
    let guard = locking::lock(env, output, &workspace, handle)?;
    let mut desk = Desk { env, workspace, guard, kept: Vec::new() };
    let answered = match &args.value {
        Some(value) => desk.take(args, value),
        None => desk.ask(output, args),
    };
    tell_notes(output, &mut desk.guard);
    let left = desk.open()?;
    let Desk { guard, kept, .. } = desk;
    let id = guard.id();
    // Whoever goes on has to lock it again.
    drop(guard);
    let kept_any = !kept.is_empty();
    if !args.resume {
        tell(output, args, id, &kept, &left)?;
    }
    answered?;
    if !kept_any || !args.resume {
        return Ok(DONE);
    }
    if !left.is_empty() && !interactive {
        return Err(more_are_open(id));
    }
    let resume = Resume {
        id: Some(id.to_string()),
        manner: MannerArgs {
            non_interactive: args.non_interactive,
            format: args.format,
            ..MannerArgs::default()
        },
        ..Resume::default()
    };
    let words = resume.words();
    query::run(env, output, &resume.into(), words)
}

/// A conversation that is being answered in.
struct Desk<'a> {
    env: &'a Env,
    workspace: Workspace,
    guard: Guard,
    kept: Vec<Kept>,
}

/// An answer that is kept.
struct Kept {
    question: InquiryId,
    appended: Appended,
}

impl Desk<'_> {
    fn open(&self) -> Result<Vec<Unanswered>, CommandError> {
        open(&self.workspace, &self.guard)
    }

    /// Takes what the command line says.
    fn take(&mut self, args: &Answer, value: &str) -> Result<(), CommandError> {
        let open = self.open()?;
        let asked = choose(&open, args, self.guard.id())?.first().ok_or_else(nothing_open)?;
        let reply = asked.read(value, args.reason.as_deref());
        let reply = reply.map_err(|misread| misread_by(&misread, self.guard.id()))?;
        self.keep(asked, &reply)
    }

    /// Asks somebody at the terminal, and keeps each answer before the next question.
    fn ask(&mut self, output: &mut Output, args: &Answer) -> Result<(), CommandError> {
        let open = self.open()?;
        for asked in choose(&open, args, self.guard.id())? {
            match asking::ask(self.env, output, self.guard.id(), asked)? {
                asking::Said::Reply(reply) => self.keep(asked, &reply)?,
                asking::Said::Later => {}
                asking::Said::Nothing => return Err(CommandError::silent(INTERRUPTED)),
            }
        }
        Ok(())
    }

    /// Keeps an answer: first with the user, since the conversation alone allows nothing, and then
    /// in the conversation, since what stands only with the user is not answered.
    fn keep(&mut self, asked: &Unanswered, reply: &Reply) -> Result<(), CommandError> {
        if let Some(verdict) = asked.verdict(reply) {
            self.workspace.remember(self.guard.id(), verdict)?;
        }
        let event = asked.response(reply, self.env.now());
        let bytes = encode(&event).map_err(CommandError::failure)?;
        let appended = self.workspace.append(&mut self.guard, &[Draft { event, bytes }])?;
        let question = asked.inquiry.id.clone();
        self.kept.extend(
            appended.into_iter().map(|appended| Kept { question: question.clone(), appended }),
        );
        Ok(())
    }
}

/// The questions of a conversation that are open.
fn open(workspace: &Workspace, handle: &Handle) -> Result<Vec<Unanswered>, CommandError> {
    let incomplete = workspace.load(handle)?.stream().incomplete;
    Ok(incomplete.map(|turn| unanswered(&turn.turn.entries)).unwrap_or_default())
}

/// The questions that are meant: the one that is named, or all.
fn choose<'a>(
    open: &'a [Unanswered],
    args: &Answer,
    id: ConversationId,
) -> Result<&'a [Unanswered], CommandError> {
    let Some(named) = &args.question else {
        return match open {
            [] => Err(nothing_open().hint(format!("`jp conversation show {id}` tells how it is"))),
            all => Ok(all),
        };
    };
    let at = open.iter().position(|asked| asked.inquiry.id.as_str() == named);
    at.map(|at| &open[at..=at]).ok_or_else(|| {
        let names: Vec<_> = open.iter().map(|asked| format!("`{}`", asked.inquiry.id)).collect();
        let error = CommandError::usage(format!("no question `{named}` is open"));
        match names.is_empty() {
            true => error,
            false => error.hint(format!("open: {}", names.join(", "))),
        }
    })
}

fn nothing_open() -> CommandError {
    CommandError::failure("no question is open that could be answered here")
}

/// Nobody can be asked, and nothing was said: what is asked, and what could be said.
fn nobody(
    output: &mut Output,
    workspace: &Workspace,
    handle: &Handle,
    args: &Answer,
) -> Result<CommandError, CommandError> {
    let (id, open) = (handle.id(), open(workspace, handle)?);
    let asked = choose(&open, args, id)?;
    listing::print(output, asked)?;
    output.flush()?;
    let message = "nobody can be asked here: the answer is missing";
    Ok(CommandError::usage(message).hint(format!("`jp conversation answer {id} VALUE` answers it")))
}

fn misread_by(misread: &Misread, id: ConversationId) -> CommandError {
    let error = CommandError::usage(misread);
    match misread {
        Misread::Secret(_) | Misread::Foreign(_) => {
            error.hint(format!("`jp resume {id}` in a terminal asks you"))
        }
        Misread::Invalid { .. } | Misread::Ambiguous { .. } | Misread::NeedlessReason => {
            error.hint(format!("`jp conversation answer {id} --list` shows what is asked"))
        }
    }
}

fn more_are_open(id: ConversationId) -> CommandError {
    let message = "the answer is kept, and the turn does not go on: another question is open";
    CommandError::failure(message)
        .hint(format!("`jp conversation answer {id}` is for that one, too"))
}

/// Tells what was kept, and how to go on.
fn tell(
    output: &mut Output,
    args: &Answer,
    id: ConversationId,
    kept: &[Kept],
    left: &[Unanswered],
) -> Result<(), CommandError> {
    if kept.is_empty() {
        return Ok(());
    }
    let next = match left.is_empty() {
        true => format!("jp resume {id}"),
        false => format!("jp conversation answer {id}"),
    };
    for Kept { question, appended } in kept {
        output.done(format_args!("{id} {} answers {question}", appended.address));
    }
    if args.format.is_json() {
        let answers = kept.iter().map(|Kept { question, appended }| {
            json!({
                "question": question,
                "address": appended.address.number(),
                "file": appended.file.as_str(),
                "commit": appended.commit.to_string(),
            })
        });
        let answers: Vec<_> = answers.collect();
        let left: Vec<_> = left.iter().map(|asked| &asked.inquiry.id).collect();
        output.json(&json!({"id": id, "answers": answers, "open": left, "next": next}))?;
    } else {
        for Kept { appended: Appended { address, file, .. }, .. } in kept {
            output.line(format_args!("{id} {address} {file}"))?;
        }
        match left.is_empty() {
            true => output.hint(format_args!("`{next}` goes on")),
            false => output.hint(format_args!("`{next}` is for the next question")),
        }
    }
    Ok(output.flush()?)
}
