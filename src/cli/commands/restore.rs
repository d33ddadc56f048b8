//! `jp conversation restore`

use super::{
    DONE, Outcome, choose_to_change, tell_notes, turn_back::report, version, warn_of_dropped,
};
use crate::{
    cli::{
        args::{AtArg, Change},
        error::CommandError,
        output::Output,
    },
    env::Env,
    history::restore,
    store::Space,
};

pub fn run(env: &Env, output: &mut Output, change: &Change, at: &AtArg) -> Outcome {
    let (workspace, handle) = choose_to_change(env, change.id.as_deref())?;
    let id = handle.id();
    match (handle.space(), &at.at) {
        (Space::Trash, None) => {
            workspace.shelve(&handle, Space::Heads)?;
            super::shelve::report(output, id, Space::Trash, Space::Heads, &change.format)?;
            return Ok(DONE);
        }
        (_, None) => {
            let message = "which version? `--at` says it";
            return Err(CommandError::usage(message)
                .hint(format!("`jp conversation log {id}` lists the versions")));
        }
        (_, Some(_)) => {}
    }
    warn_of_dropped(output, &workspace, &handle)?;
    let mut guard = workspace.lock(handle)?;
    let version = version(env, &workspace, guard.clone(), at)?;
    let Some(turned) = restore(&workspace, &mut guard, &version)? else {
        output.say(format_args!("{id}: it is as it was then: nothing to restore"));
        return Ok(DONE);
    };
    tell_notes(output, &mut guard);
    let back = format!("jp conversation undo {id}");
    report(output, id, "restored the version of", &turned, &back, &change.format)?;
    Ok(DONE)
}
