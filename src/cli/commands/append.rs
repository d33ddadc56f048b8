//! `jp conversation append`

use std::ffi::OsString;

use serde_json::json;

use super::{
    DONE, Next, Outcome, event_files::read_all, locking, title, warn_of_dropped, workspace_with,
};
use crate::{
    cli::{args::Append, error::CommandError, output::Output},
    env::Env,
    model::{ConversationId, EventKind, Meta, title_from},
    plan::Draft,
    ui::escape,
    workspace::{Appended, Workspace, WriteFailure},
};

pub fn run(env: &Env, output: &mut Output, args: Append) -> Outcome {
    let (id, files) = split(&args)?;
    let title = title::check(args.title.as_deref())?;
    let drafts = read_all(env, files)?;
    let (mut guard, events) = match id {
        None => {
            let workspace = Workspace::open_or_create(env)?;
            let title = title.or_else(|| first_title(&drafts));
            let meta = Meta { title, ..Meta::default() };
            let written = workspace.create(&meta, &drafts);
            written.map_err(|error| name_file(error, files))?
        }
        Some(given) => {
            let workspace = workspace_with(env, given)?;
            let handle = workspace.select(given)?;
            warn_of_dropped(output, &workspace, &handle, Next::Writes);
            let mut guard = locking::lock(env, output, &workspace, handle)?;
            let written = workspace.append(&mut guard, &drafts);
            let events = written.map_err(|error| name_file(error, files))?;
            (guard, events)
        }
    };
    let (id, notes) = (guard.id(), guard.take_notes());
    // Whoever waits for this conversation need not wait for the reader.
    drop(guard);
    let addresses = events.iter().map(|event| event.address.to_string());
    output.done(format_args!("{id} {}", addresses.collect::<Vec<_>>().join(", ")));
    print(output, &args, id, &events)?;
    output.warn_all(notes);
    Ok(DONE)
}

fn print(
    output: &mut Output,
    args: &Append,
    id: ConversationId,
    events: &[Appended],
) -> std::io::Result<()> {
    if args.format.is_json() {
        output.json(&report(id, events))?;
    } else {
        for Appended { address, file, .. } in events {
            output.line(format_args!("{id} {address} {file}"))?;
        }
    }
    output.flush()
}

/// Which of the arguments are what.
fn split(args: &Append) -> Result<(Option<&str>, &[OsString]), CommandError> {
    let (id, files) = if args.new {
        (None, &args.args[..])
    } else {
        let (id, files) = args.args.split_first().expect("clap asks for at least one");
        if files.is_empty() {
            let given = escape(&id.to_string_lossy()).into_owned();
            let message = format!("no event file given beside the conversation `{given}`");
            return Err(CommandError::usage(message).hint(
                "`jp conversation append ID FILE…`, or `--new FILE…` for a new conversation",
            ));
        }
        let id = id.to_str().ok_or_else(|| CommandError::usage("the conversation is not UTF-8"))?;
        (Some(id), files)
    };
    let first = files.first().and_then(|file| file.to_str());
    if args.new && first.is_some_and(|first| first.parse::<ConversationId>().is_ok()) {
        let message = "a new conversation has no id yet: `--new` takes event files only";
        return Err(CommandError::usage(message));
    }
    Ok((id, files))
}

fn first_title(drafts: &[Draft]) -> Option<String> {
    drafts.iter().find_map(|draft| match &draft.event.kind {
        EventKind::Request(request) => title_from(&request.content.to_text_lossy()),
        _ => None,
    })
}

/// Names the file that was refused.
fn name_file(error: WriteFailure, files: &[OsString]) -> CommandError {
    match &error {
        WriteFailure::Refused { index, source, .. } => {
            let file = files.get(*index).map_or(String::new(), |file| file.display().to_string());
            CommandError::failure(format!("{file}: {source}")).hint("nothing was appended")
        }
        _ => CommandError::from(error),
    }
}

fn report(id: ConversationId, appended: &[Appended]) -> serde_json::Value {
    let events = appended.iter().map(|appended| {
        json!({
            "address": appended.address.number(),
            "file": appended.file.as_str(),
            "commit": appended.commit.to_string(),
        })
    });
    json!({"id": id, "events": events.collect::<Vec<_>>()})
}
