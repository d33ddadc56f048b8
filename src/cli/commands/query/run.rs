//! A query, from its arguments to its exit code.

use super::{
    super::Outcome,
    attaching::attach,
    beginning::{Beginning, heading},
    caption::show_target,
    compacting::compaction,
    driving::drive,
    ending::tell,
    reading::read,
    scene::Scene,
};
use crate::{
    cli::{args::Query, output::Output},
    env::Env,
};

pub fn run(env: &Env, output: &mut Output, args: &Query) -> Outcome {
    let heading = heading(args)?;
    let mut scene = Scene::set(env, output, args)?;
    let env = &scene.env.clone();
    show_target(env, args, &scene);
    let beside = attach(env, output, args, &mut scene)?;
    // Last, because whoever writes in an editor must not do it in vain.
    let asked = read(env, output, args, &scene)?;
    let mut beginning = Beginning::of(env, heading, &asked, beside, &scene)?;
    match compaction(env, output, args, &scene) {
        Ok(compaction) => beginning.compact(compaction),
        Err(error) => return Err(asked.kept(error)),
    }
    let fleet = match scene.enlist(output) {
        Ok(fleet) => fleet,
        Err(error) => return Err(asked.kept(error)),
    };
    match drive(env, output, args, &mut scene, &asked, beginning, fleet) {
        Ok(driven) => tell(output, args, &scene, asked, driven),
        Err(error) => Err(asked.kept(error)),
    }
}
