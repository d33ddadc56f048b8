//! `jp conversation import`

use std::path::Path;

use serde_json::{Value, json};

use super::{DONE, Outcome, fsck::json_problem, tell_notes, title};
use crate::{
    cli::{args::Import, error::CommandError, output::Output},
    env::Env,
    model::counted,
    workspace::{ImportError, Imported, Incoming, Workspace},
};

pub fn run(env: &Env, output: &mut Output, args: Import) -> Outcome {
    let title = title::check(args.title.as_deref())?;
    let incoming = Incoming::read(env.cwd(), &args.directory, title, env.now())
        .map_err(|error| name_files(error, &args.directory))?;
    let workspace = Workspace::open_or_create(env)?;
    let mut imported = workspace.import(incoming)?;
    let id = imported.guard.id();
    output.done(format_args!("imported as {id}"));
    print(output, args.format.is_json(), &imported)?;
    output.warn_all(&imported.problems);
    tell_notes(output, &mut imported.guard);
    if !args.format.is_json() {
        output.hint(format_args!("`jp conversation show {id}` shows it"));
    }
    Ok(DONE)
}

fn print(output: &mut Output, is_json: bool, imported: &Imported) -> std::io::Result<()> {
    if is_json {
        output.json(&report(imported))?;
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
        error => CommandError::failure(error),
    }
}
