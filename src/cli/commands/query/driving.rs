//! The drive: a turn from its first input to its end, with everybody who has a part in it.

use std::sync::{Arc, Mutex};

use super::{
    asker::Asker,
    beginning::Beginning,
    front::{Front, Manner},
    listening::{Listener, StoppedBy},
    naming::Naming,
    reading::Asked,
    scene::Scene,
    trace::Trace,
};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    config::Visibility,
    env::Env,
    model::{ConversationId, Usage},
    turn::{self, DriveError, Ending, Inbox, Turn},
    ui::{AnswerFormat, Channels, Chrome, Presses},
    workspace::{Workspace, WriteFailure},
};

/// What came of a turn.
pub struct Driven {
    /// How it ended, or why it could not go on.
    pub ending: Result<Ending, DriveError<WriteFailure>>,
    /// The conversation that it is kept in.
    pub id: Option<ConversationId>,
    /// What it has cost.
    pub usage: Option<Usage>,
    /// What the user should hear about.
    pub notes: Vec<String>,
    /// A reply that was typed too late to be sent.
    pub unsent: Option<String>,
    /// Whether somebody read it to the end.
    pub is_read: bool,
    /// What stopped it.
    pub stopped_by: StoppedBy,
}

/// Drives a turn.
pub fn drive(
    env: &Env,
    output: &Output,
    args: &Query,
    scene: &mut Scene,
    asked: &Asked,
    beginning: Beginning,
) -> Result<Driven, CommandError> {
    let setup = scene.model.setup.clone();
    let inbox = Inbox::new();
    let presses = Arc::new(Mutex::new(Presses::new(scene.interactive)));
    let asker = scene.interactive.then(|| Asker::start(env, presses.clone())).transpose()?;
    let manner = manner(args, scene);
    let trace = trace(env, args, scene);
    let channels = channels(env, output, args);
    let mut front = Front::new(channels, asker, setup.model.to_string(), manner, trace);
    let naming = Naming::of(env, args, asked, scene);
    let turn = Turn::new(setup, std::mem::take(&mut scene.entries));
    let mut keeper = scene.target.keeper(args, beginning.meta, &scene.resolved)?;
    let stopped_by = StoppedBy::default();
    let listener = Listener {
        post: inbox.post(),
        presses,
        asker: front.asker(),
        running: scene.running.clone(),
        stopped_by: stopped_by.clone(),
    };
    let signals = listener.listen();
    let (provider, now) = (&scene.model.provider, || env.now());
    let ending = turn::drive(turn, beginning.first, provider, &mut keeper, &mut front, inbox, &now);
    let is_read = front.is_open();
    // What still runs after a failure has nobody to run for.
    scene.running.kill_all();
    let (usage, unsent) = front.finish();
    drop(signals);
    if let Some(title) = naming.and_then(Naming::end) {
        keeper.name(&title);
    }
    if ending.is_ok() {
        keeper.tidy();
    }
    let (id, notes) = (keeper.id(), keeper.take_notes());
    Ok(Driven { ending, id, usage, notes, unsent, is_read, stopped_by })
}

fn manner(args: &Query, scene: &Scene) -> Manner {
    Manner {
        json: args.format.is_json(),
        reasoning: scene.resolved.settings.ui.reasoning == Visibility::Show,
        data: scene.model.setup.schema.is_some(),
    }
}

fn channels<'a>(env: &'a Env, output: &Output, args: &Query) -> Channels<'a> {
    let is_text = !args.format.is_json();
    let format = match is_text && output.is_for_a_screen() {
        true => AnswerFormat::Screen,
        false => AnswerFormat::Verbatim,
    };
    let chrome = if args.quiet { Chrome::Quiet } else { Chrome::Full };
    Channels::of_process(env, format, output.style(), chrome)
}

/// The log, where there is one.
fn trace(env: &Env, args: &Query, scene: &Scene) -> Option<Trace> {
    let workspace = scene.target.workspace().filter(|_| !args.no_persist)?;
    let mut trace = Trace::open(env, &Workspace::state_dir(workspace).ok()?)?;
    trace.note(&format!("query to {}", scene.model.setup.model));
    Some(trace)
}
