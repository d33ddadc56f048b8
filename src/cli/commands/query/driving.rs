//! The drive: a turn from its first input to its end, wherever it is shown.

use super::{
    super::servers::Fleet,
    beginning::{self, Beginning},
    caption::Teller,
    closing::word,
    naming::Naming,
    noting::{Log, Noted},
    reading::Asked,
    resuming::brief,
    room::Room,
    scene::Scene,
    trace::Trace,
};
use crate::{
    cli::{args::Query, error::CommandError},
    env::Env,
    model::{ConversationId, Usage},
    tool::Audience,
    turn::{self, DriveError, Ending, FrontEnd, Inbox, Input, Told, Turn},
    workspace::{Guard, WriteFailure},
};

/// Where a turn is shown.
pub trait Stage: FrontEnd {
    /// The turn is over; what still runs has been stopped, and this was said too late for it.
    fn over(&mut self, inbox: &Inbox);

    /// Something is new about the conversation.
    fn has_news(&mut self) {}
}

/// Who hears of a turn, and who speaks to it.
pub struct Company<'a> {
    /// Where it is shown.
    pub stage: &'a mut dyn Stage,
    /// Where what it is told comes in.
    pub inbox: Inbox,
    /// Who there is to be asked.
    pub audience: Audience,
    /// Who wants to know what is new about the conversation.
    pub teller: Option<Teller>,
}

/// What came of a turn.
pub struct Driven {
    /// How it ended, or why it could not go on.
    pub ending: Result<Ending, DriveError<WriteFailure>>,
    /// The conversation that it is kept in.
    pub id: Option<ConversationId>,
    /// The right to write it, which is kept from one turn to the next.
    pub guard: Option<Box<Guard>>,
    /// What is to be said about the room that is left.
    pub room: Room,
    /// Whether the next question can be asked.
    pub is_answered: bool,
    /// What the user should hear about.
    pub notes: Vec<String>,
    /// What it has cost.
    pub usage: Option<Usage>,
}

impl Driven {
    /// Whether nothing is missing of the turn.
    pub fn is_complete(&self) -> bool {
        matches!(self.ending, Ok(Ending::Complete(_)))
    }
}

/// Drives a turn. What was said may not be read yet when this returns; all else is done.
pub fn drive(
    env: &Env,
    args: &Query,
    scene: &mut Scene,
    asked: &Asked,
    beginning: Beginning,
    fleet: Fleet,
    company: Company<'_>,
) -> Result<Driven, CommandError> {
    let Company { stage, inbox, audience, teller } = company;
    let setup = turn::Setup { audience, ..scene.model.setup.clone() };
    let log = Log::of(Trace::of(env, args, scene));
    let teller = log.teller(teller);
    let naming = Naming::of(env, args, asked, scene, Some(teller.clone()));
    let keeper = scene.target.keeper(args, beginning.meta, &scene.resolved)?;
    let keeper = keeper.after(&scene.entries).telling(teller.clone());
    let is_on_disk = matches!(beginning.first, Input::Resume(_));
    let keeper = keeper.briefed(brief(&Told::of(&setup)));
    let mut keeper = keeper.taking(asked.queued()).having_begun(is_on_disk);
    let turn = Turn::new(setup, std::mem::take(&mut scene.entries));
    let (provider, now) = (&scene.model.provider, || env.now());
    let mut noted = Noted { front: stage, log, usage: None };
    let ending =
        turn::drive(turn, beginning.first, provider, &mut keeper, &mut noted, &inbox, &now);
    let Noted { front: stage, log, usage } = noted;
    fleet.servers.end();
    // What still runs after a failure has nobody to run for.
    scene.running.kill_all();
    stage.over(&inbox);
    log.note(&match &ending {
        Ok(ending) => format!("ended: {}", word(ending)),
        Err(error) => format!("ended: {error}"),
    });
    if let Some(title) = naming.and_then(Naming::end) {
        keeper.name(&title);
        teller.named(&title);
        stage.has_news();
    }
    let (id, notes) = (keeper.id(), keeper.take_notes());
    let is_answered = beginning::admits_request(keeper.progress());
    let guard = keeper.release();
    if matches!(&ending, Ok(ending) if !matches!(ending, Ending::Unsure(_))) {
        scene.typed_is_stored();
    }
    let room = match &ending {
        Ok(ending) => Room::after(env, scene, ending, usage.as_ref(), id),
        Err(_) => Room::default(),
    };
    Ok(Driven { ending, id, guard, room, is_answered, notes, usage })
}
