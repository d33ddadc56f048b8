//! A turn that is driven for others: this process leaves the terminal, and whoever shows the turn,
//! answers or stops it is a client that comes and goes.

use std::{
    mem,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::{
    super::{BY_SIGNAL, servers::Fleet},
    beginning::Beginning,
    caption::{self, Caption, News, Teller},
    closing::{close, failing, word},
    door::Door,
    driving::{Company, Stage, drive},
    follow_up::{Next, Waiting},
    front::Manner,
    listening::StoppedBy,
    notifying::Notifier,
    reading::Asked,
    resuming::has_question,
    scene::Scene,
};
use crate::{
    cli::{args::Query, error::CommandError},
    config::Timeout,
    env::Env,
    model::{Finish, Timestamp},
    process::{self, Inherited, Running},
    serve::{Closing, Hub, Tip, Welcome, Wiring, place},
    turn::{Ask, Ending, Inbox, Interrupt},
    ui::{Signal, Signals},
    workspace::Workspace,
};

/// How long to wait for somebody who answers, unless the settings say something else.
const PATIENCE: Duration = Duration::from_secs(600);

/// The process around the turns of a query.
pub struct Server {
    /// Where the client waits that began the query.
    rendezvous: PathBuf,
    /// What whoever began the query may wait for, until nothing is read from there any more.
    inherited: Inherited,
    house: Option<House>,
}

/// Where clients are, once there is a turn to be shown.
struct House {
    hub: Hub,
    door: Arc<Mutex<Door>>,
    notifier: Option<Notifier>,
    /// The programs that tools run, in the turn under way.
    running: Arc<Mutex<Running>>,
    stopped_by: StoppedBy,
    /// Heard as long as the process lives, also between two turns.
    _signals: Option<Signals>,
}

impl Server {
    /// A server for the client that waits there.
    pub fn new(rendezvous: PathBuf, inherited: Inherited) -> Self {
        Self { rendezvous, inherited, house: None }
    }

    /// Whether clients hear what is said, and not the terminal.
    pub fn has_begun(&self) -> bool {
        self.house.is_some()
    }

    /// Says things to the clients.
    pub fn voice(&self) -> impl Fn(&str) + use<> {
        let hub = self.house.as_ref().map(|house| house.hub.clone());
        move |text| hub.iter().for_each(|hub| hub.say(text))
    }

    /// Drives a turn, and tells the clients how it ended.
    pub fn drive(
        &mut self,
        env: &Env,
        args: &Query,
        scene: &mut Scene,
        asked: &mut Asked,
        beginning: Beginning,
        mut fleet: Fleet,
    ) -> Result<Next, CommandError> {
        let asks_next = scene.asks_next();
        if !asks_next {
            mem::take(&mut self.inherited).close();
        }
        let about = about(env, args, scene, &beginning)?;
        let house = match self.house.take() {
            Some(house) => {
                house.hub.go_on(about);
                self.house.insert(house)
            }
            None => {
                let house = House::open(env, args, &self.rendezvous, about, scene)?;
                self.house.insert(house)
            }
        };
        let inbox = Inbox::new();
        let audience = house.hub.begin(inbox.post());
        fleet.leave_signals();
        *house.running.lock().unwrap_or_else(PoisonError::into_inner) = scene.running.clone();
        let teller = Some(house.teller(env));
        let mut stage = house.hub.clone();
        let company = Company { stage: &mut stage, inbox, audience, teller };
        let mut driven = drive(env, args, scene, asked, beginning, fleet, company)?;
        let is_stopped = house.code().is_some() || house.hub.is_interrupted();
        let waiting = Waiting::after(scene, &driven, is_stopped);
        let next = Next::after(&mut driven, asks_next, &waiting);
        let guard = driven.guard.take();
        let mut closing = close(scene, asked, driven, &waiting);
        closing.goes_on = !matches!(next, Next::Nothing);
        if let Some(code) = house.code().filter(|_| closing.ending == "stopped") {
            closing.code = code;
        }
        if !closing.goes_on {
            house.door().close();
        }
        // Whoever gets the lock next finds nobody who serves the conversation.
        drop(guard);
        house.end(closing);
        Ok(next)
    }

    /// Tells the clients of something that failed between two turns.
    pub fn fail(&self, error: &CommandError) {
        if let Some(house) = &self.house {
            house.end_between(|closing| failing(closing, error));
        }
    }

    /// Tells the clients that no other turn follows, if they were told that one does: what was to be
    /// asked may have been taken away meanwhile.
    pub fn finish(&self, code: u8) {
        if let Some(house) = self.house.as_ref().filter(|house| !house.hub.is_over()) {
            house.end_between(|closing| {
                let ending = word(&Ending::Complete(Finish::Stop)).to_owned();
                Closing { ending, code, is_answered: true, ..closing }
            });
        }
    }

    /// Lets the clients read what was said last.
    pub fn close(&self) {
        if let Some(house) = &self.house {
            house.door().close();
            house.hub.close();
        }
    }
}

impl House {
    /// Meets the client that began the query, and leaves the terminal to it.
    fn open(
        env: &Env,
        args: &Query,
        rendezvous: &std::path::Path,
        about: Welcome,
        scene: &Scene,
    ) -> Result<Self, CommandError> {
        let detached = &scene.resolved.settings.detached;
        let gone = |error: &dyn std::fmt::Display| {
            CommandError::failure(format!("whoever began this query is gone: {error}"))
        };
        let stream = place::connect(rendezvous).map_err(|error| gone(&error))?;
        let door = Arc::new(Mutex::new(Door::default()));
        let notifier = Notifier::of(env, detached);
        let wiring = Wiring {
            tip: tip(env, door.clone()),
            waits: waits(notifier.clone(), door.clone()),
            now: now(env),
            patience: detached.patience.map_or(PATIENCE, Timeout::duration),
            asks_nobody: args.manner.non_interactive,
        };
        let hub = Hub::new(about, wiring).map_err(CommandError::failure)?;
        let (running, stopped_by) = (Arc::default(), StoppedBy::default());
        let signals = listen(hub.clone(), Arc::clone(&running), stopped_by.clone());
        let keeps_stdin = scene.asks_next() && has_question(args);
        // Whoever is told that it is there can do to its terminal what they like.
        process::leave_terminal(keeps_stdin).map_err(CommandError::failure)?;
        // From here on its word counts, or that it leaves without one.
        process::end_with_parent(false);
        hub.take_first(stream).map_err(|error| gone(&error))?;
        Ok(Self { hub, door, notifier, running, stopped_by, _signals: signals })
    }

    /// The exit code that tells what ended the query before its time.
    fn code(&self) -> Option<u8> {
        let hung_up = || BY_SIGNAL + Signal::Terminate.number();
        self.stopped_by.code().or_else(|| self.hub.is_hung_up().then(hung_up))
    }

    fn door(&self) -> std::sync::MutexGuard<'_, Door> {
        self.door.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The query is over between two turns.
    fn end_between(&self, how: impl FnOnce(Closing) -> Closing) {
        let conversation = self.door().conversation().map(|id| id.to_string());
        self.door().close();
        self.end(how(Closing { conversation, ..Closing::default() }));
    }

    /// Tells the clients that a turn is over, and lets the user know if nobody is there.
    fn end(&self, closing: Closing) {
        let is_last = !closing.goes_on && !self.hub.is_attended();
        let conversation = closing.conversation.clone().filter(|_| is_last);
        let ending = match closing.ending.as_str() {
            "" => "failed".to_owned(),
            ending => ending.to_owned(),
        };
        self.hub.end(closing);
        if let (Some(notifier), Some(id)) = (&self.notifier, conversation) {
            notifier.over(&id, &ending);
        }
    }

    /// Tells clients what is new, and lets others in as soon as there is a conversation.
    fn teller(&self, env: &Env) -> Teller {
        let (hub, door, env) = (self.hub.clone(), self.door.clone(), env.clone());
        Teller::to(move |news| match news {
            News::Begun(id) => {
                let opened = {
                    let mut door = door.lock().unwrap_or_else(PoisonError::into_inner);
                    door.open(&env, id, &hub)
                };
                if let Err(error) = opened {
                    hub.say(&format!("warning: nobody can attach to this query: {error}"));
                }
                hub.begun(&id.to_string());
            }
            News::Named(title) => hub.named(&title),
        })
    }
}

/// What a client that comes has to know.
fn about(
    env: &Env,
    args: &Query,
    scene: &Scene,
    beginning: &Beginning,
) -> Result<Welcome, CommandError> {
    let manner = Manner::of(args, scene);
    let caption = Caption::of(scene, &beginning.meta);
    Ok(Welcome {
        conversation: scene.target.id().map(|id| id.to_string()),
        title: caption.title().map(str::to_owned),
        model: scene.model.setup.model.to_string(),
        follows: args.follow_up,
        data: manner.data,
        reasoning: manner.reasoning,
        sets_title: caption::is_wanted(args, scene),
        state: scene.state_dir(env)?.display().to_string(),
        ..Welcome::default()
    })
}

/// Finds the commit at which the conversation stands.
fn tip(env: &Env, door: Arc<Mutex<Door>>) -> Tip {
    let env = env.clone();
    Box::new(move || {
        let id = door.lock().unwrap_or_else(PoisonError::into_inner).conversation();
        let workspace = Workspace::open(&env).map_err(|error| error.to_string())?;
        let (Some(id), Some(workspace)) = (id, workspace) else { return Ok(None) };
        let handle = workspace.select(&id.to_string()).map_err(|error| error.to_string())?;
        Ok(Some(handle.commit().to_string()))
    })
}

fn now(env: &Env) -> Box<dyn Fn() -> Timestamp + Send> {
    let env = env.clone();
    Box::new(move || env.now())
}

/// Lets the user know that somebody has to answer.
fn waits(notifier: Option<Notifier>, door: Arc<Mutex<Door>>) -> Box<dyn FnMut(&Ask) + Send> {
    Box::new(move |ask| {
        let id = door.lock().unwrap_or_else(PoisonError::into_inner).conversation();
        if let (Some(notifier), Some(id)) = (&notifier, id) {
            let tool = ask.call.tool.as_str();
            notifier.waits(&id.to_string(), &ask.inquiry.id, Some(tool));
        }
    })
}

/// What signals do to a server: whoever wants it to end has it saved first.
fn listen(hub: Hub, running: Arc<Mutex<Running>>, stopped_by: StoppedBy) -> Option<Signals> {
    let heard = move |signal: Signal| match signal {
        // The terminal that it was started in is none of its business any more.
        Signal::Hangup | Signal::Suspend => {}
        Signal::Interrupt | Signal::Terminate if stopped_by.code().is_some() => {
            running.lock().unwrap_or_else(PoisonError::into_inner).kill_all();
            signal_hook::low_level::exit(i32::from(BY_SIGNAL + signal.number()));
        }
        Signal::Interrupt => {
            stopped_by.note(signal);
            hub.interrupt(Interrupt::Stop);
        }
        Signal::Terminate => {
            stopped_by.note(signal);
            hub.interrupt(Interrupt::HangUp);
        }
    };
    Signals::listen(heard).ok()
}

/// A turn that is shown to clients.
impl Stage for Hub {
    fn over(&mut self, inbox: &Inbox) {
        self.rest(inbox);
    }
}
