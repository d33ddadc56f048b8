//! The drive: a turn from its first input to its end, with everybody who has a part in it.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    super::servers::Fleet,
    asker::Asker,
    beginning::{self, Beginning},
    caption::{self, Caption},
    ending::word,
    front::{Front, Manner},
    listening::{Listener, StoppedBy},
    naming::Naming,
    reading::Asked,
    resuming::brief,
    room::Room,
    scene::Scene,
    trace::Trace,
};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    config::Visibility,
    env::Env,
    model::ConversationId,
    turn::{self, DriveError, Ending, Inbox, Told, Turn},
    ui::{AnswerFormat, Channels, Chrome, Presses, Signals},
    workspace::{Workspace, WriteFailure},
};

/// What came of a turn.
pub struct Driven<'a> {
    /// How it ended, or why it could not go on.
    pub ending: Result<Ending, DriveError<WriteFailure>>,
    /// The conversation that it is kept in.
    pub id: Option<ConversationId>,
    /// What is to be said about the room that is left.
    pub room: Room,
    /// Whether the next question can be asked.
    pub is_answered: bool,
    /// What the user should hear about.
    pub notes: Vec<String>,
    /// A reply that was typed too late to be sent.
    pub unsent: Option<String>,
    /// What was shown of it, which may not be read yet.
    pub front: Front<'a>,
    /// What stopped it.
    pub stopped_by: StoppedBy,
    /// From now on the first signal ends the process.
    pub signals: Option<Signals>,
}

/// Drives a turn. What was said may not be read yet when this returns; all else is done.
pub fn drive<'a>(
    env: &'a Env,
    output: &Output,
    args: &Query,
    scene: &mut Scene,
    asked: &Asked,
    beginning: Beginning,
    mut fleet: Fleet,
) -> Result<Driven<'a>, CommandError> {
    let setup = scene.model.setup.clone();
    let inbox = Inbox::new();
    let presses = Arc::new(Mutex::new(Presses::new(scene.interactive)));
    let state = scene.state_dir(env)?;
    let asker = scene.interactive.then(|| Asker::start(env, state, presses.clone())).transpose()?;
    let manner = manner(args, scene);
    let trace = trace(env, args, scene);
    let channels = channels(env, output, args)?;
    let caption = caption::is_wanted(args, scene).then(|| Caption::of(scene, &beginning.meta));
    let teller = caption.as_ref().map(Caption::teller);
    let naming = Naming::of(env, args, asked, scene, teller.clone());
    let front = Front::new(channels, asker, setup.model.to_string(), manner, trace);
    let mut front = front.with_caption(caption);
    let keeper = scene.target.keeper(args, beginning.meta, &scene.resolved)?;
    let briefing = brief(&Told::of(&setup));
    let keeper = keeper.after(&scene.entries).telling(teller.clone());
    let mut keeper = keeper.briefed(briefing);
    let turn = Turn::new(setup, std::mem::take(&mut scene.entries));
    let stopped_by = StoppedBy::default();
    let listener = Listener {
        post: inbox.post(),
        presses: presses.clone(),
        asker: front.asker(),
        running: scene.running.clone(),
        stopped_by: stopped_by.clone(),
    };
    fleet.leave_signals();
    let signals = listener.listen();
    let (provider, now) = (&scene.model.provider, || env.now());
    let ending = turn::drive(turn, beginning.first, provider, &mut keeper, &mut front, inbox, &now);
    // There is nothing left to ask about.
    presses.lock().unwrap_or_else(PoisonError::into_inner).stop();
    fleet.servers.end();
    // What still runs after a failure has nobody to run for.
    scene.running.kill_all();
    let unsent = front.end();
    match &ending {
        Ok(ending) => front.log(&format!("ended: {}", word(ending))),
        Err(error) => front.log(&format!("ended: {error}")),
    }
    if let Some(title) = naming.and_then(Naming::end) {
        keeper.name(&title);
        teller.iter().for_each(|teller| teller.named(&title));
        front.entitle();
    }
    let (id, notes) = (keeper.id(), keeper.take_notes());
    let is_answered = beginning::admits_request(keeper.progress());
    drop(keeper);
    let room = match &ending {
        Ok(ending) => Room::after(env, scene, ending, front.usage().as_ref(), id),
        Err(_) => Room::default(),
    };
    Ok(Driven { ending, id, room, is_answered, notes, unsent, front, stopped_by, signals })
}

fn manner(args: &Query, scene: &Scene) -> Manner {
    Manner {
        json: args.manner.format.is_json(),
        reasoning: scene.resolved.settings.ui.reasoning == Visibility::Show,
        data: scene.model.setup.schema.is_some(),
    }
}

fn channels<'a>(env: &'a Env, output: &Output, args: &Query) -> io::Result<Channels<'a>> {
    let is_text = !args.manner.format.is_json();
    let format = match is_text && output.is_for_a_screen() {
        true => AnswerFormat::Screen,
        false => AnswerFormat::Verbatim,
    };
    let chrome = if args.manner.quiet { Chrome::Quiet } else { Chrome::Full };
    Channels::of_process(env, format, output.style(), chrome)
}

/// The log, where there is one.
fn trace(env: &Env, args: &Query, scene: &Scene) -> Option<Trace> {
    let workspace = scene.target.workspace().filter(|_| !args.no_persist)?;
    let mut trace = Trace::open(env, &Workspace::state_dir(workspace).ok()?)?;
    trace.note(&format!("query to {}", scene.model.setup.model));
    Some(trace)
}
