//! Everything that has to be settled between the decision to go on with a turn and going on.

use super::{
    super::scene::Scene,
    matching::{Way, match_up},
    settling::Settled,
    unknown::decide_unknown,
};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    env::Env,
    turn::{Resumption, Survey},
};

/// Makes sure that the model is told what it was told before, and that it is known what becomes of
/// calls that may have been made already.
pub fn prepare(
    env: &Env,
    output: &mut Output,
    args: &Query,
    scene: &mut Scene,
    resumption: &mut Resumption,
) -> Result<Way, CommandError> {
    let survey = Survey::of(&scene.entries);
    let way = match_up(env, args, scene, &survey)?;
    if way == Way::Discard {
        return Ok(way);
    }
    if scene.interactive {
        let (state, tools) = (scene.state_dir(env)?, &scene.model.setup.tools);
        if let Settled::Resume(choices) = &mut scene.settled {
            let (decisions, typed) = (&mut resumption.decisions, &mut choices.typed);
            decide_unknown(env, &state, &survey, tools, decisions, typed)?;
        }
    }
    if survey.is_asked_anew && !args.manner.quiet {
        output.say("The answer had not ended, and is asked for anew");
    }
    Ok(way)
}
