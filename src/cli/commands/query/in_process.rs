//! A turn that is driven by the process that shows it.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    super::{Outcome, servers::Fleet},
    asker::Asker,
    beginning::Beginning,
    caption::{self, Caption},
    closing::close,
    driving::{Company, Driven, drive},
    ending::{Left, Words, tell},
    follow_up::Waiting,
    front::{Front, Manner, channels},
    listening::{Listener, StoppedBy},
    reading::Asked,
    scene::Scene,
};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    env::Env,
    turn::Inbox,
    ui::{Presses, Signals},
};

/// A turn that is over, with what was shown of it.
pub struct Shown<'a> {
    /// What came of it.
    pub driven: Driven,
    front: Front<'a>,
    stopped_by: StoppedBy,
    signals: Option<Signals>,
}

/// Drives a turn, and shows it.
pub fn drive_here<'a>(
    env: &'a Env,
    output: &Output,
    args: &Query,
    scene: &mut Scene,
    asked: &Asked,
    beginning: Beginning,
    mut fleet: Fleet,
) -> Result<Shown<'a>, CommandError> {
    let inbox = Inbox::new();
    let presses = Arc::new(Mutex::new(Presses::new(scene.interactive)));
    let state = scene.state_dir(env)?;
    let start = || Asker::start(env, state, presses.clone(), None);
    let asker = scene.interactive.then(start).transpose()?;
    let caption = caption::is_wanted(args, scene).then(|| Caption::of(scene, &beginning.meta));
    let teller = caption.as_ref().map(Caption::teller);
    let model = scene.model.setup.model.to_string();
    let words = Words::of(args);
    let front = Front::new(channels(env, output, words)?, asker, model, Manner::of(args, scene));
    let mut front = front.with_caption(caption);
    let stopped_by = StoppedBy::default();
    let listener = Listener {
        post: inbox.post(),
        presses: presses.clone(),
        asker: front.asker(),
        running: scene.running.clone(),
        stopped_by: stopped_by.clone(),
        leave: None,
        has_begun_it: true,
    };
    fleet.leave_signals();
    let signals = listener.listen();
    let audience = scene.model.setup.audience;
    let company = Company { stage: &mut front, inbox, audience, teller };
    let driven = drive(env, args, scene, asked, beginning, fleet, company);
    // There is nothing left to ask about.
    presses.lock().unwrap_or_else(PoisonError::into_inner).stop();
    Ok(Shown { driven: driven?, front, stopped_by, signals })
}

impl Shown<'_> {
    /// What waits in the conversation.
    pub fn waiting(&self, scene: &Scene) -> Waiting {
        Waiting::after(scene, &self.driven, self.stopped_by.code().is_some())
    }

    /// Tells how it ended.
    pub fn tell(
        self,
        output: &mut Output,
        args: &Query,
        scene: &Scene,
        asked: &mut Asked,
        waiting: &Waiting,
    ) -> Outcome {
        let Self { driven, front, stopped_by, signals } = self;
        let closing = close(scene, asked, driven, waiting);
        let left = Left { front, code: stopped_by.code(), signals };
        let told = tell(output, Words::of(args), &closing, left);
        if told.is_ok() {
            asked.sent();
        }
        told
    }
}
