//! The turn as a state machine.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Effect, Ending, Input, Interrupt, Notice, Resumption, Setup,
    answering::{Answering, Concluded},
    backoff::rest_after,
    call::Context,
    calls::{Calls, Then},
    outbox::Outbox,
    record::Record,
    standing::Standing,
};
use crate::{
    model::{Entry, Event, EventKind, Finish, Grant, Request, Timestamp, Usage},
    provider::{ProviderError, Query},
    tool::Audience,
};

/// A turn, as far as it has come.
pub struct Turn {
    setup: Setup,
    outbox: Outbox,
    phase: Phase,
    /// Failures of the model since it last said something complete.
    failures: u32,
    /// Answers that called for tools, since the user last said something.
    rounds: u32,
    /// What the user has allowed for the whole conversation.
    granted: BTreeSet<Grant>,
    usage: Usage,
}

enum Phase {
    /// Nothing has been asked yet.
    Ready,
    /// The model answers.
    Answering(Box<Answering>),
    /// The model is left alone for a while.
    Resting,
    /// Tools run, or wait for somebody to allow it.
    Calling(Calls),
    /// It is over.
    Over,
}

impl Turn {
    /// A turn at the end of a conversation.
    pub fn new(setup: Setup, before: impl IntoIterator<Item = Entry>) -> Self {
        let granted = setup.granted.clone();
        Self {
            setup,
            outbox: Outbox::new(Record::new(before)),
            phase: Phase::Ready,
            failures: 0,
            rounds: 0,
            granted,
            usage: Usage::default(),
        }
    }

    /// What was settled before.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// What was said so far.
    #[cfg(test)]
    pub(super) fn entries(&self) -> &[Entry] {
        self.outbox.record.entries()
    }

    /// What the model is asked now.
    pub fn query(&self) -> Query {
        Query {
            model: self.setup.model.to_string(),
            messages: self.outbox.record.messages(self.setup.system_prompt.as_deref()),
            tools: self.setup.specs(),
            schema: self.setup.schema.as_ref().map(|schema| schema.value.clone()),
            sampling: self.setup.sampling,
            takes: self.setup.takes,
        }
    }

    /// Takes an input, and says what is to be done.
    #[must_use = "the effects have to be carried out"]
    pub fn step(mut self, input: Input, now: Timestamp) -> (Self, Vec<Effect>) {
        self.take(input, now);
        let effects = self.outbox.take();
        (self, effects)
    }

    fn take(&mut self, input: Input, now: Timestamp) {
        let input = match input {
            Input::Audience(audience) => {
                self.setup.audience = audience;
                input
            }
            // Whatever is going on: what is queued is asked afterwards.
            Input::FollowUp { from, follow_up } => {
                return self.outbox.push(Effect::Queue { from, follow_up: *follow_up });
            }
            input => input,
        };
        let phase = std::mem::replace(&mut self.phase, Phase::Over);
        self.phase = match (phase, input) {
            (Phase::Ready, Input::Begin(events)) => {
                for event in events {
                    self.outbox.commit(event);
                }
                self.ask_model()
            }
            (Phase::Ready, Input::Resume(resumption)) => self.go_on(resumption, now),
            (Phase::Answering(answering), input) => self.hear(answering, input, now),
            (Phase::Resting, Input::Rested) => self.ask_model(),
            (Phase::Resting, Input::Interrupt(interrupt)) => self.go_on_after(interrupt, now),
            (Phase::Calling(calls), input) => self.call(calls, input, now),
            // Nobody who could be asked is there any more.
            (phase, Input::ToolAsked { ticket, .. }) => {
                self.outbox.push(Effect::Answer { ticket, answer: None });
                phase
            }
            (phase, _) => phase,
        };
    }

