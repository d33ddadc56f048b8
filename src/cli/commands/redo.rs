//! `jp conversation redo`

use super::{
    DONE, Next, Outcome, tell_notes, to_change,
    turn_back::{ask_anew, report},
};
use crate::{
    cli::{args::Change, error::CommandError, output::Output},
    env::Env,
    history::redo,
};

pub fn run(env: &Env, output: &mut Output, args: &Change) -> Outcome {
    let (workspace, mut guard) = to_change(env, output, args.id.as_deref(), Next::Writes)?;
    let id = guard.id();
    let Some(turned) = redo(&workspace, &mut guard)? else {
        let message =
            "there is nothing to redo: nothing was undone, or something new happened since";
        let hint = format!(
            "`jp conversation log {id}` lists every version, and `jp conversation restore {id} --at COMMIT` brings one back"
        );
        return Err(CommandError::failure(format!("{id}: {message}")).hint(hint));
    };
    let inverse = format!("jp conversation undo {id}");
    ask_anew(&workspace, id);
    tell_notes(output, &mut guard);
    report(output, id, "redid", &turned, &inverse, &args.format)?;
    Ok(DONE)
}
