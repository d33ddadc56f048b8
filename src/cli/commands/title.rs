//! `jp conversation title`

use serde_json::json;

use super::{
    DONE, Next, Outcome,
    report::{Told, report},
    to_change, workspace_with,
};
use crate::{
    cli::{args::FormatArg, error::CommandError, output::Output},
    env::Env,
    ui::escape,
};

pub fn run(
    env: &Env,
    output: &mut Output,
    id: &str,
    title: Option<&str>,
    clear: bool,
    format: &FormatArg,
) -> Outcome {
    if title.is_none() && !clear {
        return print(env, output, id, format);
    }
    let title = check(title)?;
    let title = title.as_deref();
    let (workspace, mut guard) = to_change(env, output, Some(id), Next::Writes)?;
    let id = guard.id();
    let subject = match title {
        Some(title) => format!("title {title}"),
        None => "title --clear".to_owned(),
    };
    let set = workspace.revise_meta(&mut guard, &subject, |meta| {
        meta.title = title.map(str::to_owned);
    })?;
    let told = match (&set, title) {
        (None, _) => Told::Already(format!("{id}: the title is that already")),
        (Some(_), Some(title)) => Told::Changed(format!("{id}: {}", escape(title))),
        (Some(_), None) => Told::Changed(format!("{id} has no title now")),
    };
    report(output, &mut guard, set, told, json!({"title": title}), format)?;
    Ok(DONE)
}

/// A title as it may be given: one line with something in it.
pub fn check(title: Option<&str>) -> Result<Option<String>, CommandError> {
    let title = title.map(str::trim);
    if title == Some("") {
        return Err(CommandError::usage("the title is empty")
            .hint("`jp conversation title ID --clear` takes a title away"));
    }
    if title.is_some_and(|title| title.contains(['\n', '\r'])) {
        return Err(CommandError::usage("a title is one line of text"));
    }
    Ok(title.map(str::to_owned))
}

fn print(env: &Env, output: &mut Output, id: &str, format: &FormatArg) -> Outcome {
    let workspace = workspace_with(env, id)?;
    let handle = workspace.select(id)?;
    let title = workspace.row(&handle, &mut Vec::new()).heading.title;
    if format.is_json() {
        output.json(&json!({"id": handle.id(), "title": title}))?;
        return Ok(DONE);
    }
    match title {
        Some(title) => output.line(escape(&title))?,
        None => output.say(format_args!("{} has no title", handle.id())),
    }
    Ok(DONE)
}
