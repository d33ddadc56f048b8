//! What `jp conversation edit` is asked for.

use super::{
    super::{Next, Outcome, find_to_change, locking, warn_of_dropped},
    cycle::{edit_in_directory, tell_abandoned},
    event, title,
};
use crate::{
    cli::{args::Edit, commands::open, error::CommandError, output::Output},
    env::Env,
    workspace::{Guard, Workspace},
};

pub fn run(env: &Env, output: &mut Output, args: &Edit) -> Outcome {
    let (id, address) = match &args.args[..] {
        [] => (None, None),
        [id] => (Some(id.as_str()), None),
        [id, address, ..] => (Some(id.as_str()), Some(open::address(env, address)?)),
    };
    if address.is_some() && (args.interactive || args.title.is_some()) {
        return Err(CommandError::usage("an ADDRESS is for editing one event, and nothing else")
            .hint("`jp conversation edit ID ADDRESS` edits it"));
    }
    let (workspace, mut guard) = locked(env, output, id)?;
    tell_abandoned(env, output, &workspace)?;
    if let Some(text) = &args.title {
        return title::run(env, output, &workspace, guard, text, &args.how);
    }
    match address {
        Some(address) => event::run(env, output, &workspace, &mut guard, address, &args.how),
        None => edit_in_directory(env, output, &workspace, guard, &args.how),
    }
}

/// The conversation that is edited, with its lock.
fn locked(
    env: &Env,
    output: &mut Output,
    id: Option<&str>,
) -> Result<(Workspace, Guard), CommandError> {
    let (workspace, handle) = find_to_change(env, output, id)?;
    warn_of_dropped(output, &workspace, &handle, Next::Writes);
    let guard = locking::lock(env, output, &workspace, handle)?;
    workspace.check_writable(&guard)?;
    Ok((workspace, guard))
}
