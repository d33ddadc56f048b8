//! `jp conversation label`

use std::collections::BTreeMap;

use serde_json::json;

use super::{
    DONE, Next, Outcome,
    report::{Told, report},
    to_change, workspace_with,
};
use crate::{
    cli::{
        args::{FormatArg, Label},
        error::CommandError,
        output::Output,
    },
    env::Env,
    store::Space,
    ui::{Table, escape},
    workspace::Workspace,
};

pub fn run(env: &Env, output: &mut Output, command: &Label) -> Outcome {
    match command {
        Label::Add { id, labels, format } => {
            let parsed: Result<Vec<_>, _> = labels.iter().map(|label| parse(label)).collect();
            let parsed = parsed?;
            let subject = format!("label add {}", labels.join(" "));
            change(env, output, id, &subject, format, |labels| {
                labels.extend(parsed.iter().map(|(key, value)| (key.clone(), value.clone())));
            })
        }
        Label::Rm { id, keys, format } => {
            if let Some(key) = keys.iter().find(|key| key.contains('=')) {
                let message = format!("`{}` is not the key of a label", key.escape_debug());
                return Err(CommandError::usage(message).hint("give the part before `=`"));
            }
            let subject = format!("label rm {}", keys.join(" "));
            change(env, output, id, &subject, format, |labels| {
                labels.retain(|key, _| !keys.contains(key));
            })
        }
        Label::Ls { id: Some(id), format } => {
            let workspace = workspace_with(env, id)?;
            let handle = workspace.select(id)?;
            let labels = workspace.row(&handle, &mut Vec::new()).heading.labels;
            if format.is_json() {
                output.json(&json!(labels))?;
                return Ok(DONE);
            }
            for (key, value) in &labels {
                output.line(escape(&written(key, value)))?;
            }
            Ok(DONE)
        }
        Label::Ls { id: None, format } => {
            let counts = match Workspace::open(env)? {
                Some(workspace) => count(output, &workspace)?,
                None => BTreeMap::new(),
            };
            if format.is_json() {
                let label = |((key, value), count): (&(String, String), &u64)| json!({"key": key, "value": value, "conversations": count});
                output.json(&counts.iter().map(label).collect())?;
                return Ok(DONE);
            }
            if counts.is_empty() {
                output.say("No labels yet: `jp conversation label add ID KEY=VALUE` sets one");
                return Ok(DONE);
            }
            let mut table = Table::new(["LABEL", "CONVERSATIONS"]);
            for ((key, value), count) in &counts {
                table.push([written(key, value), count.to_string()]);
            }
            output.text(table)?;
            Ok(DONE)
        }
    }
}

fn change(
    env: &Env,
    output: &mut Output,
    id: &str,
    subject: &str,
    format: &FormatArg,
    change: impl Fn(&mut BTreeMap<String, String>),
) -> Outcome {
    let (workspace, mut guard) = to_change(env, output, Some(id), Next::Writes)?;
    let id = guard.id();
    let changed = workspace.revise_meta(&mut guard, subject, |meta| change(&mut meta.labels))?;
    let labels = workspace.row(&guard, &mut Vec::new()).heading.labels;
    let list: Vec<_> = labels.iter().map(|(key, value)| written(key, value)).collect();
    let list = if list.is_empty() { "no labels".to_owned() } else { list.join(" ") };
    let told = match changed {
        None => Told::Already(format!("{id}: the labels are so already")),
        Some(_) => Told::Changed(format!("{id}: {}", escape(&list))),
    };
    report(output, &mut guard, changed, told, json!({"labels": labels}), format)?;
    Ok(DONE)
}

/// Reads a label: a key, perhaps with a value.
pub fn parse(text: &str) -> Result<(String, String), CommandError> {
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    let invalid = key.is_empty()
        || key.contains(|c: char| c.is_whitespace() || c.is_control())
        || value.contains(char::is_control);
    if invalid {
        let message = format!("`{}` is not a label", text.escape_debug());
        return Err(CommandError::usage(message).hint("a label is `KEY` or `KEY=VALUE`"));
    }
    Ok((key.to_owned(), value.to_owned()))
}

/// A label as people write it.
pub fn written(key: &str, value: &str) -> String {
    if value.is_empty() { key.to_owned() } else { format!("{key}={value}") }
}

fn count(
    output: &mut Output,
    workspace: &Workspace,
) -> Result<BTreeMap<(String, String), u64>, CommandError> {
    let mut counts = BTreeMap::new();
    let overview = workspace.overview(Space::Heads)?;
    output.warn_all(overview.problems);
    for row in overview.rows {
        for label in row.heading.labels {
            *counts.entry(label).or_default() += 1;
        }
    }
    Ok(counts)
}
