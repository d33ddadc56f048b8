//! `jp config show`

use serde_json::json;
use toml::Value;

use crate::{
    cli::{
        args::ShowConfig,
        commands::{DONE, Outcome, settings},
        error::CommandError,
        output::Output,
    },
    config::{self, Effective, Key, Kind, Origin, Resolved},
    env::Env,
    ui::escape_lines,
    workspace::ConfigFiles,
};

pub fn run(env: &Env, output: &mut Output, args: &ShowConfig) -> Outcome {
    let at = args.key.clone().unwrap_or_default();
    let kind = config::kind(&at).map_err(|fault| {
        CommandError::usage(fault).hint("`jp config schema` describes every key")
    })?;
    let files = ConfigFiles::find(env)?;
    let layers = settings::layers(&files, env, &args.config)?;
    let resolved = settings::resolve(output, &files, layers)?;
    // A table with a name of the user exists only if something is in it.
    let may_be_empty = kind == Kind::Table && at.names().len() < 2;
    if !may_be_empty && resolved.below(&at).next().is_none() {
        return Err(CommandError::failure(format!("`{at}` is not set")));
    }
    if args.format.is_json() {
        let json = match args.origin {
            true => resolved.below(&at).map(with_origin).collect(),
            false => resolved.to_json(&at),
        };
        output.json(&json)?;
        return Ok(DONE);
    }
    let text = text(&resolved, &at, args.origin);
    output.paged(env, |output| match output.is_terminal() {
        true => output.text(escape_lines(&text)),
        false => output.text(&text),
    })?;
    Ok(DONE)
}

/// One value stands for itself, so that scripts can use it; with its origin it is a line of TOML.
fn text(resolved: &Resolved, at: &Key, origin: bool) -> String {
    match resolved.get(at).map(|effective| &effective.value) {
        Some(Value::String(text)) if !origin => format!("{text}\n"),
        Some(value) if !origin => format!("{value}\n"),
        _ => resolved.to_toml(at, origin),
    }
}

fn with_origin(effective: &Effective) -> serde_json::Value {
    let Effective { key, value, origin } = effective;
    let (file, line) = match origin {
        Origin::File { path, line, .. } => (Some(path.display().to_string()), Some(line)),
        _ => (None, None),
    };
    json!({
        "key": key.to_string(),
        "value": config::to_json(value),
        "layer": origin.layer(),
        "source": origin.source(),
        "file": file,
        "line": line,
    })
}
