//! One call: allowed or refused, run, and given its result.

use serde_json::{Map, Value};

use super::{
    Ask, Effect, Notice, Reply, Setup,
    calls::Then,
    consult,
    outbox::Outbox,
    prompt::{
        ALWAYS, Finished, Prompt, RUN, Ticket, default_answer, mark_answered_by, mark_arguments,
        respond, told,
    },
    standing::{Left, Standing},
};
use crate::{
    model::{
        Answer, Arguments, Body, CallId, Event, EventKind, Grant, InquiryId, InquiryKind,
        InquiryRequest, Timestamp, ToolCall, ToolResult, ToolStart, mark_edited, mark_withheld,
    },
    tool::{
        self, Delivery, Invocation, Permission, Refusal, Route, Subject, Terms, Tool, policy, route,
    },
};

/// How many questions a tool may ask for one call.
const QUESTIONS: u32 = 32;

/// What decides over calls.
pub struct Context<'a> {
    /// What was settled before.
    pub setup: &'a Setup,
    /// What the user has allowed for the conversation.
    pub granted: &'a std::collections::BTreeSet<Grant>,
    /// The time.
    pub now: Timestamp,
}

/// A call that may not have its result yet.
#[derive(Debug)]
pub struct Call {
    /// The call, with the arguments that it is run with.
    pub made: ToolCall,
    attempt: u32,
    is_resume: bool,
    /// Somebody has changed the arguments.
    is_edited: bool,
    /// Somebody has looked the arguments over in an editor.
    is_looked_over: bool,
    arguments: Value,
    subject: Option<Subject>,
    preview: Option<String>,
    answers: Map<String, Value>,
    asked: u32,
    /// How it came that it may run. What a conversation says of this does not count: it can come
    /// from anywhere.
    allowed: Option<By>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Nothing was decided yet.
    New,
    /// It has ended, and it is decided whether the model hears of it.
    Decided(Finished, bool),
    /// It is found out what it is about, for a prompt that is there already or not.
    Inspecting(Option<InquiryRequest>),
    /// Somebody, or the model, has to decide something.
    Asking(InquiryRequest, Prompt),
    /// Somebody has to decide something, and nobody is there.
    Waiting(InquiryRequest, Prompt),
    /// It runs, and may have asked something meanwhile.
    Running(Vec<(InquiryRequest, Prompt)>),
    /// It has a result.
    Done,
}

/// How it came that a tool runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// The user said so.
    User,
    /// The user said so before, for the whole conversation.
    Grant,
    /// The settings say so.
    Settings,
    /// The policy for when nobody is there says so.
    Policy,
}

impl By {
    fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Grant => "grant",
            Self::Settings => "settings",
            Self::Policy => "policy",
        }
    }
}

const STOPPED: &str = "The user stopped the turn before this was done.";
const UNANSWERED: &str = "The user did not answer the question of the tool.";

impl Call {
    /// A call, with what is known of it.
    pub fn new(standing: Standing) -> Self {
        let Standing { made, attempts, is_edited, answers, left, .. } = standing;
        let state = match left {
            Left::Open(inquiry, prompt) => State::Asking(*inquiry, *prompt),
            Left::Decided(finished, told) => State::Decided(finished, told),
            Left::Nothing => State::New,
        };
        Self {
            made,
            attempt: attempts,
            is_resume: attempts > 0,
            is_edited,
            is_looked_over: false,
            arguments: Value::Null,
            subject: None,
            preview: None,
            answers,
            asked: 0,
            allowed: None,
            state,
        }
    }

    /// Whether it runs.
    pub fn is_running(&self) -> bool {
        matches!(self.state, State::Running(_))
    }

