//! Who decides about a call, and what was decided.

use serde_json::Value;

use super::{By, Call, Context, State, UNANSWERED, checked, ending::Told, next_inquiry};
use crate::{
    model::{Answer, Arguments, Grant, InquiryId, InquiryKind, InquiryRequest, Timestamp},
    tool::{Delivery, Permission, Refusal, Route, Terms, policy, route},
    turn::{
        ALWAYS, Ask, Effect, Finished, RUN, Reply, consult,
        outbox::Outbox,
        prompt::{Prompt, default_answer, mark_answered_by, mark_arguments, respond, told},
    },
};

impl Call {
    /// Lets whoever has to decide about a prompt.
    pub(super) fn route(
        &mut self,
        prompt: Prompt,
        inquiry: Option<InquiryRequest>,
        question: &mut u64,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let setup = context.setup;
        let terms = setup.terms(&self.made.tool);
        let exclusive = terms.exclusive.unwrap_or_else(|| prompt.is_exclusive());
        let kind = prompt.kind();
        let policy = policy(&terms.unattended, &setup.unattended, kind, setup.audience);
        let is_new = inquiry.is_none();
        let inquiry = inquiry.unwrap_or_else(|| {
            let id = next_inquiry(&self.made.id, question);
            prompt.inquiry(id, &self.made, exclusive)
        });
        if is_new {
            outbox.commit(prompt.event(inquiry.clone(), context.now));
        }
        match route(kind, exclusive, setup.audience, policy) {
            Route::Person => self.put(inquiry, prompt, &terms, outbox),
            // It is put to whoever comes.
            Route::Wait if setup.audience.may_come() => self.put(inquiry, prompt, &terms, outbox),
            Route::Wait => match prompt {
                // A tool that runs cannot wait for somebody who may come tomorrow.
                Prompt::LiveQuestion(..) => {
                    self.settle(inquiry, prompt, None, None, context, outbox);
                }
                _ => self.state = State::Waiting(inquiry, prompt),
            },
            Route::Model => {
                let query = consult::query(setup, &self.made, &inquiry);
                outbox.push(Effect::Consult { inquiry: inquiry.id.clone(), query });
                self.hold(inquiry, prompt);
            }
            Route::Approve => {
                let yes = match kind {
                    InquiryKind::RunTool => Answer::Select(RUN.to_owned()),
                    InquiryKind::DeliverResult | InquiryKind::ToolQuestion => Answer::Boolean(true),
                };
                self.settle(inquiry, prompt, Some(yes), Some("policy"), context, outbox);
            }
            Route::Default => {
                // A question that was stored may come from anywhere, and its default with it.
                let own = prompt.inquiry(inquiry.id.clone(), &self.made, exclusive);
                let answer = default_answer(&own.answer);
                self.settle(inquiry, prompt, answer, Some("policy"), context, outbox);
            }
            Route::Fail => self.settle(inquiry, prompt, None, None, context, outbox),
        }
    }

    /// Puts a prompt to whoever is there.
    fn put(&mut self, inquiry: InquiryRequest, prompt: Prompt, terms: &Terms, outbox: &mut Outbox) {
        let edit = match &prompt {
            Prompt::RunTool => {
                let subject = self.subject.clone().unwrap_or_default();
                !self.is_looked_over && terms.permission_for(&subject) == Permission::Edit
            }
            Prompt::DeliverResult(_) => terms.delivery == Delivery::Edit,
            Prompt::ToolQuestion(_) | Prompt::LiveQuestion(..) => false,
        };
        outbox.push(Effect::Ask(Box::new(self.ask(&inquiry, edit, None))));
        self.hold(inquiry, prompt);
    }

    fn ask(&self, inquiry: &InquiryRequest, edit: bool, problem: Option<String>) -> Ask {
        Ask {
            inquiry: inquiry.clone(),
            call: self.made.clone(),
            preview: self.preview.clone(),
            grant: self.grant(),
            edit,
            problem,
        }
    }

