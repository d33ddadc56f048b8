//! `jp trust`

use std::path::Path;

use serde_json::{Value, json};

use super::{DONE, Outcome};
use crate::{
    cli::{args::Trust as Args, error::CommandError, output::Output},
    config::{Scope, Settings},
    env::Env,
    ui::{self, Table, escape},
    workspace::{Change, ConfigFiles, Line, Pin, Pins, Standing, Trust, WorkspaceError},
};

pub fn run(env: &Env, output: &mut Output, args: &Args) -> Outcome {
    let pins = Pins::of(env).ok_or(WorkspaceError::NoHome)?;
    if args.list {
        return list(output, &pins, args);
    }
    let files = ConfigFiles::find(env)?;
    if let Some(path) = &args.revoke {
        return revoke(env, output, &pins, &files, path.as_deref());
    }
    let trust = files.trust()?.ok_or(WorkspaceError::NoConfig(Scope::Workspace))?;
    // What could not be used is not worth any trust.
    let changes = trust.changes()?;
    Settings::resolve(files.layers_with_trust(env)?)?;
    if !changes.iter().any(Change::has_effect) && args.accept.is_none() {
        return nothing(output, trust, args);
    }
    if args.show {
        return show(env, output, trust, &changes, args);
    }
    match &args.accept {
        Some(hash) if *hash == trust.files().hash() => {}
        Some(_) => {
            let message = "nothing was trusted: the workspace has another hash";
            return Err(CommandError::failure(message)
                .hint("`jp trust --show` prints what would take effect, and the hash"));
        }
        None if trust.standing() == Standing::Trusted => return already(output, trust, args),
        None => {
            output.paged(env, |output| write(output, trust, &changes))?;
            output.flush()?;
            match ui::confirm("Trust this workspace with all of this? [y/N] ") {
                Ok(true) => {}
                Ok(false) => {
                    output.say("Nothing was trusted");
                    return Ok(DONE);
                }
                Err(_no_terminal) => {
                    let message = "nothing was trusted: there is no terminal to ask at";
                    let hint = "`jp trust --accept HASH` trusts what `jp trust --show` prints";
                    return Err(CommandError::failure(message).hint(hint));
                }
            }
        }
    }
    // What was read and shown, whatever the files say by now.
    let pin = Pin::of(trust.files(), env.now());
    pins.keep(trust.files().root(), &pin)?;
    let said = format!("{} is trusted as it is now", root(trust));
    output.done(&said);
    match args.format.is_json() {
        true => output.json(&about(trust, Standing::Trusted))?,
        false => output.line(said)?,
    }
    Ok(DONE)
}

/// Says that no trust is needed.
fn nothing(output: &mut Output, trust: &Trust, args: &Args) -> Outcome {
    match args.format.is_json() {
        true => {
            let mut report = about(trust, trust.standing());
            report["changes"] = json!([]);
            output.json(&report)?;
        }
        false => output.line(format_args!("Nothing in {} needs trust", root(trust)))?,
    }
    Ok(DONE)
}

fn already(output: &mut Output, trust: &Trust, args: &Args) -> Outcome {
    match args.format.is_json() {
        true => output.json(&about(trust, Standing::Trusted))?,
        false => output.line(format_args!("{} is trusted as it is", root(trust)))?,
    }
    Ok(DONE)
}

fn show(env: &Env, output: &mut Output, trust: &Trust, changes: &[Change], args: &Args) -> Outcome {
    if args.format.is_json() {
        let mut report = about(trust, trust.standing());
        report["changes"] = changes.iter().map(described).collect();
        output.json(&report)?;
        return Ok(DONE);
    }
    output.paged(env, |output| write(output, trust, changes))?;
    if trust.standing() != Standing::Trusted {
        output.hint(format_args!("`jp trust --accept {}` trusts this", trust.files().hash()));
    }
    Ok(DONE)
}

