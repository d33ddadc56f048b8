//! The settings that a command works with.

use crate::{
    cli::{args::ConfigArgs, error::CommandError, output::Output},
    config::{Fault, Layers, Problem, Resolved, Scope, Settings},
    env::Env,
    workspace::ConfigFiles,
};

/// No more warnings than this are told: a workspace may hold any number.
const MOST: usize = 10;

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
    let moves = |warning: &Problem| matches!(warning.fault, Fault::UntrustedFile(_));
    if let Some(path) = files.path(Scope::User)
        && resolved.warnings.iter().any(moves)
    {
        output.hint(format_args!("your own configuration is `{}`", path.display()));
    }
    Ok(resolved)
}
