//! The settings that a command works with.

use crate::{
    cli::{args::ConfigArgs, error::CommandError, output::Output},
    config::{Fault, Layers, Resolved, Settings},
    env::Env,
    workspace::{ConfigFiles, Standing},
};

/// No more warnings than this are told: a workspace may hold any number.
const MOST: usize = 10;

/// How many things that need trust are named.
const NAMED: usize = 3;

/// The layers that count here, and what the command line sets.
pub fn layers(files: &ConfigFiles, env: &Env, args: &ConfigArgs) -> Result<Layers, CommandError> {
    Ok(args.add_to(files.layers(env)?))
}

/// Lays the layers over each other, and tells what was ignored.
pub fn resolve(
    output: &mut Output,
    files: &ConfigFiles,
    layers: Layers,
) -> Result<Resolved, CommandError> {
    let resolved = Settings::resolve(layers)?;
    for warning in resolved.warnings.iter().take(MOST) {
        output.warn(warning);
    }
    let left = resolved.warnings.len().saturating_sub(MOST);
    if left > 0 {
        output.warn(format_args!("{left} more of this kind"));
    }
    tell_untrusted(output, files, &resolved)?;
    Ok(resolved)
}

/// Says in one line what does not count as long as the workspace is not trusted, and how it would.
fn tell_untrusted(
    output: &mut Output,
    files: &ConfigFiles,
    resolved: &Resolved,
) -> Result<(), CommandError> {
    let Some(trust) = files.trust()? else { return Ok(()) };
    let keys = resolved.untrusted.iter().filter_map(|problem| match &problem.fault {
        Fault::UntrustedFile(key) => Some(format!("`{key}`")),
        _ => None,
    });
    let names = trust.untrusted_files().into_iter().map(|name| format!("`{name}`"));
    let all: Vec<_> = names.chain(keys).collect();
    if all.is_empty() {
        return Ok(());
    }
    let why = match trust.standing() {
        Standing::Changed => "has changed since you trusted it",
        Standing::Trusted | Standing::Unknown => "is not trusted",
    };
    let mut listed = all.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > NAMED {
        listed = format!("{listed} and {} more", all.len() - NAMED);
    }
    output.warn(format_args!(
        "this workspace {why}, so what it says of {listed} is ignored; `jp trust` shows it and asks"
    ));
    Ok(())
}
