//! `jp conversation queue`

use serde_json::json;

mod desk;

use super::{
    DONE, Outcome, export, open,
    query::{gather, rework},
    report::{Told, Way, report, report_of},
    to_read_at,
};
use crate::{
    cli::{
        args::{AtArg, Queue},
        error::CommandError,
        output::Output,
    },
    env::Env,
    format::FileName,
    history::short,
    model::{ConversationId, Request, title_from},
    plan::{QueueError, TreePath},
    ui::{Table, escape},
    workspace::{Queued, Unreadable, WriteFailure},
};
use desk::{Desk, Stored};

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
    let unreadable = workspace.unreadable_in_queue(&handle)?;
    if args.format.is_json() {
        let queue: Vec<_> = queue.iter().map(export::queued).collect();
        let unreadable = unreadable.iter().map(|Unreadable { name, why }| {
            json!({"address": name.address().number(), "file": name.as_str(), "problem": why})
        });
        let unreadable: Vec<_> = unreadable.collect();
        output.json(&json!({"id": id, "queue": queue, "unreadable": unreadable}))?;
        return Ok(DONE);
    }
    for Unreadable { name, why } in &unreadable {
        output.warn(format_args!("`{}` cannot be read, and is never asked: {}", name, escape(why)));
        let number = name.address().number();
        output.hint(format_args!("`jp conversation queue {id} --drop {number}` takes it out"));
    }
    if queue.is_empty() {
        if unreadable.is_empty() {
            output.say(format_args!("Nothing is queued in {id}"));
        }
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
    let mut desk = Desk::open(env, output, args.id.as_deref())?;
    let file = desk.workspace.queued_at(desk.handle(), address)?;
    let file = file.ok_or_else(|| absent(desk.id(), number))?;
    let stored = desk.drop_one(env, output, &file)?;
    let told = Told::Changed(format!("{}: {} is not queued any more", desk.id(), file.name));
    tell(output, args, desk, &file.name, Some(stored), told)
}

fn edit(env: &Env, output: &mut Output, args: &Queue, number: &str) -> Outcome {
    let address = open::address(env, number)?;
    let text = args.text.as_ref().map(|text| gather(env, std::slice::from_ref(text), false));
    let text = text.transpose()?;
    if text.as_ref().is_some_and(Vec::is_empty) {
        return Err(CommandError::usage("the text is empty")
            .hint("`jp conversation queue ID --drop N` takes a follow-up out"));
    }
    let mut desk = Desk::open(env, output, args.id.as_deref())?;
    let queue = desk.workspace.queue(desk.handle())?.into_iter();
    let queued = { queue }.find(|queued| queued.name.address() == address);
    let queued = queued.ok_or_else(|| absent(desk.id(), number))?;
    let Some(request) = queued.event.request() else {
        let source = QueueError::NotARequest(queued.event.event_type());
        return Err(WriteFailure::Queue { id: desk.id(), source }.into());
    };
    let Some(text) = text else { return in_editor(env, output, args, desk, &queued, request) };
    let stored = match request.content.as_bytes() == text {
        true => None,
        false => Some(desk.change(env, output, &queued, text.into())?),
    };
    told_of_edit(output, args, desk, &queued.name, stored)
}

/// Lets the user change a follow-up in an editor; what they wrote is kept until it is stored.
fn in_editor(
    env: &Env,
    output: &mut Output,
    args: &Queue,
    mut desk: Desk,
    queued: &Queued,
    request: &Request,
) -> Outcome {
    let (text, draft, edited) = rework(env, &desk.workspace, request)?;
    let Some(edited) = edited else {
        draft.discard().map_err(CommandError::failure)?;
        return Err(CommandError::failure("nothing was changed: the draft is empty")
            .hint("`jp conversation queue ID --drop N` takes a follow-up out"));
    };
    let stored = match edited.trim_end() == text.trim_end() {
        true => None,
        false => {
            let kept = format!("what you wrote is in `{}`", draft.path().display());
            let stored = desk.change(env, output, queued, edited.into());
            Some(stored.map_err(|error| error.hint(kept))?)
        }
    };
    draft.discard().map_err(CommandError::failure)?;
    told_of_edit(output, args, desk, &queued.name, stored)
}

fn told_of_edit(
    output: &mut Output,
    args: &Queue,
    desk: Desk,
    name: &FileName,
    stored: Option<Stored>,
) -> Outcome {
    let id = desk.id();
    let told = match stored {
        None => Told::Already(format!("{id}: {name} says that already")),
        Some(_) => Told::Changed(format!("{id}: {name} is changed")),
    };
    tell(output, args, desk, name, stored, told)
}

fn tell(
    output: &mut Output,
    args: &Queue,
    desk: Desk,
    name: &FileName,
    stored: Option<Stored>,
    told: Told,
) -> Outcome {
    let id = desk.id();
    let commit = stored.map(|Stored { commit }| commit);
    let marks = json!({"address": name.address().number(), "file": name.as_str()});
    match desk.guard {
        Some(mut guard) => report(output, &mut guard, commit, told, marks, &args.format)?,
        None => {
            // To undo it would take the lock, which the process has, and take back its turn.
            let before = short(desk.handle.commit());
            let hint =
                format!("`jp git show {before}:{}` prints what it said", TreePath::queued(name));
            let way = Way { inverse: None, hint: Some(hint) };
            report_of(output, id, commit, told, marks, way, &args.format)?;
        }
    }
    Ok(DONE)
}

fn absent(id: ConversationId, number: &str) -> CommandError {
    CommandError::failure(format!("`{}` is not queued in {id}", escape(number)))
        .hint(format!("`jp conversation queue {id}` lists what is"))
}
