//! The tools that an answer called for: allowed or refused, run side by side, each result stored
//! as it comes.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Decision, Effect, Interrupt, Notice, Reply,
    call::{Call, Context},
    outbox::Outbox,
    prompt::Ticket,
    standing::Standing,
};
use crate::{
    model::{CallId, Grant, InquiryId, ToolName, Verdict},
    tool::{self, Question, Subject},
};

/// The calls that have no result yet.
#[derive(Debug)]
pub struct Calls {
    calls: Vec<Call>,
    /// What calls are about that were looked at before those that come first.
    looked_at: Vec<Looked>,
    /// The number of the next question.
    question: u64,
    then: Then,
}

/// What a call is about.
#[derive(Debug)]
struct Looked {
    call: CallId,
    subject: Option<Subject>,
    preview: Option<String>,
}

/// What comes after the last result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Then {
    /// The model hears of the results.
    AskModel,
    /// Somebody has to decide about this tool first, and nobody is there.
    Wait(ToolName),
    /// The turn ends, and what came is kept.
    Stop,
    /// The turn ends.
    Abort,
    /// The turn ends, and what was not decided or made is left for later.
    Leave,
    /// The model hears this from the user.
    Say(String),
}

impl From<Interrupt> for Then {
    fn from(interrupt: Interrupt) -> Self {
        match interrupt {
            Interrupt::Stop => Self::Stop,
            Interrupt::Reply(text) => Self::Say(text),
            Interrupt::Abort => Self::Abort,
            Interrupt::HangUp => Self::Leave,
        }
    }
}

impl Calls {
    /// The calls, none of which was considered yet.
    pub fn waiting(
        pending: Vec<Standing>,
        verdicts: &[Verdict],
        question: u64,
        then: Then,
    ) -> Self {
        let calls = pending.into_iter().map(|standing| Call::new(standing, verdicts)).collect();
        Self { calls, looked_at: Vec::new(), question, then }
    }

    /// Takes what somebody has decided about calls that were interrupted.
    pub fn decide(
        &mut self,
        mut decisions: BTreeMap<CallId, Decision>,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        for call in &mut self.calls {
            if let Some(decision) = decisions.remove(&call.made.id) {
                call.decide(decision, context.now, outbox);
            }
        }
    }

    /// Starts what may be started, and asks or refuses the rest. Questions that somebody has
    /// answered before are not asked.
    pub fn consider(
        &mut self,
        mut replies: BTreeMap<InquiryId, Reply>,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let is_over = self.is_stopping();
        for call in self.calls.iter_mut().filter(|call| !call.is_done()) {
            if is_over {
                call.stop(&self.then, context.now, outbox);
            } else {
                let reply = call.left_open().and_then(|inquiry| replies.remove(inquiry));
                call.consider(reply, &mut self.question, context, outbox);
            }
        }
    }

    fn is_stopping(&self) -> bool {
        self.then != Then::AskModel
    }

    fn find(&mut self, id: &CallId) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.made.id == *id)
    }

    /// It is known what a call is about. Calls are decided about in their order, whichever was
    /// looked at first. Returns what is allowed from now on.
    pub fn inspected(
        &mut self,
        id: &CallId,
        subject: Option<Subject>,
        preview: Option<String>,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) -> BTreeSet<Grant> {
        let mut granted = context.granted.clone();
        if self.find(id).is_some_and(|call| call.is_inspecting()) {
            self.looked_at.push(Looked { call: id.clone(), subject, preview });
        }
        while let Some(call) = self.calls.iter_mut().find(|call| call.is_inspecting()) {
            let known = self.looked_at.iter().position(|looked| looked.call == call.made.id);
            let Some(known) = known else { break };
            let Looked { subject, preview, .. } = self.looked_at.remove(known);
            let context = Context { granted: &granted, ..*context };
            let grant = call.inspected(subject, preview, &mut self.question, &context, outbox);
            if let Some(grant) = grant {
                for call in &mut self.calls {
                    call.allow(&grant, context.now, outbox);
                }
                granted.insert(grant);
            }
        }
        granted
    }

    /// A tool has ended.
    pub fn ended(
        &mut self,
        id: &CallId,
        outcome: tool::Outcome,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let (mut question, then) = (self.question, self.then.clone());
        if let Some(call) = self.find(id).filter(|call| call.is_running()) {
            call.ended(outcome, &then, &mut question, context, outbox);
        }
        self.question = question;
    }

    /// A tool asks something while it runs.
    pub fn asked(
        &mut self,
        id: &CallId,
        asked: Question,
        ticket: Ticket,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let (mut question, is_stopping) = (self.question, self.is_stopping());
        match self.find(id).filter(|call| call.is_running() && !is_stopping) {
            Some(call) => call.live_question(asked, ticket, &mut question, context, outbox),
            None => outbox.push(Effect::Answer { ticket, answer: None }),
        }
        self.question = question;
    }

    /// A tool tells how far it is.
    pub fn progressed(&mut self, id: &CallId, text: String, outbox: &mut Outbox) {
        if let Some(call) = self.find(id).filter(|call| call.is_running()) {
            outbox.show(Notice::Progress { id: call.made.id.clone(), text });
        }
    }

    /// A prompt was dealt with. Returns what is allowed from now on, if something is.
    pub fn replied(
        &mut self,
        inquiry: &InquiryId,
        reply: Reply,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) -> Option<Grant> {
        let call = self.calls.iter_mut().find(|call| call.is_asking(inquiry))?;
        let grant = call.replied(inquiry, reply, context, outbox)?;
        for call in &mut self.calls {
            call.allow(&grant, context.now, outbox);
        }
        Some(grant)
    }

    /// The model has answered what its tool asked, or has not.
    pub fn consulted(
        &mut self,
        inquiry: &InquiryId,
        said: Option<&str>,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.is_asking(inquiry)) {
            call.consulted(inquiry, said, context, outbox);
        }
    }

    /// Nobody came who could decide: what was asked is left for later.
    pub fn give_up(&mut self, context: &Context<'_>, outbox: &mut Outbox) {
        for call in &mut self.calls {
            call.give_up(context.now, outbox);
        }
    }

    /// Lets nothing begin any more, and stops what runs.
    pub fn stop(&mut self, then: Then, context: &Context<'_>, outbox: &mut Outbox) {
        self.then = then;
        for call in &mut self.calls {
            call.stop(&self.then, context.now, outbox);
        }
        if self.calls.iter().any(Call::is_running) {
            outbox.push(Effect::CancelTools);
        }
    }

    /// What comes next if no call needs anything any more.
    pub fn over(self) -> Result<Then, Self> {
        if !self.calls.iter().all(|call| call.is_done() || call.is_waiting() || call.is_left()) {
            return Err(self);
        }
        let waiting = self.calls.iter().find(|call| call.is_waiting());
        match (self.then, waiting) {
            (Then::AskModel, Some(call)) => Ok(Then::Wait(call.made.tool.clone())),
            (then, _) => Ok(then),
        }
    }
}