/// Everything that would take effect, and what was trusted before. No line is cut.
fn write(output: &mut Output, trust: &Trust, changes: &[Change]) -> std::io::Result<()> {
    let standing = match trust.standing() {
        Standing::Trusted => "is trusted with",
        Standing::Changed => "has changed since it was trusted; it would set",
        Standing::Unknown => "would set",
    };
    output.line(format_args!("{} {standing}:", root(trust)))?;
    for change in changes {
        match &change.elsewhere {
            Some(path) => {
                output.line(format_args!("{} (a link to {})", change.name, escape(path)))?;
            }
            None => output.line(&change.name)?,
        }
        for line in &change.lines {
            let (mark, text) = match line {
                Line::Kept(text) => (' ', text),
                Line::Removed(text) => ('-', text),
                Line::Added(text) => ('+', text),
            };
            output.line(format_args!("{mark} {}", escape(text)))?;
        }
    }
    for (name, before) in trust.moved() {
        output.line(format_args!("{name} was {} before", escape(&before)))?;
    }
    let is_new = |line: &Line| !matches!(line, Line::Kept(_));
    let changed = changes.iter().flat_map(|change| &change.lines).any(is_new);
    if trust.standing() == Standing::Changed && !changed {
        output.line("Nothing of this is new, but its files are not the same to the byte")?;
    }
    Ok(())
}

fn described(change: &Change) -> Value {
    let lines = change.lines.iter().map(|line| match line {
        Line::Kept(text) => json!({ "change": "kept", "text": text }),
        Line::Removed(text) => json!({ "change": "removed", "text": text }),
        Line::Added(text) => json!({ "change": "added", "text": text }),
    });
    json!({
        "file": change.name,
        "elsewhere": change.elsewhere,
        "lines": lines.collect::<Vec<_>>(),
    })
}

fn about(trust: &Trust, standing: Standing) -> Value {
    json!({
        "workspace": trust.files().root().display().to_string(),
        "standing": word(standing),
        "hash": trust.files().hash(),
    })
}

fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Trusted => "trusted",
        Standing::Changed => "changed",
        Standing::Unknown => "untrusted",
    }
}

fn root(trust: &Trust) -> String {
    escape(&trust.files().root().display().to_string()).into_owned()
}

fn list(output: &mut Output, pins: &Pins, args: &Args) -> Outcome {
    let (mut table, mut rows) = (Table::new(["WORKSPACE", "TRUSTED SINCE", "NOW"]), Vec::new());
    for pin in pins.all()? {
        let now = match Trust::read(Path::new(&pin.root), Some(pins)) {
            Ok(trust) => word(trust.standing()),
            Err(_) if !Path::new(&pin.root).exists() => "gone",
            Err(_unreadable) => "changed",
        };
        rows.push(json!({
            "workspace": pin.root,
            "trusted_at": pin.trusted_at.to_string(),
            "standing": now,
            "hash": pin.hash,
        }));
        table.push([pin.root, pin.trusted_at.to_string(), now.to_owned()]);
    }
    match args.format.is_json() {
        true => output.json(&Value::Array(rows))?,
        false if rows.is_empty() => output.say("No workspace is trusted"),
        false => output.text(table)?,
    }
    Ok(DONE)
}

fn revoke(
    env: &Env,
    output: &mut Output,
    pins: &Pins,
    files: &ConfigFiles,
    path: Option<&Path>,
) -> Outcome {
    let given = match path {
        Some(path) => env.cwd().join(path),
        None => files.root().ok_or(WorkspaceError::NoConfig(Scope::Workspace))?.to_owned(),
    };
    // It may be gone; then it has no links either.
    let root = given.canonicalize().unwrap_or(given);
    let shown = root.display().to_string();
    if !pins.revoke(&root)? {
        return Err(CommandError::failure(format!("`{shown}` was not trusted"))
            .hint("`jp trust --list` lists the workspaces that are"));
    }
    let said = format!("{} is not trusted any more", escape(&shown));
    output.done(&said);
    output.line(said)?;
    Ok(DONE)
}