    /// Whether it has its result.
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// Whether it waits for somebody who is not there.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting(..))
    }

    /// Whether this prompt is about it and open.
    pub fn is_asking(&self, inquiry: &InquiryId) -> bool {
        match &self.state {
            State::Asking(open, _) => open.id == *inquiry,
            State::Running(live) => live.iter().any(|(open, _)| open.id == *inquiry),
            _ => false,
        }
    }

    /// Starts it, asks whether it may run, or says why it does not.
    pub fn consider(&mut self, question: &mut u64, context: &Context<'_>, outbox: &mut Outbox) {
        let can_run = self.check(context.setup);
        match (std::mem::replace(&mut self.state, State::New), can_run) {
            // What it has come to counts, whatever has become of its tool since.
            (State::Decided(finished, told), _) => {
                self.finish(finished, Told::if_told(told), context.now, outbox);
            }
            // A prompt that an earlier process has left open is put again.
            (State::Asking(inquiry, prompt @ Prompt::DeliverResult(_)), _) => {
                self.route(prompt, Some(inquiry), question, context, outbox);
            }
            (State::Asking(inquiry, _), Err(why)) => {
                outbox.commit(respond(&inquiry.id, &Reply::Cancelled, context.now));
                self.refuse(&why, context.now, outbox);
            }
            (_, Err(why)) => self.refuse(&why, context.now, outbox),
            (State::Asking(inquiry, Prompt::RunTool), Ok(())) => {
                self.inspect(Some(inquiry), outbox);
            }
            (State::Asking(inquiry, prompt), Ok(())) => {
                self.route(prompt, Some(inquiry), question, context, outbox);
            }
            (_, Ok(())) => self.proceed(context, outbox),
        }
    }

    /// Reads the arguments, or says why it cannot be run with anybody's permission.
    fn check(&mut self, setup: &Setup) -> Result<(), String> {
        let Some(listed) = setup.tools.find(&self.made.tool) else {
            return Err(setup.tools.unknown(&self.made.tool));
        };
        self.arguments = checked(&*listed.tool, &self.made.arguments)?;
        if !setup.persists && !listed.is_idempotent() {
            let why = "This conversation is not kept, so only tools that may run twice are run.";
            return Err(why.to_owned());
        }
        Ok(())
    }

    /// Runs it if it may, or finds out whether it may.
    fn proceed(&mut self, context: &Context<'_>, outbox: &mut Outbox) {
        if let Some(by) = self.allowed {
            return self.start(by, context.now, outbox);
        }
        let Some(listed) = context.setup.tools.find(&self.made.tool) else { return };
        match listed.terms.permission {
            Permission::Allow if listed.terms.rules.is_empty() => {
                self.start(By::Settings, context.now, outbox);
            }
            Permission::Deny if listed.terms.rules.is_empty() => {
                self.refuse(&Refusal::Denied.message(&self.made.tool), context.now, outbox);
            }
            _ => self.inspect(None, outbox),
        }
    }

    fn inspect(&mut self, inquiry: Option<InquiryRequest>, outbox: &mut Outbox) {
        self.state = State::Inspecting(inquiry);
        let (tool, call) = (self.made.tool.clone(), self.made.id.clone());
        outbox.push(Effect::Inspect { tool, call, arguments: self.arguments.clone() });
    }

    /// It is known what it is about.
    pub fn inspected(
        &mut self,
        subject: Option<Subject>,
        preview: Option<String>,
        question: &mut u64,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let State::Inspecting(inquiry) = &mut self.state else { return };
        let inquiry = inquiry.take();
        let terms = context.setup.terms(&self.made.tool);
        // A call that cannot be looked at must not slip past a rule.
        let refusal = match &subject {
            None => Some(Refusal::NotUnderstood),
            Some(subject) if terms.permission_for(subject) == Permission::Deny => {
                Some(Refusal::Denied)
            }
            Some(_) => None,
        };
        if let Some(refusal) = refusal {
            if let Some(inquiry) = inquiry {
                outbox.commit(respond(&inquiry.id, &Reply::Cancelled, context.now));
            }
            return self.refuse(&refusal.message(&self.made.tool), context.now, outbox);
        }
        let subject = subject.unwrap_or_default();
        let is_granted = context.granted.iter().any(|grant| self.is_in(grant, &subject));
        let by = match terms.permission_for(&subject) {
            // What somebody has just changed is shown to them once more.
            _ if self.is_looked_over => None,
            Permission::Allow => Some(By::Settings),
            _ if is_granted => Some(By::Grant),
            _ => None,
        };
        (self.subject, self.preview) = (Some(subject), preview);
        let Some(by) = by else {
            return self.route(Prompt::RunTool, inquiry, question, context, outbox);
        };
        if let Some(inquiry) = inquiry {
            let reply = Reply::Answer(Answer::Select(RUN.to_owned()));
            let mut response = respond(&inquiry.id, &reply, context.now);
            mark_answered_by(&mut response, by.word());
            outbox.commit(response);
        }
        self.start(by, context.now, outbox);
    }

    fn is_in(&self, grant: &Grant, subject: &Subject) -> bool {
        grant.tool == self.made.tool && grant.argv == subject.argv
    }

    /// What would be allowed for the whole conversation.
    fn grant(&self) -> Grant {
        let argv = self.subject.as_ref().and_then(|subject| subject.argv.clone());
        Grant { tool: self.made.tool.clone(), argv }
    }

    /// Lets whoever has to decide about a prompt.
    fn route(
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
            Route::Wait => match prompt {
                // A tool that runs cannot wait for somebody who may come tomorrow.
                Prompt::LiveQuestion(..) if !setup.audience.may_come() => {
                    self.settle(inquiry, prompt, None, None, context, outbox);
                }
                Prompt::LiveQuestion(..) => self.put(inquiry, prompt, &terms, outbox),
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
                let answer = default_answer(&inquiry.answer);
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
    pub fn replied(
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
    pub fn consulted(
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
    pub fn allow(&mut self, grant: &Grant, now: Timestamp, outbox: &mut Outbox) {
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

    /// Puts its intent down, and runs it.
    fn start(&mut self, by: By, now: Timestamp, outbox: &mut Outbox) {
        self.attempt += 1;
        self.allowed = Some(by);
        let (id, attempt) = (self.made.id.clone(), self.attempt);
        let mut rest = toml::Table::new();
        rest.insert("allowed_by".to_owned(), by.word().into());
        if self.is_edited {
            rest.insert("arguments".to_owned(), self.made.arguments.as_str().into());
        }
        let start = ToolStart { id: id.clone(), attempt, rest };
        outbox.commit(Event::new(now, EventKind::ToolStart(start)));
        outbox.show(Notice::ToolStarted(self.made.clone()));
        let invocation = Invocation {
            id,
            arguments: self.arguments.clone(),
            written: match &self.made.arguments {
                Arguments::Json(json) => Some(json.clone()),
                Arguments::Text(_) => None,
            },
            answers: self.answers.clone(),
            is_resume: self.is_resume,
            subject: self.subject.clone(),
        };
        outbox.push(Effect::Run { tool: self.made.tool.clone(), invocation });
        self.state = State::Running(Vec::new());
    }

    /// Its tool has ended.
    pub fn ended(
        &mut self,
        outcome: tool::Outcome,
        is_stopping: bool,
        question: &mut u64,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        self.withdraw(context.now, outbox);
        let finished = match outcome {
            tool::Outcome::Success(content) => Finished { is_error: false, content },
            tool::Outcome::Error(content) => Finished { is_error: true, content },
            tool::Outcome::NeedsInput(_) if is_stopping => {
                return self.end(true, STOPPED.into(), context.now, outbox);
            }
            tool::Outcome::NeedsInput(asked) => {
                return self.inquire(asked, question, context, outbox);
            }
        };
        match context.setup.terms(&self.made.tool).delivery {
            Delivery::Deliver => self.finish(finished, Told::Whole, context.now, outbox),
            Delivery::Skip => self.finish(finished, Told::Withheld, context.now, outbox),
            Delivery::Ask | Delivery::Edit if is_stopping => {
                self.finish(finished, Told::Withheld, context.now, outbox);
            }
            Delivery::Ask | Delivery::Edit => {
                self.route(Prompt::DeliverResult(finished), None, question, context, outbox);
            }
        }
    }

    /// Its tool asks something while it runs.
    pub fn live_question(
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
    fn inquire(
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

    /// Lets it not begin any more. What runs is stopped by whoever calls this.
    pub fn stop(&mut self, then: &Then, now: Timestamp, outbox: &mut Outbox) {
        self.withdraw(now, outbox);
        match std::mem::replace(&mut self.state, State::Done) {
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
            state @ (State::Running(_) | State::Done) => self.state = state,
        }
    }

    /// Takes back what its tool has asked while it ran.
    fn withdraw(&mut self, now: Timestamp, outbox: &mut Outbox) {
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
    fn decline(&mut self, reason: Option<String>, now: Timestamp, outbox: &mut Outbox) {
        let why = Refusal::Declined(reason).message(&self.made.tool);
        self.refuse(&why, now, outbox);
    }

    /// Gives it a result without running it.
    fn refuse(&mut self, why: &str, now: Timestamp, outbox: &mut Outbox) {
        let finished = Finished { is_error: true, content: why.into() };
        self.finish(finished, Told::MadeUp, now, outbox);
    }

    /// Gives it the result that it has come to.
    fn end(&mut self, is_error: bool, content: Body, now: Timestamp, outbox: &mut Outbox) {
        self.finish(Finished { is_error, content }, Told::Whole, now, outbox);
    }

    fn finish(&mut self, finished: Finished, how: Told, now: Timestamp, outbox: &mut Outbox) {
        let Finished { is_error, content } = finished;
        let (id, tool) = (self.made.id.clone(), self.made.tool.clone());
        let text = content.to_text_lossy().into_owned();
        let result = ToolResult { id: id.clone(), tool: Some(tool.clone()), is_error, content };
        let mut event = Event::new(now, EventKind::ToolResult(result));
        match how {
            Told::Whole => {}
            Told::Withheld => mark_withheld(&mut event.metadata),
            Told::Edited => mark_edited(&mut event.metadata),
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
enum Told {
    /// As the tool has come to it.
    Whole,
    /// Not at all.
    Withheld,
    /// As the user has edited it.
    Edited,
    /// There was none: jp made it up, because the tool was not run.
    MadeUp,
}

impl Told {
    fn if_told(told: bool) -> Self {
        if told { Self::Whole } else { Self::Withheld }
    }
}

/// The arguments, if the tool takes them.
fn checked(tool: &dyn Tool, arguments: &Arguments) -> Result<Value, String> {
    if let Arguments::Json(json) = arguments
        && let Some(key) = json.repeated_key()
    {
        return Err(format!("The arguments have the key `{key}` twice."));
    }
    let arguments = match arguments {
        Arguments::Json(json) => serde_json::from_str(json.as_str()),
        Arguments::Text(text) if text.trim().is_empty() => Ok(Value::Object(Map::new())),
        Arguments::Text(text) => serde_json::from_str(text),
    };
    let arguments = arguments.map_err(|error| format!("The arguments are not JSON: {error}."))?;
    tool.check(&arguments)?;
    Ok(arguments)
}

fn next_inquiry(call: &CallId, question: &mut u64) -> InquiryId {
    let id = InquiryId::new(format!("{call}-q{question}"));
    *question += 1;
    id
}
