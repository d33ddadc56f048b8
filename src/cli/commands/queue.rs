//! `jp conversation queue`

use serde_json::json;

use super::{
    DONE, Next, Outcome, export,
    mark::{Told, report},
    open,
    query::{gather, rework},
    to_change, to_read_at,
};
use crate::{
    cli::{
        args::{AtArg, Queue},
        error::CommandError,
        output::Output,
    },
    env::Env,
    format::{FileName, encode},
    model::{Body, Event, EventKind, Request, title_from},
    plan::{self, QueueError},
    ui::{Table, escape},
    workspace::{Guard, Queued, Workspace, WriteFailure},
};

pub fn run(env: &Env, output: &mut Output, args: &Queue) -> Outcome {
    match (&args.drop, &args.edit) {
        (Some(number), _) => drop_one(env, output, args, number),
        (None, Some(number)) => edit(env, output, args, number),
        (None, None) => list(env, output, args),
    }
}

fn list(env: &Env, output: &mut Output, args: &Queue) -> Outcome {
    let (workspace, handle) = to_read_at(env, output, args.id.as_deref(), &AtArg { at: None })?;
    let (id, queue) = (handle.id(), workspace.queue(&handle)?);
    if args.format.is_json() {
        let queue: Vec<_> = queue.iter().map(export::queued).collect();
        output.json(&json!({"id": id, "queue": queue}))?;
        return Ok(DONE);
    }
    if queue.is_empty() {
        output.say(format_args!("Nothing is queued in {id}"));
        return Ok(DONE);
    }
    let mut table = Table::new(["NUMBER", "SENT", "REQUEST"]);
    for Queued { name, event, .. } in &queue {
        let said = match event.request() {
            Some(request) => title_from(&request.content.to_text_lossy()).unwrap_or_default(),
            None => format!("({}, which is never asked)", event.event_type()),
        };
        table.push([name.address().to_string(), event.timestamp.to_string(), said]);
    }
    output.text(table)?;
    Ok(DONE)
}

fn drop_one(env: &Env, output: &mut Output, args: &Queue, number: &str) -> Outcome {
    let address = open::address(env, number)?;
    let (workspace, mut guard) = to_change(env, output, args.id.as_deref(), Next::Writes)?;
    let names = workspace.queue_names(&guard)?;
    let name = names.into_iter().find(|name| name.address() == address);
    let name = name.ok_or_else(|| absent(&guard, number))?;
    workspace.unqueue(&mut guard, &name)?;
    let told = Told::Changed(format!("{}: {name} is not queued any more", guard.id()));
    tell(output, args, &mut guard, &name, told)
}

fn edit(env: &Env, output: &mut Output, args: &Queue, number: &str) -> Outcome {
    let address = open::address(env, number)?;
    let text = args.text.as_ref().map(|text| gather(env, std::slice::from_ref(text), false));
    let text = text.transpose()?;
    if text.as_ref().is_some_and(Vec::is_empty) {
        return Err(CommandError::usage("the text is empty")
            .hint("`jp conversation queue ID --drop N` takes a follow-up out"));
    }
    let (workspace, mut guard) = to_change(env, output, args.id.as_deref(), Next::Writes)?;
    let queue = workspace.queue(&guard)?.into_iter();
    let queued = { queue }.find(|queued| queued.name.address() == address);
    let queued = queued.ok_or_else(|| absent(&guard, number))?;
    let Some(request) = queued.event.request() else {
        let source = QueueError::NotARequest(queued.event.event_type());
        return Err(WriteFailure::Queue { id: guard.id(), source }.into());
    };
    let Some(text) = text else { return in_editor(env, output, args, &workspace, guard, &queued) };
    let is_same = request.content.as_bytes() == text;
    if !is_same {
        requeue(&workspace, &mut guard, &queued, text.into())?;
    }
    told_of_edit(output, args, &mut guard, &queued.name, is_same)
}

/// Lets the user change a follow-up in an editor; what they wrote is kept until it is stored.
fn in_editor(
    env: &Env,
    output: &mut Output,
    args: &Queue,
    workspace: &Workspace,
    mut guard: Guard,
    queued: &Queued,
) -> Outcome {
    let Some(request) = queued.event.request() else {
        return Err(CommandError::failure("only a request can be edited here"));
    };
    let (text, draft, edited) = rework(env, workspace, request)?;
    let Some(edited) = edited else {
        draft.discard().map_err(CommandError::failure)?;
        return Err(CommandError::failure("nothing was changed: the draft is empty")
            .hint("`jp conversation queue ID --drop N` takes a follow-up out"));
    };
    let is_same = edited.trim_end() == text.trim_end();
    if !is_same {
        let kept = format!("what you wrote is in `{}`", draft.path().display());
        let stored = requeue(workspace, &mut guard, queued, edited.into());
        stored.map_err(|error| error.hint(kept))?;
    }
    draft.discard().map_err(CommandError::failure)?;
    told_of_edit(output, args, &mut guard, &queued.name, is_same)
}

/// Puts another text in the place of a follow-up; everything else about it stays.
fn requeue(
    workspace: &Workspace,
    guard: &mut Guard,
    queued: &Queued,
    content: Body,
) -> Result<(), CommandError> {
    let kind = EventKind::Request(Request { content, interrupts: false });
    let event = Event { kind, ..queued.event.clone() };
    let draft = plan::Draft { bytes: encode(&event)?, event };
    Ok(workspace.requeue(guard, &queued.name, &draft)?)
}

fn told_of_edit(
    output: &mut Output,
    args: &Queue,
    guard: &mut Guard,
    name: &FileName,
    is_same: bool,
) -> Outcome {
    let id = guard.id();
    let told = match is_same {
        true => Told::Already(format!("{id}: {name} says that already")),
        false => Told::Changed(format!("{id}: {name} is changed")),
    };
    tell(output, args, guard, name, told)
}

fn tell(
    output: &mut Output,
    args: &Queue,
    guard: &mut Guard,
    name: &FileName,
    told: Told,
) -> Outcome {
    let commit = matches!(told, Told::Changed(_)).then(|| guard.commit());
    let marks = json!({"address": name.address().number(), "file": name.as_str()});
    report(output, guard, commit, told, marks, &args.format)?;
    Ok(DONE)
}

fn absent(guard: &Guard, number: &str) -> CommandError {
    let (id, number) = (guard.id(), escape(number));
    CommandError::failure(format!("`{number}` is not queued in {id}"))
        .hint(format!("`jp conversation queue {id}` lists what is"))
}