    fn hold(&mut self, inquiry: InquiryRequest, prompt: Prompt) {
        match (&mut self.state, &prompt) {
            (State::Running(live), Prompt::LiveQuestion(..)) => live.push((inquiry, prompt)),
            (state, _) => *state = State::Asking(inquiry, prompt),
        }
    }

    /// A prompt is dealt with without anybody who is there: `None` means no.
    fn settle(
        &mut self,
        inquiry: InquiryRequest,
        prompt: Prompt,
        answer: Option<Answer>,
        by: Option<&str>,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let reply = answer.map_or(Reply::Cancelled, Reply::Answer);
        let mut response = respond(&inquiry.id, &reply, context.now);
        if let Some(by) = by {
            mark_answered_by(&mut response, by);
        }
        outbox.commit(response);
        let nobody = reply == Reply::Cancelled;
        match (prompt, reply) {
            (Prompt::RunTool, Reply::Answer(Answer::Select(choice))) if choice == RUN => {
                self.start(By::Policy, context.now, outbox);
            }
            (Prompt::RunTool, _) => {
                let why = Refusal::NobodyToAsk.message(&self.made.tool);
                self.refuse(&why, context.now, outbox);
            }
            (Prompt::DeliverResult(finished), Reply::Answer(Answer::Boolean(true))) => {
                self.finish(finished, Told::Whole, context.now, outbox);
            }
            (Prompt::DeliverResult(finished), _) => {
                self.finish(finished, Told::Withheld, context.now, outbox);
            }
            (Prompt::ToolQuestion(asked), Reply::Answer(answer)) => {
                self.answers.insert(asked.id, told(&answer));
                self.proceed(context, outbox);
            }
            (Prompt::ToolQuestion(asked), _) if nobody => {
                let problem = format!("It asks `{}`, and nobody can be asked.", asked.text);
                self.end(true, problem.into(), context.now, outbox);
            }
            (Prompt::ToolQuestion(_), _) => {
                self.end(true, UNANSWERED.into(), context.now, outbox);
            }
            (Prompt::LiveQuestion(_, ticket), reply) => {
                let answer = match reply {
                    Reply::Answer(answer) => Some(told(&answer)),
                    _ => None,
                };
                outbox.push(Effect::Answer { ticket, answer });
            }
        }
    }

    /// A prompt was dealt with by somebody. Says what is allowed from now on, if something is.
    pub(in crate::turn) fn replied(
        &mut self,
        inquiry: &InquiryId,
        reply: Reply,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) -> Option<Grant> {
        let (inquiry, prompt) = self.take(inquiry)?;
        if let (Prompt::RunTool, Reply::Edited(text)) = (&prompt, &reply) {
            self.change(text, inquiry, prompt, context, outbox);
            return None;
        }
        let mut response = respond(&inquiry.id, &reply, context.now);
        if let (Prompt::RunTool, true) = (&prompt, self.is_edited) {
            mark_arguments(&mut response, self.made.arguments.as_str());
        }
        outbox.commit(response);
        match (prompt, reply) {
            (Prompt::RunTool, Reply::Answer(Answer::Select(choice))) if choice == RUN => {
                self.start(By::User, context.now, outbox);
            }
            (Prompt::RunTool, Reply::Answer(Answer::Select(choice))) if choice == ALWAYS => {
                let grant = self.grant();
                outbox.push(Effect::Grant(grant.clone()));
                self.start(By::User, context.now, outbox);
                return Some(grant);
            }
            (Prompt::RunTool, Reply::Refused(reason)) => {
                self.decline(Some(reason), context.now, outbox);
            }
            (Prompt::RunTool, _) => self.decline(None, context.now, outbox),
            (Prompt::DeliverResult(finished), Reply::Answer(Answer::Boolean(true))) => {
                self.finish(finished, Told::Whole, context.now, outbox);
            }
            (Prompt::DeliverResult(finished), Reply::Edited(text)) => {
                let finished = Finished { content: text.into(), ..finished };
                self.finish(finished, Told::Edited, context.now, outbox);
            }
            (Prompt::DeliverResult(finished), _) => {
                self.finish(finished, Told::Withheld, context.now, outbox);
            }
            (Prompt::ToolQuestion(asked), Reply::Answer(answer)) => {
                self.answers.insert(asked.id, told(&answer));
                self.proceed(context, outbox);
            }
            (Prompt::ToolQuestion(asked), Reply::Secret(secret)) => {
                self.answers.insert(asked.id, Value::String(secret));
                self.proceed(context, outbox);
            }
            (Prompt::ToolQuestion(_), _) => {
                self.end(true, UNANSWERED.into(), context.now, outbox);
            }
            (Prompt::LiveQuestion(_, ticket), reply) => {
                let answer = match reply {
                    Reply::Answer(answer) => Some(told(&answer)),
                    Reply::Secret(secret) => Some(Value::String(secret)),
                    Reply::Refused(_) | Reply::Edited(_) | Reply::Cancelled => None,
                };
                outbox.push(Effect::Answer { ticket, answer });
            }
        }
        None
    }

