//! Event files that are named on the command line.

use std::{
    ffi::{OsStr, OsString},
    io::Read,
    path::Path,
};

use crate::{
    cli::error::CommandError,
    env::Env,
    format::{FileName, Form, limits, with_call_id},
    fsutil::{AtPath, FsError},
    model::EventType,
    plan::Draft,
    ui::escape,
    workspace::prepare,
};

/// Reads and checks all files before anything is written.
pub fn read_all(env: &Env, files: &[OsString]) -> Result<Vec<Draft>, CommandError> {
    if files.iter().filter(|file| *file == "-").count() > 1 {
        return Err(CommandError::usage("`-` can be given once: standard input is one event"));
    }
    let now = env.now();
    let mut drafts = Vec::with_capacity(files.len());
    let mut problems = Vec::new();
    for file in files {
        let bytes = match read(env, file) {
            Ok(bytes) => bytes,
            Err(error) => {
                problems.push(error.to_string());
                continue;
            }
        };
        let shown = escape(&file.display().to_string()).into_owned();
        if bytes.trim_ascii().is_empty() {
            problems.push(format!("{shown}: the file is empty"));
            continue;
        }
        let (form, hint) = form_of(file, &bytes);
        let fresh = call_id(env)?;
        match prepare(with_call_id(bytes, form, || fresh), form, hint, now) {
            Ok(draft) => drafts.push(draft),
            Err(flaws) => problems.extend(flaws.into_iter().map(|flaw| {
                let place =
                    |number: Option<usize>| number.map_or(String::new(), |n| format!(":{n}"));
                let (line, column) = (place(flaw.line), place(flaw.column));
                format!("{shown}{line}{column}: {}", flaw.message)
            })),
        }
    }
    if problems.is_empty() { Ok(drafts) } else { Err(CommandError::failures(problems)) }
}

/// An id for a call that has none.
fn call_id(env: &Env) -> Result<String, CommandError> {
    let random = env.random_name();
    let failed = |error| CommandError::failure(format!("cannot get random bytes: {error}"));
    Ok(format!("call_{}", random.map_err(failed)?))
}

fn read(env: &Env, file: &OsStr) -> Result<Vec<u8>, FsError> {
    let mut bytes = Vec::new();
    if file == "-" {
        let stdin = std::io::stdin().lock();
        stdin.take(limits::EVENT_FILE + 1).read_to_end(&mut bytes).at("read", Path::new("-"))?;
        return Ok(bytes);
    }
    let path = env.cwd().join(file);
    let shown = Path::new(file);
    let opened = std::fs::File::open(&path).at("read", shown)?;
    opened.take(limits::EVENT_FILE + 1).read_to_end(&mut bytes).at("read", shown)?;
    Ok(bytes)
}

/// How a file is written, and which type its name hints at.
fn form_of(file: &OsStr, bytes: &[u8]) -> (Form, Option<EventType>) {
    let path = Path::new(file);
    let form = match path.extension().and_then(OsStr::to_str) {
        Some("md") => Form::Markdown,
        Some("toml") => Form::Toml,
        _ => Form::sniff(bytes),
    };
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let numbered = format!("000-{name}");
    let parsed = name.parse::<FileName>().or_else(|_| numbered.parse());
    (form, parsed.ok().and_then(|name| name.hinted_type()))
}
