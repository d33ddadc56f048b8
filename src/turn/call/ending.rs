//! How a call ends: its result, what its tool asks before, and what takes its place.

use serde_json::Value;

use super::{Call, Context, LEFT_UNKNOWN, QUESTIONS, SKIPPED, STOPPED, State, next_inquiry};
use crate::{
    model::{
        Body, Event, EventKind, Timestamp, ToolResult, mark_delivered_edited, mark_given_by_user,
        mark_withheld,
    },
    tool::{self, Delivery, Refusal},
    turn::{
        Decision, Effect, Finished, Notice, Reply, Ticket,
        calls::Then,
        outbox::Outbox,
        prompt::{Prompt, respond},
    },
};

impl Call {
    /// Its tool has ended.
    pub(in crate::turn) fn ended(
        &mut self,
        outcome: tool::Outcome,
        then: &Then,
        question: &mut u64,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        self.withdraw(context.now, outbox);
        let finished = match outcome {
            tool::Outcome::Success(content) => Finished { is_error: false, content },
            tool::Outcome::Error(content) => Finished { is_error: true, content },
            tool::Outcome::NeedsInput(asked) if *then == Then::Leave => {
                return self.put_off(&Prompt::ToolQuestion(asked), question, context, outbox);
            }
            tool::Outcome::NeedsInput(_) if *then != Then::AskModel => {
                return self.end(true, STOPPED.into(), context.now, outbox);
            }
            tool::Outcome::NeedsInput(asked) => {
                return self.inquire(asked, question, context, outbox);
            }
        };
        match context.setup.terms(&self.made.tool).delivery {
            Delivery::Deliver => self.finish(finished, Told::Whole, context.now, outbox),
            Delivery::Skip => self.finish(finished, Told::Withheld, context.now, outbox),
            Delivery::Ask | Delivery::Edit if *then == Then::Leave => {
                self.put_off(&Prompt::DeliverResult(finished), question, context, outbox);
            }
            Delivery::Ask | Delivery::Edit if *then != Then::AskModel => {
                self.finish(finished, Told::Withheld, context.now, outbox);
            }
            Delivery::Ask | Delivery::Edit => {
                self.route(Prompt::DeliverResult(finished), None, question, context, outbox);
            }
        }
    }

    /// Puts down a prompt that nobody is there for any more.
    fn put_off(
        &mut self,
        prompt: &Prompt,
        question: &mut u64,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let exclusive = context.setup.terms(&self.made.tool).exclusive;
        let exclusive = exclusive.unwrap_or_else(|| prompt.is_exclusive());
        let id = next_inquiry(&self.made.id, question);
        let inquiry = prompt.inquiry(id, &self.made, exclusive);
        outbox.commit(prompt.event(inquiry, context.now));
        self.state = State::Left;
    }

    /// Its tool asks something while it runs.
    pub(in crate::turn) fn live_question(
        &mut self,
        asked: tool::Question,
        ticket: Ticket,
        question: &mut u64,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        self.asked += 1;
        if self.asked > QUESTIONS {
            return outbox.push(Effect::Answer { ticket, answer: None });
        }
        self.route(Prompt::LiveQuestion(asked, ticket), None, question, context, outbox);
    }

    /// Lets somebody answer what the tool wants to know before it is run again.
    pub(super) fn inquire(
        &mut self,
        asked: tool::Question,
        question: &mut u64,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        self.asked += 1;
        if self.asked > QUESTIONS {
            let problem = format!("It asked more than {QUESTIONS} questions.");
            return self.end(true, problem.into(), context.now, outbox);
        }
        self.route(Prompt::ToolQuestion(asked), None, question, context, outbox);
    }

    /// Nobody came who could decide about it: its question stays open, and what its tool asks while
    /// it runs has no answer.
    pub(in crate::turn) fn give_up(&mut self, now: Timestamp, outbox: &mut Outbox) {
        self.withdraw(now, outbox);
        self.state = match std::mem::replace(&mut self.state, State::Done) {
            State::Asking(inquiry, prompt) => {
                outbox.push(Effect::Withdraw(inquiry.id.clone()));
                State::Waiting(inquiry, prompt)
            }
            state => state,
        };
    }