    /// The model has answered a question, or has not.
    pub(in crate::turn) fn consulted(
        &mut self,
        inquiry: &InquiryId,
        said: Option<&str>,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let Some((inquiry, prompt)) = self.take(inquiry) else { return };
        let answer = said.and_then(|said| consult::read(said, &inquiry.answer));
        let model = context.setup.model.as_str();
        self.settle(inquiry, prompt, answer, Some(model), context, outbox);
    }

    /// Takes a prompt that is open.
    fn take(&mut self, inquiry: &InquiryId) -> Option<(InquiryRequest, Prompt)> {
        match std::mem::replace(&mut self.state, State::New) {
            State::Asking(open, prompt) if open.id == *inquiry => Some((open, prompt)),
            State::Running(mut live) => {
                let at = live.iter().position(|(open, _)| open.id == *inquiry);
                let taken = at.map(|at| live.remove(at));
                self.state = State::Running(live);
                taken
            }
            state => {
                self.state = state;
                None
            }
        }
    }

    /// Somebody wants it to be run with other arguments: they are looked at like those of a model,
    /// and shown once more.
    fn change(
        &mut self,
        text: &str,
        inquiry: InquiryRequest,
        prompt: Prompt,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let arguments = Arguments::new(text);
        let Some(listed) = context.setup.tools.find(&self.made.tool) else { return };
        match checked(&*listed.tool, &arguments) {
            Ok(value) => {
                self.is_looked_over = true;
                self.is_edited |= arguments != self.made.arguments;
                (self.arguments, self.made.arguments) = (value, arguments);
                self.inspect(Some(inquiry), outbox);
            }
            Err(problem) => {
                let mut ask = self.ask(&inquiry, true, Some(problem));
                ask.call.arguments = arguments;
                outbox.push(Effect::Ask(Box::new(ask)));
                self.state = State::Asking(inquiry, prompt);
            }
        }
    }

    /// The user has allowed something: if this is a part of it, it need not be asked about.
    pub(in crate::turn) fn allow(&mut self, grant: &Grant, now: Timestamp, outbox: &mut Outbox) {
        let State::Asking(inquiry, Prompt::RunTool) = &self.state else { return };
        let inquiry = inquiry.id.clone();
        if self.is_in(grant, &self.subject.clone().unwrap_or_default()) {
            let reply = Reply::Answer(Answer::Select(ALWAYS.to_owned()));
            let mut response = respond(&inquiry, &reply, now);
            if self.is_edited {
                mark_arguments(&mut response, self.made.arguments.as_str());
            }
            outbox.commit(response);
            outbox.push(Effect::Withdraw(inquiry));
            self.start(By::Grant, now, outbox);
        }
    }
}
