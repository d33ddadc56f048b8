//! `jp conversation undo`

use super::{
    DONE, Next, Outcome, tell_notes, to_change,
    turn_back::{ask_anew, report},
};
use crate::{
    cli::{args::Change, error::CommandError, output::Output},
    env::Env,
    history::undo,
};

pub fn run(env: &Env, output: &mut Output, args: &Change) -> Outcome {
    let (workspace, mut guard) = to_change(env, output, args.id.as_deref(), Next::TakesBack)?;
    let id = guard.id();
    let Some(turned) = undo(&workspace, &mut guard)? else {
        let message = format!("{id}: nothing is left to undo: the conversation begins here");
        let hint = format!("`jp conversation rm {id}` moves it to the trash");
        return Err(CommandError::failure(message).hint(hint));
    };
    let inverse = format!("jp conversation redo {id}");
    ask_anew(&workspace, id);
    tell_notes(output, &mut guard);
    report(output, id, "undid", &turned, &inverse, &args.format)?;
    Ok(DONE)
}
