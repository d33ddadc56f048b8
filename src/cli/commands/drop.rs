//! `jp conversation drop`

use super::{Next, Outcome, edit::change, place::Named, to_change};
use crate::{
    cli::{args::Drop, error::CommandError, output::Output},
    env::Env,
    plan::Wish,
};

pub fn run(env: &Env, output: &mut Output, args: &Drop) -> Outcome {
    let named = Named::read(&args.chosen)?.ok_or_else(|| {
        CommandError::usage("nothing to drop was named")
            .hint("`jp conversation drop ID 003 005..007` drops events, `--turns 2-4` whole turns")
    })?;
    let (workspace, mut guard) = to_change(env, output, Some(&args.chosen.id), Next::Writes)?;
    let id = guard.id();
    change(output, &workspace, &mut guard, "drop", &args.how, |layout| {
        let (events, turns) = (named.events(env, id, layout)?, named.turns(id, layout)?);
        Ok(Wish::dropping(layout, &events, &turns))
    })
}
