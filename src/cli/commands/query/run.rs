//! A query, from its arguments to its exit code.

use std::{ffi::OsString, path::PathBuf};

use super::{
    super::{DONE, Outcome},
    attaching::attach,
    beginning::{Beginning, heading},
    caption::show_target,
    compacting::compaction,
    follow_up::{self, Next},
    in_process::drive_here,
    reading::read,
    resuming::{Settled, Way, check_usage, prepare},
    scene::Scene,
    serving::Server,
    starting::Started,
    target::Known,
};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    env::Env,
    process::{self, Inherited},
    turn::Input,
};

/// Runs a query in a server of its own, with these arguments, and shows it from here.
pub fn run(
    env: &Env,
    output: &mut Output,
    args: &Query,
    arguments: impl IntoIterator<Item = OsString>,
) -> Outcome {
    check_usage(args)?;
    if args.manner.no_server || args.no_persist {
        return ask(env, output, args, &mut None);
    }
    match Started::prepare(env) {
        Ok(started) => started.run(env, output, args, arguments),
        Err(error) if args.manner.detach => {
            Err(error.about("this query cannot run in the background"))
        }
        Err(error) => {
            error.about("this query ends with its terminal").warn(output);
            ask(env, output, args, &mut None)
        }
    }
}

/// Serves a query to whoever started this process and waits at a socket.
pub fn serve(
    env: &Env,
    output: &mut Output,
    args: &Query,
    rendezvous: PathBuf,
    inherited: Inherited,
) -> Outcome {
    process::end_with_parent(true);
    let mut server = Some(Server::new(rendezvous, inherited));
    let outcome = ask(env, output, args, &mut server);
    let Some(server) = server.filter(Server::has_begun) else { return outcome };
    match &outcome {
        Ok(code) => server.finish(*code),
        Err(error) => server.fail(error),
    }
    server.close();
    Ok(outcome.unwrap_or_else(|error| error.exit_code()))
}

/// Asks, and what is to be asked afterwards.
fn ask(env: &Env, output: &mut Output, args: &Query, server: &mut Option<Server>) -> Outcome {
    let mut in_conversation = None;
    let mut follow_up = None;
    loop {
        let args = follow_up.as_ref().unwrap_or(args);
        let went = once(env, output, args, in_conversation.take(), server)?;
        if let Some(server) = server {
            // From here on it is the clients who hear what there is to say.
            output.divert(server.voice());
        }
        match went {
            Went::Over(code) => return Ok(code),
            Went::AskNext(known) => in_conversation = Some(known),
            Went::FollowUp(known) => {
                (in_conversation, follow_up) = (Some(known), Some(follow_up::query(args)));
            }
        }
    }
}

/// How a turn went.
enum Went {
    /// There is nothing else to do.
    Over(u8),
    /// A turn that was interrupted is complete: now the question can be asked there.
    AskNext(Known),
    /// The turn is complete, and something is queued there.
    FollowUp(Known),
}

impl Went {
    fn after(next: Next, code: u8) -> Self {
        match next {
            Next::Nothing => Self::Over(code),
            Next::Question(guard) => Self::AskNext(Known::Held(guard)),
            Next::FollowUp(guard) => Self::FollowUp(Known::Held(guard)),
        }
    }
}

/// One turn: a question that is asked, or one that goes on.
fn once(
    env: &Env,
    output: &mut Output,
    args: &Query,
    in_conversation: Option<Known>,
    server: &mut Option<Server>,
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
    let Some(mut asked) = read(env, output, args, &scene)? else { return Ok(Went::Over(DONE)) };
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
                let next = scene.target.id().filter(|_| scene.asks_next()).map(Known::Named);
                return Ok(next.map_or(Went::Over(DONE), Went::AskNext));
            }
            Err(error) => {
                fleet.servers.end();
                return Err(error);
            }
        }
    }
    if let Some(server) = server {
        return match server.drive(env, args, &mut scene, &mut asked, beginning, fleet) {
            Ok(next) => Ok(Went::after(next, DONE)),
            Err(error) => Err(asked.kept(error)),
        };
    }
    let asks_next = scene.asks_next();
    match drive_here(env, output, args, &mut scene, &asked, beginning, fleet) {
        Ok(mut shown) => {
            let waiting = shown.waiting(&scene);
            let next = Next::after(&mut shown.driven, asks_next, &waiting);
            let code = shown.tell(output, args, &scene, &mut asked, &waiting)?;
            Ok(Went::after(next, code))
        }
        Err(error) => Err(asked.kept(error)),
    }
}
