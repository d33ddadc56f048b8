//! The tools that an answer called for: allowed or refused, run side by side, each result stored
//! as it comes.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Effect, Interrupt, Notice, Reply, Setup, outbox::Outbox};
use crate::{
    model::{
        Answer, AnswerType, Arguments, CallId, Choice, Event, EventKind, InquiryId, InquiryKind,
        InquiryRequest, InquiryResponse, Outcome, Timestamp, ToolCall, ToolName, ToolResult,
        ToolStart,
    },
    tool::{self, Audience, Invocation, Permission, Refusal, Tool},
};

/// How many questions a tool may ask for one call.
const QUESTIONS: u32 = 32;

const RUN: &str = "run";
const ALWAYS: &str = "always";
const REFUSE: &str = "refuse";

/// The calls that have no result yet.
#[derive(Debug)]
pub struct Calls {
    calls: Vec<Call>,
    /// The number of the next question.
    question: u64,
    then: Then,
}

/// What comes after the last result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Then {
    /// The model hears of the results.
    AskModel,
    /// The turn ends, and what came is kept.
    Stop,
    /// The turn ends.
    Abort,
    /// The model hears this from the user.
    Say(String),
}

impl From<Interrupt> for Then {
    fn from(interrupt: Interrupt) -> Self {
        match interrupt {
            Interrupt::Stop => Self::Stop,
            Interrupt::Reply(text) => Self::Say(text),
            Interrupt::Abort => Self::Abort,
        }
    }
}

/// What decides over calls.
pub struct Context<'a> {
    /// What was settled before.
    pub setup: &'a Setup,
    /// Tools that the user has allowed for this query.
    pub allowed: &'a BTreeSet<ToolName>,
    /// The time.
    pub now: Timestamp,
}

#[derive(Debug)]
struct Call {
    made: ToolCall,
    attempt: u32,
    is_resume: bool,
    arguments: Value,
    answers: Map<String, Value>,
    asked: u32,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Nothing was decided yet.
    New,
    /// Somebody has to decide something.
    Asking(InquiryId, Purpose),
    /// It runs.
    Running,
    /// It has a result.
    Done,
}

#[derive(Clone, Debug)]
enum Purpose {
    /// Whether it may run.
    Permission,
    /// What the tool wants to know, under this name.
    Question(String),
}

impl Calls {
    /// Starts what may be started, and asks or refuses the rest.
    pub fn begin(
        pending: Vec<(ToolCall, u32)>,
        question: u64,
        then: Then,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) -> Self {
        let call = |(made, attempt)| Call {
            made,
            attempt,
            is_resume: attempt > 0,
            arguments: Value::Null,
            answers: Map::new(),
            asked: 0,
            state: State::New,
        };
        let calls = pending.into_iter().map(call).collect();
        let mut this = Self { calls, question, then };
        let is_over = this.then != Then::AskModel;
        for call in &mut this.calls {
            if is_over {
                call.refuse(STOPPED, context.now, outbox);
            } else {
                call.consider(&mut this.question, context, outbox);
            }
        }
        this
    }

    /// A tool has ended.
    pub fn ended(
        &mut self,
        id: &CallId,
        outcome: tool::Outcome,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let is_running = |call: &&mut Call| call.made.id == *id && call.is_running();
        let Some(call) = self.calls.iter_mut().find(is_running) else { return };
        match outcome {
            tool::Outcome::Success(content) => call.result(false, content, context.now, outbox),
            tool::Outcome::Error(content) => call.result(true, content, context.now, outbox),
            tool::Outcome::NeedsInput(_) if self.then != Then::AskModel => {
                call.result(true, STOPPED.into(), context.now, outbox);
            }
            tool::Outcome::NeedsInput(question) => {
                call.inquire(question, &mut self.question, context, outbox);
            }
        }
    }

    /// A question was dealt with. Returns the tool if it need not be asked for again.
    pub fn replied(
        &mut self,
        inquiry: &InquiryId,
        reply: Reply,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) -> Option<ToolName> {
        let purpose = |call: &Call| match &call.state {
            State::Asking(id, purpose) if id == inquiry => Some(purpose.clone()),
            _ => None,
        };
        let found = self.calls.iter_mut().find_map(|call| purpose(call).map(|it| (call, it)));
        let (call, purpose) = found?;
        let answered = respond(inquiry, &reply, context.now);
        outbox.commit(answered);
        match (purpose, reply) {
            (Purpose::Permission, Reply::Answer(Answer::Select(choice))) if choice == RUN => {
                call.start(context.now, outbox);
            }
            (Purpose::Permission, Reply::Answer(Answer::Select(choice))) if choice == ALWAYS => {
                let tool = call.made.tool.clone();
                call.start(context.now, outbox);
                self.allow(&tool, context.now, outbox);
                return Some(tool);
            }
            (Purpose::Permission, Reply::Refused(reason)) => {
                call.decline(Some(reason), context.now, outbox);
            }
            (Purpose::Permission, _) => call.decline(None, context.now, outbox),
            (Purpose::Question(name), Reply::Answer(answer)) => {
                call.answers.insert(name, told(answer));
                call.start(context.now, outbox);
            }
            (Purpose::Question(name), Reply::Secret(secret)) => {
                call.answers.insert(name, Value::String(secret));
                call.start(context.now, outbox);
            }
            (Purpose::Question(_), Reply::Refused(_) | Reply::Cancelled) => {
                call.result(true, UNANSWERED.into(), context.now, outbox);
            }
        }
        None
    }

