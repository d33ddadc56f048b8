//! `jp conversation append`

use std::ffi::{OsStr, OsString};

use serde_json::{Value, json};

use super::{
    DONE, Next, Outcome,
    event_files::read_all,
    locking,
    message_list::{MessageList, Messages, first_title},
    title, warn_of_dropped, workspace_with,
};
use crate::{
    cli::{args::Append, error::CommandError, output::Output},
    env::Env,
    model::{ConversationId, Meta, Progress},
    store::ObjectId,
    ui::escape,
    workspace::{Appended, Guard, Workspace, WriteFailure},
};

pub fn run(env: &Env, output: &mut Output, args: Append) -> Outcome {
    let title = title::check(args.title.as_deref())?;
    let (mut guard, events, messages) = match &args.messages {
        None => {
            let (guard, events) = of_files(env, output, &args, title)?;
            (guard, events, None)
        }
        Some(list) => {
            let (guard, events, messages) = of_messages(env, output, &args, list, title)?;
            (guard, events, Some(messages))
        }
    };
    let (id, notes) = (guard.id(), guard.take_notes());
    let written = Written { id, commit: guard.commit(), events, messages };
    // Whoever waits for this conversation need not wait for the reader.
    drop(guard);
    let addresses = written.events.iter().map(|event| event.address.to_string());
    output.done(format_args!("{id} {}", addresses.collect::<Vec<_>>().join(", ")));
    print(output, &args, &written)?;
    if let Some(messages) = &written.messages {
        messages.warn(output);
    }
    output.warn_all(notes);
    Ok(DONE)
}

/// What was appended.
struct Written {
    id: ConversationId,
    commit: ObjectId,
    events: Vec<Appended>,
    messages: Option<Messages>,
}

/// Appends event files.
fn of_files(
    env: &Env,
    output: &mut Output,
    args: &Append,
    title: Option<String>,
) -> Result<(Guard, Vec<Appended>), CommandError> {
    let (id, files) = split(args)?;
    let drafts = read_all(env, files)?;
    match id {
        None => {
            let workspace = Workspace::open_or_create(env)?;
            let title = title.or_else(|| first_title(&drafts));
            let meta = Meta { title, ..Meta::default() };
            let written = workspace.create(&meta, &drafts);
            written.map_err(|error| name_file(error, files))
        }
        Some(given) => {
            let (workspace, mut guard) = opened(env, output, given)?;
            let written = workspace.append(&mut guard, &drafts);
            let events = written.map_err(|error| name_file(error, files))?;
            Ok((guard, events))
        }
    }
}

/// Appends the messages of a list.
fn of_messages(
    env: &Env,
    output: &mut Output,
    args: &Append,
    list: &OsStr,
    title: Option<String>,
) -> Result<(Guard, Vec<Appended>, Messages), CommandError> {
    let id = conversation_of_list(args)?;
    let (list, now) = (MessageList::read(env, list)?, env.now());
    let refused = |messages: &Messages, error| match error {
        WriteFailure::Refused { index, source, .. } => messages.refused(index, source),
        error => CommandError::from(error),
    };
    let Some(given) = id else {
        let messages = list.unroll(&Progress::default(), now)?;
        let (meta, config) = messages.begin(title, now)?;
        let workspace = Workspace::open_or_create(env)?;
        let written = workspace.create_with(&meta, &config, &messages.drafts);
        let (guard, events) = written.map_err(|error| refused(&messages, error))?;
        return Ok((guard, events, messages));
    };
    let (workspace, mut guard) = opened(env, output, given)?;
    let before = workspace.progress(&mut guard)?;
    let mut messages = list.unroll(&before, now)?;
    messages.go_on(now)?;
    let written = workspace.append(&mut guard, &messages.drafts);
    let events = written.map_err(|error| refused(&messages, error))?;
    Ok((guard, events, messages))
}

/// Opens a conversation to append to it.
fn opened(env: &Env, output: &mut Output, given: &str) -> Result<(Workspace, Guard), CommandError> {
    let workspace = workspace_with(env, given)?;
    let handle = workspace.select(given)?;
    warn_of_dropped(output, &workspace, &handle, Next::Writes);
    let guard = locking::lock(env, output, &workspace, handle)?;
    Ok((workspace, guard))
}

fn print(output: &mut Output, args: &Append, written: &Written) -> std::io::Result<()> {
    if args.format.is_json() {
        output.json(&report(written))?;
    } else {
        let id = written.id;
        for Appended { address, file, .. } in &written.events {
            output.line(format_args!("{id} {address} {file}"))?;
        }
        if written.events.is_empty() {
            output.line(id)?;
        }
    }
    output.flush()
}

/// Which conversation the messages of a list go to; none is a new one.
fn conversation_of_list(args: &Append) -> Result<Option<&str>, CommandError> {
    const USAGE: &str = "`jp conversation append ID --messages FILE`, or `--new --messages FILE` \
                         for a new conversation";
    match (args.new, &args.args[..]) {
        (true, []) => Ok(None),
        (false, [id]) => {
            let id = id.to_str();
            id.map(Some).ok_or_else(|| CommandError::usage("the conversation is not UTF-8"))
        }
        (false, []) => {
            Err(CommandError::usage("no conversation given to append the messages to").hint(USAGE))
        }
        _ => {
            let message = "event files and `--messages` cannot be appended together";
            Err(CommandError::usage(message).hint(USAGE))
        }
    }
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

fn report(written: &Written) -> Value {
    let events = written.events.iter().map(|appended| {
        json!({
            "address": appended.address.number(),
            "file": appended.file.as_str(),
            "commit": appended.commit.to_string(),
        })
    });
    let events: Vec<_> = events.collect();
    let mut report =
        json!({"id": written.id, "commit": written.commit.to_string(), "events": events});
    if let Some(messages) = &written.messages {
        report["warnings"] = messages.warnings();
    }
    report
}