    /// Lets it not begin any more. What runs is stopped by whoever calls this.
    pub(in crate::turn) fn stop(&mut self, then: &Then, now: Timestamp, outbox: &mut Outbox) {
        self.withdraw(now, outbox);
        match std::mem::replace(&mut self.state, State::Done) {
            State::New | State::Inspecting(None) if *then == Then::Leave => {
                self.state = State::Left;
            }
            State::Inspecting(Some(inquiry))
            | State::Asking(inquiry, _)
            | State::Waiting(inquiry, _)
                if *then == Then::Leave =>
            {
                outbox.push(Effect::Withdraw(inquiry.id));
                self.state = State::Left;
            }
            State::New | State::Inspecting(None) => self.refuse(STOPPED, now, outbox),
            State::Decided(finished, told) => {
                self.finish(finished, Told::if_told(told), now, outbox);
            }
            State::Inspecting(Some(inquiry)) => {
                outbox.commit(respond(&inquiry.id, &Reply::Cancelled, now));
                self.refuse(STOPPED, now, outbox);
            }
            // What waits for a later turn goes on waiting, unless the model is asked again now: it
            // has to hear of every call.
            State::Waiting(inquiry, prompt) if !matches!(then, Then::Say(_)) => {
                self.state = State::Waiting(inquiry, prompt);
            }
            State::Asking(inquiry, prompt) | State::Waiting(inquiry, prompt) => {
                outbox.commit(respond(&inquiry.id, &Reply::Cancelled, now));
                outbox.push(Effect::Withdraw(inquiry.id));
                match prompt {
                    Prompt::DeliverResult(finished) => {
                        self.finish(finished, Told::Withheld, now, outbox);
                    }
                    _ => self.refuse(STOPPED, now, outbox),
                }
            }
            state @ (State::Running(_) | State::Left | State::Done) => self.state = state,
        }
    }

    /// Somebody has decided what becomes of it, after it was interrupted.
    pub(in crate::turn) fn decide(
        &mut self,
        decision: Decision,
        now: Timestamp,
        outbox: &mut Outbox,
    ) {
        if decision == Decision::Again || matches!(self.state, State::Decided(..) | State::Done) {
            return;
        }
        if let State::Asking(inquiry, _) = std::mem::replace(&mut self.state, State::New) {
            outbox.commit(respond(&inquiry.id, &Reply::Cancelled, now));
        }
        match decision {
            Decision::Done(content) => {
                let finished = Finished { is_error: false, content };
                self.finish(finished, Told::ByUser, now, outbox);
            }
            _ if self.is_unsure => self.refuse(LEFT_UNKNOWN, now, outbox),
            _ => self.refuse(SKIPPED, now, outbox),
        }
    }

    /// Takes back what its tool has asked while it ran.
    pub(super) fn withdraw(&mut self, now: Timestamp, outbox: &mut Outbox) {
        let State::Running(live) = &mut self.state else { return };
        for (inquiry, prompt) in std::mem::take(live) {
            outbox.commit(respond(&inquiry.id, &Reply::Cancelled, now));
            outbox.push(Effect::Withdraw(inquiry.id));
            if let Prompt::LiveQuestion(_, ticket) = prompt {
                outbox.push(Effect::Answer { ticket, answer: None });
            }
        }
    }

    /// Gives it the result that the user said no.
    pub(super) fn decline(&mut self, reason: Option<String>, now: Timestamp, outbox: &mut Outbox) {
        let why = Refusal::Declined(reason).message(&self.made.tool);
        self.refuse(&why, now, outbox);
    }

    /// Gives it a result without running it.
    pub(super) fn refuse(&mut self, why: &str, now: Timestamp, outbox: &mut Outbox) {
        let finished = Finished { is_error: true, content: why.into() };
        self.finish(finished, Told::MadeUp, now, outbox);
    }

    /// Gives it the result that it has come to.
    pub(super) fn end(
        &mut self,
        is_error: bool,
        content: Body,
        now: Timestamp,
        outbox: &mut Outbox,
    ) {
        self.finish(Finished { is_error, content }, Told::Whole, now, outbox);
    }

    pub(super) fn finish(
        &mut self,
        finished: Finished,
        how: Told,
        now: Timestamp,
        outbox: &mut Outbox,
    ) {
        let Finished { is_error, content } = finished;
        let (id, tool) = (self.made.id.clone(), self.made.tool.clone());
        let text = content.to_text_lossy().into_owned();
        let result = ToolResult { id: id.clone(), tool: Some(tool.clone()), is_error, content };
        let mut event = Event::new(now, EventKind::ToolResult(result));
        match how {
            Told::Whole => {}
            Told::Withheld => mark_withheld(&mut event.metadata),
            Told::Edited => mark_delivered_edited(&mut event.metadata),
            Told::ByUser => mark_given_by_user(&mut event.metadata),
            Told::MadeUp => {
                event.metadata.insert("synthetic".to_owned(), Value::Bool(true));
            }
        }
        outbox.commit(event);
        outbox.show(Notice::ToolEnded { id, tool, is_error, content: text });
        self.state = State::Done;
    }
}

/// How a result is told to the model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// As the tool has come to it.
    Whole,
    /// Not at all.
    Withheld,
    /// As the user has edited it.
    Edited,
    /// As the user says that it was.
    ByUser,
    /// There was none: jp made it up, because the tool was not run.
    MadeUp,
}

impl Told {
    pub(super) fn if_told(told: bool) -> Self {
        if told { Self::Whole } else { Self::Withheld }
    }
}