    /// What the model said, while it answers.
    fn hear(&mut self, mut answering: Box<Answering>, input: Input, now: Timestamp) -> Phase {
        match input {
            Input::Piece(piece) => {
                answering.hear(piece, now, &mut self.outbox);
            }
            Input::Quiet => answering.release(&mut self.outbox),
            Input::Over(Ok(())) => {
                let concluded =
                    answering.conclude(self.setup.schema.as_ref(), now, &mut self.outbox);
                return self.after_answer(concluded, now);
            }
            Input::Over(Err(error)) => {
                let discards = answering.break_off(now, &mut self.outbox);
                self.usage = self.usage.plus(answering.usage());
                return self.after_failure(error, discards);
            }
            Input::Interrupt(interrupt) => {
                self.outbox.push(Effect::CancelQuery);
                match interrupt {
                    Interrupt::Abort => answering.release(&mut self.outbox),
                    Interrupt::Stop | Interrupt::Reply(_) => answering.cut(now, &mut self.outbox),
                    // Nobody wanted it to end: it is asked for anew.
                    Interrupt::HangUp => {
                        let _parts = answering.break_off(now, &mut self.outbox);
                    }
                }
                self.usage = self.usage.plus(answering.usage());
                return self.go_on_after(interrupt, now);
            }
            Input::Begin(_)
            | Input::Resume(_)
            | Input::Rested
            | Input::Inspected { .. }
            | Input::ToolEnded { .. }
            | Input::Progress { .. }
            | Input::Consulted { .. }
            | Input::Audience(_)
            | Input::FollowUp { .. }
            | Input::Replied { .. } => {}
            Input::ToolAsked { ticket, .. } => {
                self.outbox.push(Effect::Answer { ticket, answer: None });
            }
        }
        Phase::Answering(answering)
    }

    fn after_answer(&mut self, concluded: Concluded, now: Timestamp) -> Phase {
        self.failures = 0;
        self.usage = self.usage.plus(concluded.usage);
        if let Some(problem) = concluded.not_the_data {
            return self.end(Ending::NotTheData(problem));
        }
        if self.outbox.record.progress().pending_calls().is_empty() {
            return self.end(Ending::Complete(concluded.finish));
        }
        self.begin_calls(Then::AskModel, now)
    }

    fn after_failure(&mut self, error: ProviderError, discards: bool) -> Phase {
        self.failures += 1;
        match rest_after(&error, self.failures, self.setup.retries) {
            Some(delay) => {
                self.outbox.show(Notice::Retrying { error, delay, discards });
                self.outbox.push(Effect::Rest(delay));
                Phase::Resting
            }
            None => self.end(Ending::Failed(error)),
        }
    }

    /// Goes on with what is missing from the last turn.
    fn go_on(&mut self, resumption: Resumption, now: Timestamp) -> Phase {
        let Resumption { changes, decisions, replies, verdicts } = resumption;
        let progress = self.outbox.record.progress();
        let is_asked_anew = progress.is_asked_anew();
        let is_over = !progress.is_incomplete();
        let pending = if is_asked_anew { Vec::new() } else { self.outbox.record.pending_calls() };
        let unsure = pending.iter().filter(|standing| {
            standing.is_unsure_for(&self.setup.tools) && !decisions.contains_key(&standing.made.id)
        });
        let unsure: Vec<_> = unsure.map(Standing::unknown).collect();
        if !unsure.is_empty() {
            return self.end(Ending::Unsure(unsure));
        }
        for change in changes {
            self.outbox.commit(change);
        }
        if is_over {
            return self.end(Ending::Complete(Finish::Stop));
        }
        if pending.is_empty() {
            return self.ask_model();
        }
        let context = Context { setup: &self.setup, granted: &self.granted, now };
        let first = self.outbox.record.next_question();
        let mut calls = Calls::waiting(pending, &verdicts, first, Then::AskModel);
        calls.decide(decisions, &context, &mut self.outbox);
        calls.consider(replies, &context, &mut self.outbox);
        self.after_calls(calls, now)
    }

