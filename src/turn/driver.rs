//! Carries out what a turn wants: one loop, and errands for what takes long.

use std::{
    sync::{Arc, mpsc::RecvTimeoutError},
    time::Duration,
};

use serde_json::Value;

use super::{
    Closed, Effect, Ending, FrontEnd, Inbox, Input, Interrupt, Notice, Sink, Turn, ends::Letter,
    errands, switchboard::Switchboard,
};
use crate::{
    cancel::Cancel,
    model::{CallId, Event, Timestamp, ToolName},
    provider::Provider,
    tool::Invocation,
};

/// How long a complete block waits for the next piece.
const MOMENT: Duration = Duration::from_millis(50);

/// How often the front end hears that time passes.
const TICK: Duration = Duration::from_millis(100);

/// How much is gathered before it is stored.
const MOST: usize = 256;

/// Why a turn could not go on.
#[derive(Debug, thiserror::Error)]
pub enum DriveError<E: std::error::Error> {
    /// An event could not be stored.
    #[error(transparent)]
    Sink(E),
    /// A thread could not be started.
    #[error("a thread cannot be started: {0}")]
    Thread(std::io::Error),
}

/// Drives a turn from its first input to its end.
pub fn drive<S: Sink>(
    turn: Turn,
    first: Input,
    provider: &Arc<dyn Provider>,
    sink: &mut S,
    front_end: &mut dyn FrontEnd,
    inbox: &Inbox,
    now: &dyn Fn() -> Timestamp,
) -> Result<Ending, DriveError<S::Error>> {
    let mut driver = Driver {
        provider,
        sink,
        front_end,
        inbox,
        query: 0,
        cancel_query: Cancel::new(),
        cancel_tools: Cancel::new(),
        switchboard: Switchboard::default(),
        rest: None,
        is_quiet: false,
        is_closed: false,
    };
    let driven = driver.run(turn, first, now);
    // Whatever still runs has nobody to run for.
    driver.cancel_query.cancel();
    driver.cancel_tools.cancel();
    driver.switchboard.close();
    driven
}

struct Driver<'a, S> {
    provider: &'a Arc<dyn Provider>,
    sink: &'a mut S,
    front_end: &'a mut dyn FrontEnd,
    inbox: &'a Inbox,
    /// The number of the query whose pieces count.
    query: u64,
    cancel_query: Cancel,
    cancel_tools: Cancel,
    switchboard: Switchboard,
    /// How long to wait before the next try.
    rest: Option<Duration>,
    /// The turn knows that nothing has come for a moment.
    is_quiet: bool,
    is_closed: bool,
}