    /// Starts the other calls of a tool that waited to be allowed.
    fn allow(&mut self, tool: &ToolName, now: Timestamp, outbox: &mut Outbox) {
        for call in self.calls.iter_mut().filter(|call| call.made.tool == *tool) {
            if let State::Asking(inquiry, Purpose::Permission) = &call.state {
                let reply = Reply::Answer(Answer::Select(ALWAYS.to_owned()));
                outbox.commit(respond(inquiry, &reply, now));
                outbox.push(Effect::Withdraw(inquiry.clone()));
                call.start(now, outbox);
            }
        }
    }

    /// Lets nothing begin any more, and stops what runs.
    pub fn stop(&mut self, then: Then, context: &Context<'_>, outbox: &mut Outbox) {
        self.then = then;
        for call in &mut self.calls {
            if let State::Asking(inquiry, _) = &call.state {
                outbox.commit(respond(inquiry, &Reply::Cancelled, context.now));
                outbox.push(Effect::Withdraw(inquiry.clone()));
                call.refuse(STOPPED, context.now, outbox);
            }
        }
        if self.calls.iter().any(Call::is_running) {
            outbox.push(Effect::CancelTools);
        }
    }

    /// What comes next if every call has its result.
    pub fn over(self) -> Result<Then, Self> {
        match self.calls.iter().all(|call| matches!(call.state, State::Done)) {
            true => Ok(self.then),
            false => Err(self),
        }
    }
}

const STOPPED: &str = "The user stopped the turn before this was done.";
const UNANSWERED: &str = "The user did not answer the question of the tool.";

impl Call {
    fn is_running(&self) -> bool {
        matches!(self.state, State::Running)
    }

    /// Starts it, asks whether it may run, or says why it does not.
    fn consider(&mut self, question: &mut u64, context: &Context<'_>, outbox: &mut Outbox) {
        let setup = context.setup;
        let name = self.made.tool.clone();
        let Some(listed) = setup.tools.find(&name) else {
            return self.refuse(&setup.tools.unknown(&name), context.now, outbox);
        };
        match checked(&*listed.tool, &self.made.arguments) {
            Ok(arguments) => self.arguments = arguments,
            Err(why) => return self.refuse(&why, context.now, outbox),
        }
        if !setup.persists && !listed.is_idempotent() {
            let why = "This conversation is not kept, so only tools that may run twice are run.";
            return self.refuse(why, context.now, outbox);
        }
        match listed.terms.permission {
            Permission::Allow => self.start(context.now, outbox),
            Permission::Deny => {
                self.refuse(&Refusal::Denied.message(&name), context.now, outbox);
            }
            Permission::Ask | Permission::Edit if context.allowed.contains(&name) => {
                self.start(context.now, outbox);
            }
            Permission::Ask | Permission::Edit if setup.audience == Audience::Person => {
                let inquiry = self.permission(question);
                self.ask(inquiry, Purpose::Permission, context.now, outbox);
            }
            Permission::Ask | Permission::Edit => {
                self.refuse(&Refusal::NobodyToAsk.message(&name), context.now, outbox);
            }
        }
    }

    /// Puts its intent down, and runs it.
    fn start(&mut self, now: Timestamp, outbox: &mut Outbox) {
        self.attempt += 1;
        let (id, attempt) = (self.made.id.clone(), self.attempt);
        let start = ToolStart { id: id.clone(), attempt, rest: toml::Table::new() };
        outbox.commit(Event::new(now, EventKind::ToolStart(start)));
        outbox.show(Notice::ToolStarted(self.made.clone()));
        let invocation = Invocation {
            id,
            arguments: self.arguments.clone(),
            answers: self.answers.clone(),
            is_resume: self.is_resume,
            subject: None,
        };
        outbox.push(Effect::Run { tool: self.made.tool.clone(), invocation });
        self.state = State::Running;
    }

