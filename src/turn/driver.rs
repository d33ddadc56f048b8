//! Carries out what a turn wants: a thread for each thing that takes long, and one loop.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, mpsc::RecvTimeoutError},
    thread,
    time::Duration,
};

use super::{
    Closed, Effect, Ending, FrontEnd, Inbox, Input, Interrupt, Notice, Sink, Turn, ends::Letter,
};
use crate::{
    cancel::Cancel,
    model::{Event, Timestamp, ToolName},
    provider::{Piece, Provider, ProviderError, Trouble},
    tool::{Host, Invocation, Outcome},
};

/// How long a complete block waits for the next piece.
const MOMENT: Duration = Duration::from_millis(50);

/// How often the front end hears that time passes.
const TICK: Duration = Duration::from_millis(100);

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
    inbox: Inbox,
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
        rest: None,
        is_quiet: false,
        is_closed: false,
    };
    let driven = driver.run(turn, first, now);
    // Whatever still runs has nobody to run for.
    driver.cancel_query.cancel();
    driver.cancel_tools.cancel();
    driven
}

struct Driver<'a, S> {
    provider: &'a Arc<dyn Provider>,
    sink: &'a mut S,
    front_end: &'a mut dyn FrontEnd,
    inbox: Inbox,
    /// The number of the query whose pieces count.
    query: u64,
    cancel_query: Cancel,
    cancel_tools: Cancel,
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
                None => self.wait(),
            };
            let effects;
            (turn, effects) = turn.step(input, now());
            let was_closed = self.is_closed;
            if let Some(ending) = self.carry_out(&turn, effects)? {
                return Ok(ending);
            }
            if self.is_closed && !was_closed {
                next = Some(Input::Interrupt(Interrupt::Stop));
            }
        }
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
                Ok(Letter { input, .. }) => {
                    self.is_quiet = false;
                    if matches!(input, Input::Interrupt(_)) {
                        self.rest = None;
                    }
                    return input;
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.front_end.tick();
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
        let mut events = Vec::new();
        for effect in effects {
            if let Effect::Commit(event) = effect {
                // What comes together becomes durable together.
                events.push(event);
                continue;
            }
            // A part of an answer is shown at once; everything else comes after what was before it.
            if !matches!(effect, Effect::Show(Notice::Text(_) | Notice::Reasoning(_))) {
                self.commit(&mut events)?;
            }
            match effect {
                Effect::Commit(_) => {}
                Effect::Seal { answer, finish, usage } => {
                    self.sink.seal(&answer, &finish, &usage).map_err(DriveError::Sink)?;
                }
                Effect::Query => self.ask(turn)?,
                Effect::CancelQuery => {
                    self.cancel_query.cancel();
                    self.query += 1;
                }
                Effect::Run { tool, invocation } => self.run_tool(turn, &tool, invocation)?,
                Effect::CancelTools => self.cancel_tools.cancel(),
                Effect::Ask { inquiry, call } => {
                    self.front_end.ask(&inquiry, &call, &self.inbox.post());
                }
                Effect::Withdraw(inquiry) => self.front_end.withdraw(&inquiry),
                Effect::Rest(rest) => self.rest = Some(rest),
                Effect::Show(notice) => self.show(&notice),
                Effect::End(ending) => return Ok(Some(ending)),
            }
        }
        self.commit(&mut events)?;
        Ok(None)
    }

    fn commit(&mut self, events: &mut Vec<Event>) -> Result<(), DriveError<S::Error>> {
        if events.is_empty() {
            return Ok(());
        }
        let events = std::mem::take(events);
        let addresses = self.sink.append(&events).map_err(DriveError::Sink)?;
        let addresses = addresses.into_iter().chain(std::iter::repeat(None));
        for (event, address) in events.into_iter().zip(addresses) {
            self.show(&Notice::Saved { address, event });
        }
        Ok(())
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
        let (number, query) = (self.query, turn.query());
        let (provider, cancel) = (self.provider.clone(), self.cancel_query.clone());
        let sender = self.inbox.sender.clone();
        self.spawn("query", move || {
            let send = |input| {
                // A turn that is over does not listen any more.
                let _over = sender.send(Letter { query: Some(number), input });
            };
            let mut hear = |piece: Piece| send(Input::Piece(piece));
            let mut answer = || provider.answer(&query, &cancel, &mut hear);
            let answered = catch_unwind(AssertUnwindSafe(&mut answer)).unwrap_or_else(|_panic| {
                let message = "the provider failed inside jp: this is a defect";
                Err(ProviderError::new(Trouble::Refused, message))
            });
            send(Input::Over(answered));
        })
    }

    fn run_tool(
        &mut self,
        turn: &Turn,
        name: &ToolName,
        invocation: Invocation,
    ) -> Result<(), DriveError<S::Error>> {
        let sender = self.inbox.sender.clone();
        let call = invocation.id.clone();
        let send = move |outcome| {
            let _over =
                sender.send(Letter { query: None, input: Input::ToolEnded { call, outcome } });
        };
        if self.cancel_tools.is_cancelled() {
            self.cancel_tools = Cancel::new();
        }
        let Some(tool) = turn.setup().tools.find(name).map(|listed| listed.tool.clone()) else {
            send(Outcome::Error("There is no such tool.".into()));
            return Ok(());
        };
        let cancel = self.cancel_tools.clone();
        self.spawn("tool", move || {
            let run = || tool.run(&invocation, &Host::alone(&cancel));
            let outcome = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_panic| {
                Outcome::Error("The tool failed inside jp; what it did is not known.".into())
            });
            send(outcome);
        })
    }

    fn spawn(
        &self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), DriveError<S::Error>> {
        let thread = thread::Builder::new().name(name.to_owned());
        thread.spawn(work).map(drop).map_err(DriveError::Thread)
    }
}
