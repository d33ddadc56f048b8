//! `jp config set`

use crate::{
    cli::{
        args::{ConfigArgs, SetConfig},
        commands::{DONE, Outcome, settings},
        error::CommandError,
        output::Output,
    },
    config::{self, EditError, Fault, Key, Origin, Override, Problem, Scope, Settings},
    env::Env,
    ui::escape,
    workspace::{ConfigFiles, WorkspaceError},
};

pub fn run(env: &Env, output: &mut Output, args: SetConfig) -> Outcome {
    let files = ConfigFiles::find(env)?;
    let scope = args.target.scope();
    let path = files.path(scope).ok_or(WorkspaceError::NoConfig(scope))?;
    let text = files.read(scope)?.map(|(_, text)| text).unwrap_or_default();
    let given = Override { key: args.key, value: args.value };
    let changed = config::set(scope, &path, &text, &given)?;
    let path = if changed == text { path } else { files.write(scope, &changed)? };
    output.line(format_args!("{} is set in {}", given.key, escape(&path.display().to_string())))?;
    warn_if_hidden(env, output, &files, &given, scope);
    Ok(DONE)
}

/// Tells if something else counts more than what was just set. Mistakes elsewhere are told by
/// whoever uses the settings.
fn warn_if_hidden(
    env: &Env,
    output: &mut Output,
    files: &ConfigFiles,
    given: &Override,
    set_in: Scope,
) {
    let nothing = ConfigArgs { overrides: Vec::new() };
    let layers = settings::layers(files, env, &nothing);
    let Some(Ok(resolved)) = layers.ok().map(Settings::resolve) else { return };
    if resolved.untrusted.iter().any(|problem| is_about(problem, &given.key))
        && set_in != Scope::User
    {
        output.hint("`jp trust` lets it take effect");
        return;
    }
    let Some(effective) = resolved.get(&given.key) else { return };
    match &effective.origin {
        Origin::Default => {}
        Origin::File { scope, .. } if *scope == set_in => {}
        other => {
            output.warn(format_args!("{} is set by {other} too, which counts more", given.key));
        }
    }
}

/// Whether a key was ignored for want of trust.
fn is_about(problem: &Problem, key: &Key) -> bool {
    matches!(&problem.fault, Fault::UntrustedFile(ignored) if ignored.is_around(key))
}

impl From<EditError> for CommandError {
    fn from(error: EditError) -> Self {
        match error {
            EditError::File(errors) => Self::from(errors),
            error @ EditError::UserOnly { .. } => Self::failure(error)
                .hint("leave the option out to set it in your own configuration"),
            error @ (EditError::Value(_) | EditError::Table { .. }) => {
                Self::usage(error).hint("`jp config schema` describes every key")
            }
        }
    }
}
