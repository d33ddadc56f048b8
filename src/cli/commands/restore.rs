//! `jp conversation restore`

use super::{
    DONE, Next, Outcome, find_to_change, locking,
    shelve::Moved,
    tell_notes,
    turn_back::{ask_anew, report, unchanged},
    version, warn_of_dropped,
};
use crate::{
    cli::{args::Restore, error::CommandError, output::Output},
    env::Env,
    history::restore,
    store::Space,
};

pub fn run(env: &Env, output: &mut Output, args: &Restore) -> Outcome {
    let (workspace, handle) = find_to_change(env, output, args.id.as_deref())?;
    let id = handle.id();
    match (handle.space(), &args.at.at) {
        (Space::Trash, None) => {
            let hold = locking::hold(env, output, &workspace, &handle)?;
            let to = match hold.space() {
                Space::Trash => workspace.store().moved_from(Space::Trash, id),
                // Whoever had the lock before has restored it.
                space => Some(space),
            };
            let to = to.unwrap_or(Space::Heads);
            let moved = Moved { id, from: hold.space(), to };
            workspace.shelve(hold, to)?;
            moved.remember(output);
            match args.format.is_json() {
                true => output.json(&moved.to_json())?,
                false => moved.tell(output)?,
            }
            return Ok(DONE);
        }
        (_, None) => {
            let message = "which version? `--at` says it";
            return Err(CommandError::usage(message)
                .hint(format!("`jp conversation log {id}` lists the versions")));
        }
        (_, Some(_)) => {}
    }
    warn_of_dropped(output, &workspace, &handle, Next::Writes);
    let mut guard = locking::lock(env, output, &workspace, handle)?;
    let version = version(env, &workspace, guard.clone(), &args.at)?;
    let Some(turned) = restore(&workspace, &mut guard, &version)? else {
        if args.format.is_json() {
            output.json(&unchanged(id, &version))?;
        }
        output.say(format_args!("{id}: it is as it was then: nothing to restore"));
        return Ok(DONE);
    };
    ask_anew(&workspace, id);
    tell_notes(output, &mut guard);
    let back = format!("jp conversation undo {id}");
    report(output, id, "restored the version of", &turned, &back, &args.format)?;
    Ok(DONE)
}
