//! `jp conversation move`

use super::{
    Next, Outcome,
    edit::change,
    place::{Named, Spot},
    to_change,
};
use crate::{
    cli::{args::Move, error::CommandError, output::Output},
    env::Env,
    plan::Wish,
};

pub fn run(env: &Env, output: &mut Output, args: &Move) -> Outcome {
    let named = Named::read(&args.chosen)?.ok_or_else(|| {
        CommandError::usage("nothing to move was named").hint(
            "`jp conversation move ID 005 --before 003` moves an event, `--turns 2` a whole turn",
        )
    })?;
    let (workspace, mut guard) = to_change(env, output, Some(&args.chosen.id), Next::Writes)?;
    let id = guard.id();
    change(output, &workspace, &mut guard, "move", &args.how, |layout| {
        let mut moving = named.events(env, id, layout)?;
        moving.extend(named.turns(id, layout)?);
        let spot = Spot::find(env, id, layout, &args.place)?;
        if spot.anchor().is_some_and(|anchor| moving.contains(&anchor)) {
            return Err(CommandError::usage("events cannot be moved to where they are themselves"));
        }
        let mut wish = Wish::without(layout, |at| moving.contains(&at));
        let lines = wish.lines_to_move(layout, &moving);
        spot.put(&mut wish, lines);
        Ok(wish)
    })
}