    /// Lets somebody answer what the tool wants to know.
    fn inquire(
        &mut self,
        asked: tool::Question,
        question: &mut u64,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let is_answered = context.setup.audience == Audience::Person;
        if !is_answered || self.asked >= QUESTIONS {
            let problem = match is_answered {
                true => format!("It asked more than {QUESTIONS} questions."),
                false => format!("It asks `{}`, and nobody can be asked.", asked.text),
            };
            return self.result(true, problem.into(), context.now, outbox);
        }
        self.asked += 1;
        let inquiry = InquiryRequest {
            id: next_inquiry(&self.made.id, question),
            kind: InquiryKind::ToolQuestion,
            tool: Some(self.made.tool.clone()),
            call: Some(self.made.id.clone()),
            answer: asked.answer,
            exclusive: asked.exclusive,
            text: asked.text.into(),
        };
        self.ask(inquiry, Purpose::Question(asked.id), context.now, outbox);
    }

    fn permission(&self, question: &mut u64) -> InquiryRequest {
        let choice = |value: &str, description: &str| Choice {
            value: value.to_owned(),
            description: Some(description.to_owned()),
        };
        let options = vec![
            choice(RUN, "run it"),
            choice(ALWAYS, "run it, and do not ask again for this tool"),
            choice(REFUSE, "do not run it"),
        ];
        InquiryRequest {
            id: next_inquiry(&self.made.id, question),
            kind: InquiryKind::RunTool,
            tool: Some(self.made.tool.clone()),
            call: Some(self.made.id.clone()),
            answer: AnswerType::Select { options, default: None },
            exclusive: false,
            text: format!("Run the tool `{}`?", self.made.tool).into(),
        }
    }

    fn ask(
        &mut self,
        inquiry: InquiryRequest,
        purpose: Purpose,
        now: Timestamp,
        outbox: &mut Outbox,
    ) {
        outbox.commit(Event::new(now, EventKind::InquiryRequest(inquiry.clone())));
        self.state = State::Asking(inquiry.id.clone(), purpose);
        outbox.push(Effect::Ask { inquiry, call: self.made.clone() });
    }

    /// Gives it the result that the user said no.
    fn decline(&mut self, reason: Option<String>, now: Timestamp, outbox: &mut Outbox) {
        let why = Refusal::Declined(reason).message(&self.made.tool);
        self.refuse(&why, now, outbox);
    }

    /// Gives it a result without running it.
    fn refuse(&mut self, why: &str, now: Timestamp, outbox: &mut Outbox) {
        self.finish(true, why.into(), Origin::Synthetic, now, outbox);
    }

    /// Gives it the result that it has come to.
    fn result(
        &mut self,
        is_error: bool,
        content: crate::model::Body,
        now: Timestamp,
        outbox: &mut Outbox,
    ) {
        self.finish(is_error, content, Origin::Tool, now, outbox);
    }

    fn finish(
        &mut self,
        is_error: bool,
        content: crate::model::Body,
        origin: Origin,
        now: Timestamp,
        outbox: &mut Outbox,
    ) {
        let (id, tool) = (self.made.id.clone(), self.made.tool.clone());
        let text = content.to_text_lossy().into_owned();
        let result = ToolResult { id: id.clone(), tool: Some(tool.clone()), is_error, content };
        let mut event = Event::new(now, EventKind::ToolResult(result));
        if origin == Origin::Synthetic {
            event.metadata.insert("synthetic".to_owned(), Value::Bool(true));
        }
        outbox.commit(event);
        outbox.show(Notice::ToolEnded { id, tool, is_error, content: text });
        self.state = State::Done;
    }
}

/// Who came up with a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The tool.
    Tool,
    /// jp, because the tool was not run.
    Synthetic,
}

/// The arguments, if the tool takes them.
fn checked(tool: &dyn Tool, arguments: &Arguments) -> Result<Value, String> {
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

fn respond(inquiry: &InquiryId, reply: &Reply, now: Timestamp) -> Event {
    let outcome = match reply {
        Reply::Answer(answer) => Outcome::Answered(answer.clone()),
        Reply::Secret(_) => Outcome::Redacted,
        Reply::Refused(_) => Outcome::Answered(Answer::Select(REFUSE.to_owned())),
        Reply::Cancelled => Outcome::Cancelled,
    };
    let response = InquiryResponse { id: inquiry.clone(), outcome };
    Event::new(now, EventKind::InquiryResponse(response))
}

/// An answer as a tool reads it.
fn told(answer: Answer) -> Value {
    match answer {
        Answer::Boolean(answer) => Value::Bool(answer),
        Answer::Select(value) => Value::String(value),
        Answer::Text(text) => Value::String(text.to_text_lossy().into_owned()),
    }
}