    /// Does what the user wants instead; what came has been kept or dropped already.
    fn go_on_after(&mut self, interrupt: Interrupt, now: Timestamp) -> Phase {
        let then = Then::from(interrupt);
        if self.outbox.record.progress().pending_calls().is_empty() {
            return self.then(then, now);
        }
        self.begin_calls(then, now)
    }

    fn begin_calls(&mut self, then: Then, now: Timestamp) -> Phase {
        let context = Context { setup: &self.setup, granted: &self.granted, now };
        let pending = self.outbox.record.pending_calls();
        let first = self.outbox.record.next_question();
        let mut calls = Calls::waiting(pending, &[], first, then);
        calls.consider(BTreeMap::new(), &context, &mut self.outbox);
        self.after_calls(calls, now)
    }

    fn call(&mut self, mut calls: Calls, input: Input, now: Timestamp) -> Phase {
        let context = Context { setup: &self.setup, granted: &self.granted, now };
        match input {
            Input::ToolEnded { call, outcome } => {
                calls.ended(&call, outcome, &context, &mut self.outbox);
            }
            Input::Replied { inquiry, reply } => {
                let granted = calls.replied(&inquiry, reply, &context, &mut self.outbox);
                self.granted.extend(granted);
            }
            Input::Inspected { call, subject, preview } => {
                let granted = calls.inspected(&call, subject, preview, &context, &mut self.outbox);
                self.granted.extend(granted);
            }
            Input::ToolAsked { call, ticket, question } => {
                calls.asked(&call, question, ticket, &context, &mut self.outbox);
            }
            Input::Progress { call, text } => {
                calls.progressed(&call, text, &mut self.outbox);
            }
            Input::Consulted { inquiry, said } => {
                calls.consulted(&inquiry, said.as_deref(), &context, &mut self.outbox);
            }
            Input::Audience(Audience::Nobody) => calls.give_up(&context, &mut self.outbox),
            Input::Interrupt(interrupt) => {
                calls.stop(Then::from(interrupt), &context, &mut self.outbox);
            }
            Input::Begin(_)
            | Input::Resume(_)
            | Input::Piece(_)
            | Input::Quiet
            | Input::Over(_)
            | Input::Audience(_)
            | Input::FollowUp { .. }
            | Input::Rested => {}
        }
        self.after_calls(calls, now)
    }

    fn after_calls(&mut self, calls: Calls, now: Timestamp) -> Phase {
        match calls.over() {
            Ok(then) => self.then(then, now),
            Err(calls) => Phase::Calling(calls),
        }
    }

    fn then(&mut self, then: Then, now: Timestamp) -> Phase {
        match then {
            Then::AskModel => {
                self.rounds += 1;
                match self.setup.rounds {
                    Some(most) if self.rounds >= most => self.end(Ending::TooManyRounds(most)),
                    _ => self.ask_model(),
                }
            }
            Then::Wait(tool) => self.end(Ending::Waiting(tool)),
            Then::Stop | Then::Leave => self.end(Ending::Stopped),
            Then::Abort => self.end(Ending::Aborted),
            Then::Say(text) => {
                let request = Request { content: text.into(), interrupts: true };
                self.outbox.commit(Event::new(now, EventKind::Request(request)));
                (self.failures, self.rounds) = (0, 0);
                self.ask_model()
            }
        }
    }

    /// Asks the model, as if it had not begun to answer before.
    fn ask_model(&mut self) -> Phase {
        if let Some(answer) = self.outbox.record.progress().open_answer() {
            let answer = answer.clone();
            self.outbox.retract(answer);
        }
        self.outbox.show(Notice::Waiting);
        self.outbox.push(Effect::Query);
        let (id, model) = (self.outbox.record.next_answer(), self.setup.model.clone());
        Phase::Answering(Box::new(Answering::new(id, model)))
    }

    fn end(&mut self, ending: Ending) -> Phase {
        self.outbox.show(Notice::Usage(self.usage));
        self.outbox.push(Effect::End(ending));
        Phase::Over
    }
}
