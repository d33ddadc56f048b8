//! `jp conversation import`

use std::path::Path;

use serde_json::{Value, json};

use super::{
    DONE, Outcome,
    fsck::json_problem,
    message_list::{MessageList, Messages},
    tell_notes, title,
};
use crate::{
    cli::{
        args::{Import, ImportFormat},
        error::CommandError,
        output::Output,
    },
    env::Env,
    model::{Progress, Status, counted},
    workspace::{ImportError, Imported, Incoming, Workspace},
};

pub fn run(env: &Env, output: &mut Output, args: Import) -> Outcome {
    let printed = args.format.iter().filter(|format| **format != ImportFormat::Messages);
    if printed.count() > 1 {
        let message = "what is read and how it is printed can be said once each";
        return Err(CommandError::usage(message).hint("`--format messages --format json`"));
    }
    let title = title::check(args.title.as_deref())?;
    let (mut imported, messages) = match args.is_messages() {
        false => {
            let incoming = Incoming::read(env.cwd(), &args.source, title, env.now())
                .map_err(|error| name_files(error, &args.source))?;
            (Workspace::open_or_create(env)?.import(incoming)?, None)
        }
        true => {
            let list = MessageList::read(env, args.source.as_os_str())?;
            let mut messages = list.unroll(&Progress::default(), env.now())?;
            let (meta, config) = messages.begin(title, env.now())?;
            let drafts = std::mem::take(&mut messages.drafts);
            let incoming = Incoming::of_events(&meta, &config, drafts)
                .map_err(|(index, error)| messages.refused(index, error))?;
            (Workspace::open_or_create(env)?.import(incoming)?, Some(messages))
        }
    };
    let id = imported.guard.id();
    output.done(format_args!("imported as {id}"));
    print(output, args.is_json(), &imported, messages.as_ref())?;
    output.warn_all(&imported.problems);
    if let Some(messages) = &messages {
        messages.warn(output);
    }
    tell_notes(output, &mut imported.guard);
    if !args.is_json() {
        output.hint(format_args!("`jp conversation show {id}` shows it"));
        if messages.is_some() && imported.summary.status != Status::Idle {
            output.hint(format_args!("`jp query --no-edit --id={id}` goes on with its last turn"));
        }
    }
    Ok(DONE)
}

fn print(
    output: &mut Output,
    is_json: bool,
    imported: &Imported,
    messages: Option<&Messages>,
) -> std::io::Result<()> {
    if is_json {
        let mut report = report(imported);
        if let Some(messages) = messages {
            report["warnings"] = messages.warnings();
        }
        output.json(&report)?;
    } else {
        let Imported { guard, summary, files, .. } = imported;
        let id = guard.id();
        let events = counted(summary.events, "event");
        output.line(format_args!("{id} {events} in {}", counted(*files as u64, "file")))?;
    }
    output.flush()
}

fn report(imported: &Imported) -> Value {
    let summary = &imported.summary;
    json!({
        "id": imported.guard.id(),
        "commit": imported.guard.commit().to_string(),
        "title": summary.heading.title,
        "status": summary.status.to_string(),
        "turns": summary.turns,
        "events": summary.events,
        "files": imported.files,
        "problems": imported.problems.iter().map(json_problem).collect::<Vec<_>>(),
    })
}

/// Names each file that is wrong as the user can open it.
fn name_files(error: ImportError, directory: &Path) -> CommandError {
    match error {
        ImportError::Refused { problems, .. } => {
            let shown = |problem| {
                let path = directory.join("").display().to_string();
                format!("{path}{problem}")
            };
            CommandError::failures(problems.iter().map(shown).collect())
                .hint("nothing was imported")
        }
        error @ ImportError::NotADirectory(_)
            if directory.extension().is_some_and(|ending| ending == "json") =>
        {
            CommandError::failure(error).hint("`--format messages` reads a list of messages")
        }
        error => CommandError::failure(error),
    }
}
