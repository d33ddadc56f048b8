//! A query, from its arguments to its exit code.

use super::{
    super::{DONE, Outcome},
    attaching::attach,
    beginning::{Beginning, heading},
    caption::show_target,
    compacting::compaction,
    driving::drive,
    ending::tell,
    reading::read,
    resuming::{Settled, Way, check_usage, prepare},
    scene::Scene,
};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    env::Env,
    model::ConversationId,
    turn::{Ending, Input},
};

pub fn run(env: &Env, output: &mut Output, args: &Query) -> Outcome {
    check_usage(args)?;
    let mut in_conversation = None;
    loop {
        match once(env, output, args, in_conversation)? {
            Went::Over(code) => return Ok(code),
            Went::AskNext(id) => in_conversation = Some(id),
        }
    }
}

/// How a turn went.
enum Went {
    /// There is nothing else to do.
    Over(u8),
    /// A turn that was interrupted is complete: now the question can be asked there.
    AskNext(ConversationId),
}

/// One turn: a question that is asked, or one that goes on.
fn once(
    env: &Env,
    output: &mut Output,
    args: &Query,
    in_conversation: Option<ConversationId>,
) -> Result<Went, CommandError> {
    let heading = heading(args)?;
    let mut scene = Scene::set(env, output, args, in_conversation)?;
    let env = &scene.env.clone();
    show_target(env, args, &scene);
    let resumes = matches!(scene.settled, Settled::Resume(_));
    let beside = match resumes {
        true => Vec::new(),
        false => attach(env, output, args, &mut scene)?,
    };
    // Last, because whoever writes in an editor must not do it in vain.
    let Some(asked) = read(env, output, args, &scene)? else { return Ok(Went::Over(DONE)) };
    let mut beginning = Beginning::of(env, heading, &asked, beside, &mut scene)?;
    // With a question to come, it is asked for before that one.
    let compacted = match scene.asks_next() {
        true => Ok(None),
        false => compaction(env, output, args, &scene),
    };
    match compacted {
        Ok(compaction) => beginning.compact(compaction),
        Err(error) => return Err(asked.kept(error)),
    }
    let fleet = match scene.enlist(output) {
        Ok(fleet) => fleet,
        Err(error) => return Err(asked.kept(error)),
    };
    if let Input::Resume(resumption) = &mut beginning.first {
        match prepare(env, output, args, &mut scene, resumption) {
            Ok(Way::With(_)) => {}
            Ok(Way::Discard) => {
                fleet.servers.end();
                scene.target.discard_turn(output)?;
                let next = scene.target.id().filter(|_| scene.asks_next());
                return Ok(next.map_or(Went::Over(DONE), Went::AskNext));
            }
            Err(error) => {
                fleet.servers.end();
                return Err(error);
            }
        }
    }
    let asks_next = scene.asks_next();
    match drive(env, output, args, &mut scene, &asked, beginning, fleet) {
        Ok(driven) => {
            if matches!(&driven.ending, Ok(ending) if !matches!(ending, Ending::Unsure(_))) {
                scene.typed_is_stored();
            }
            let is_complete = matches!(driven.ending, Ok(Ending::Complete(_)));
            let next = driven.id.filter(|_| asks_next && is_complete);
            let code = tell(output, args, &scene, asked, driven)?;
            Ok(next.map_or(Went::Over(code), Went::AskNext))
        }
        Err(error) => Err(asked.kept(error)),
    }
}