impl<S: Sink> Driver<'_, S> {
    fn run(
        &mut self,
        mut turn: Turn,
        first: Input,
        now: &dyn Fn() -> Timestamp,
    ) -> Result<Ending, DriveError<S::Error>> {
        let mut next = Some(first);
        loop {
            let input = match next.take() {
                Some(input) => input,
                None => {
                    self.front_end.pause();
                    self.wait()
                }
            };
            // Results that are ready together become durable together.
            let gathers = matches!(input, Input::ToolEnded { .. } | Input::Inspected { .. });
            let mut effects;
            (turn, effects) = turn.step(input, now());
            while gathers && effects.iter().all(can_wait) && effects.len() < MOST {
                let Some(input) = self.ready() else { break };
                let more;
                (turn, more) = turn.step(input, now());
                effects.extend(more);
            }
            let was_closed = self.is_closed;
            if let Some(ending) = self.carry_out(&turn, effects)? {
                return Ok(ending);
            }
            if self.is_closed && !was_closed {
                next = Some(Input::Interrupt(Interrupt::Stop));
            }
        }
    }

    /// An input that is there already.
    fn ready(&mut self) -> Option<Input> {
        loop {
            match self.inbox.receiver.try_recv() {
                Ok(Letter { query: Some(query), .. }) if query != self.query => {}
                Ok(Letter { input, .. }) => return Some(self.came(input)),
                Err(_empty) => return None,
            }
        }
    }

    fn came(&mut self, input: Input) -> Input {
        self.is_quiet = false;
        if matches!(input, Input::Interrupt(_)) {
            self.rest = None;
        }
        input
    }

    /// The next input. Waits in short steps, so that time is seen to pass.
    fn wait(&mut self) -> Input {
        loop {
            let step = match self.rest {
                Some(rest) => rest.min(TICK),
                None if self.is_quiet => TICK,
                None => MOMENT,
            };
            match self.inbox.receiver.recv_timeout(step) {
                Ok(Letter { query: Some(query), .. }) if query != self.query => {}
                Ok(Letter { input, .. }) => return self.came(input),
                Err(RecvTimeoutError::Timeout) => {
                    self.front_end.pause();
                    if self.front_end.tick() == Err(Closed) && !self.is_closed {
                        self.is_closed = true;
                        return Input::Interrupt(Interrupt::Stop);
                    }
                    if let Some(rest) = &mut self.rest {
                        *rest = rest.saturating_sub(step);
                        if rest.is_zero() {
                            self.rest = None;
                            return Input::Rested;
                        }
                    } else if !self.is_quiet {
                        self.is_quiet = true;
                        return Input::Quiet;
                    }
                }
                // The inbox has a sender of its own, so this does not happen.
                Err(RecvTimeoutError::Disconnected) => return Input::Interrupt(Interrupt::Stop),
            }
        }
    }

    fn carry_out(
        &mut self,
        turn: &Turn,
        effects: Vec<Effect>,
    ) -> Result<Option<Ending>, DriveError<S::Error>> {
        let mut batch = Batch::default();
        for effect in effects {
            match effect {
                // What comes together becomes durable together.
                Effect::Commit(event) => batch.events.push(event),
                // Nothing runs before all that was decided with it is on disk.
                Effect::Run { tool, invocation } => batch.runs.push((tool, invocation)),
                // A part of an answer is shown at once; everything else when it has happened.
                Effect::Show(notice @ (Notice::Text(_) | Notice::Reasoning(_)))
                    if batch.notices.is_empty() =>
                {
                    self.show(&notice);
                }
                Effect::Show(notice) => batch.notices.push(notice),
                Effect::Inspect { tool, call, arguments } => {
                    self.inspect(turn, &tool, call, arguments)?;
                }
                effect => {
                    self.put_down(turn, &mut batch)?;
                    if let Some(ending) = self.act(turn, effect)? {
                        return Ok(Some(ending));
                    }
                }
            }
        }
        self.put_down(turn, &mut batch)?;
        Ok(None)
    }

    /// Stores what has gathered, says so, and runs what may run now.
    fn put_down(&mut self, turn: &Turn, batch: &mut Batch) -> Result<(), DriveError<S::Error>> {
        let Batch { events, notices, runs } = std::mem::take(batch);
        if !events.is_empty() {
            let addresses = self.sink.append(&events).map_err(DriveError::Sink)?;
            let addresses = addresses.into_iter().chain(std::iter::repeat(None));
            for (event, address) in events.into_iter().zip(addresses) {
                self.show(&Notice::Saved { address, event });
            }
        }
        for notice in &notices {
            self.show(notice);
        }
        for (tool, invocation) in runs {
            self.run_tool(turn, &tool, invocation)?;
        }
        Ok(())
    }

    /// Does anything that has to wait for what was to be stored before it.
    fn act(&mut self, turn: &Turn, effect: Effect) -> Result<Option<Ending>, DriveError<S::Error>> {
        match effect {
            // These can be gathered.
            Effect::Commit(_) | Effect::Run { .. } | Effect::Show(_) | Effect::Inspect { .. } => {}
            Effect::Seal { answer, finish, usage } => {
                self.sink.seal(&answer, &finish, &usage).map_err(DriveError::Sink)?;
                self.show(&Notice::Sealed);
            }
            Effect::Retract(answer) => {
                let addresses = self.sink.retract(&answer).map_err(DriveError::Sink)?;
                self.show(&Notice::Retracted(addresses));
            }
            Effect::Query => self.ask(turn)?,
            Effect::CancelQuery => {
                self.cancel_query.cancel();
                self.query += 1;
            }
            Effect::CancelTools => self.cancel_tools.cancel(),
            Effect::Ask(ask) => self.front_end.ask(&ask, &self.inbox.post()),
            Effect::Consult { inquiry, query } => {
                let (provider, cancel) = (self.provider.clone(), self.tools());
                let turn = self.inbox.sender.clone();
                errands::consult(provider, inquiry, query, cancel, turn)
                    .map_err(DriveError::Thread)?;
            }
            Effect::Answer { ticket, answer } => self.switchboard.answer(ticket, answer),
            Effect::Queue { from, follow_up } => {
                let filed = self.sink.queue(&follow_up);
                self.show(&Notice::Queued { from, filed });
            }
            Effect::Grant(grant) => self.sink.grant(&grant).map_err(DriveError::Sink)?,
            Effect::Withdraw(inquiry) => self.front_end.withdraw(&inquiry),
            Effect::Rest(rest) => self.rest = Some(rest),
            Effect::End(ending) => return Ok(Some(ending)),
        }
        Ok(None)
    }

    fn show(&mut self, notice: &Notice) {
        if self.is_closed {
            return;
        }
        if let Err(Closed) = self.front_end.show(notice) {
            self.is_closed = true;
        }
    }

    fn ask(&mut self, turn: &Turn) -> Result<(), DriveError<S::Error>> {
        self.query += 1;
        self.cancel_query = Cancel::new();
        let (provider, cancel) = (self.provider.clone(), self.cancel_query.clone());
        let sender = self.inbox.sender.clone();
        errands::ask(provider, self.query, turn.query(), cancel, sender).map_err(DriveError::Thread)
    }

    fn inspect(
        &mut self,
        turn: &Turn,
        name: &ToolName,
        call: CallId,
        arguments: Value,
    ) -> Result<(), DriveError<S::Error>> {
        // The turn knows its tools.
        let Some(listed) = turn.setup().tools.find(name) else { return Ok(()) };
        let (tool, sender) = (listed.tool.clone(), self.inbox.sender.clone());
        errands::inspect(tool, call, arguments, sender).map_err(DriveError::Thread)
    }

    fn run_tool(
        &mut self,
        turn: &Turn,
        name: &ToolName,
        invocation: Invocation,
    ) -> Result<(), DriveError<S::Error>> {
        let Some(listed) = turn.setup().tools.find(name) else { return Ok(()) };
        let sender = self.inbox.sender.clone();
        let line = self.switchboard.line(invocation.id.clone(), sender.clone());
        let (tool, cancel) = (listed.tool.clone(), self.tools());
        errands::run(tool, invocation, cancel, line, sender).map_err(DriveError::Thread)
    }

    /// What stops the tools that begin now.
    fn tools(&mut self) -> Cancel {
        if self.cancel_tools.is_cancelled() {
            self.cancel_tools = Cancel::new();
        }
        self.cancel_tools.clone()
    }
}

/// What is to be stored, said and run together.
#[derive(Default)]
struct Batch {
    events: Vec<Event>,
    notices: Vec<Notice>,
    runs: Vec<(ToolName, Invocation)>,
}

/// Whether something is to be done that more can be added to: what is stored, what is told, and
/// what runs after that.
fn can_wait(effect: &Effect) -> bool {
    matches!(effect, Effect::Commit(_) | Effect::Show(_) | Effect::Run { .. })
}
