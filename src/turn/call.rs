//! One call: allowed or refused, run, and given its result.

mod deciding;
mod ending;

use serde_json::{Map, Value};

use self::ending::Told;
use super::{
    Effect, Finished, Notice, RUN, Reply, Setup,
    outbox::Outbox,
    prompt::{Prompt, mark_answered_by, respond},
    standing::{Left, Standing},
};
use crate::{
    model::{
        Answer, Arguments, CallId, Event, EventKind, Grant, InquiryId, InquiryRequest, Ruling,
        Timestamp, ToolCall, ToolStart, Verdict,
    },
    tool::{Invocation, Permission, Refusal, Subject, Tool},
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
    /// Nobody knows what came of an earlier run.
    is_unsure: bool,
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
    /// What the user has said to the question whether it may run, before the turn went on.
    ruling: Option<Ruling>,
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
    /// It is left for later, with the prompt that is open if there is one.
    Left,
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
pub(super) const SKIPPED: &str = "The user decided not to run this.";
pub(super) const LEFT_UNKNOWN: &str = "This was interrupted, and whether it had any effect is not known. The \
                            user decided not to run it again.";
const UNANSWERED: &str = "The user did not answer the question of the tool.";

impl Call {
    /// A call, with what is known of it, by the conversation and by the user's own record.
    pub fn new(standing: Standing, verdicts: &[Verdict]) -> Self {
        let is_unsure = standing.is_unsure();
        let ruling = standing.ruling(verdicts);
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
            is_unsure,
            is_edited,
            is_looked_over: false,
            arguments: Value::Null,
            subject: None,
            preview: None,
            answers,
            asked: 0,
            allowed: None,
            ruling,
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

    /// Whether it is left for later.
    pub fn is_left(&self) -> bool {
        matches!(self.state, State::Left)
    }

    /// Whether this prompt is about it and open.
    pub fn is_asking(&self, inquiry: &InquiryId) -> bool {
        match &self.state {
            State::Asking(open, _) => open.id == *inquiry,
            State::Running(live) => live.iter().any(|(open, _)| open.id == *inquiry),
            _ => false,
        }
    }

    /// The prompt that an earlier process has left open, unless it has to be looked at again what
    /// the call is about.
    pub fn left_open(&self) -> Option<&InquiryId> {
        match &self.state {
            State::Asking(open, Prompt::DeliverResult(_) | Prompt::ToolQuestion(_)) => {
                Some(&open.id)
            }
            _ => None,
        }
    }

    /// Starts it, asks whether it may run, or says why it does not. The reply is to the prompt that
    /// an earlier process has left open.
    pub fn consider(
        &mut self,
        reply: Option<Reply>,
        question: &mut u64,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) {
        let can_run = self.check(context.setup);
        let has_result = matches!(&self.state, State::Asking(_, Prompt::DeliverResult(_)));
        if let (Some(reply), Some(open)) = (&reply, self.left_open().cloned())
            && (can_run.is_ok() || has_result)
        {
            // Neither a result nor a question of a tool allows anything for later.
            let _nothing = self.replied(&open, reply.clone(), context, outbox);
            return;
        }
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
                // What somebody has answered is kept, though nobody can use it any more.
                let reply = reply.unwrap_or(Reply::Cancelled);
                outbox.commit(respond(&inquiry.id, &reply, context.now));
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
        if let Some(Ruling::Refuse(reason)) = &self.ruling {
            return self.decline(reason.clone(), context.now, outbox);
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

    /// Whether it is not known yet what it is about.
    pub fn is_inspecting(&self) -> bool {
        matches!(self.state, State::Inspecting(_))
    }

    /// It is known what it is about. Says what is allowed from now on, if something is.
    pub fn inspected(
        &mut self,
        subject: Option<Subject>,
        preview: Option<String>,
        question: &mut u64,
        context: &Context<'_>,
        outbox: &mut Outbox,
    ) -> Option<Grant> {
        let State::Inspecting(inquiry) = &mut self.state else { return None };
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
            self.refuse(&refusal.message(&self.made.tool), context.now, outbox);
            return None;
        }
        let subject = subject.unwrap_or_default();
        let is_granted = context.granted.iter().any(|grant| self.is_in(grant, &subject));
        let by = match terms.permission_for(&subject) {
            // What somebody has just changed is shown to them once more.
            _ if self.is_looked_over => None,
            Permission::Allow => Some(By::Settings),
            _ if inquiry.is_none() && self.ruling.is_some() => Some(By::User),
            _ if is_granted => Some(By::Grant),
            _ => None,
        };
        (self.subject, self.preview) = (Some(subject), preview);
        let Some(by) = by else {
            self.route(Prompt::RunTool, inquiry, question, context, outbox);
            return None;
        };
        if let Some(inquiry) = inquiry {
            let reply = Reply::Answer(Answer::Select(RUN.to_owned()));
            let mut response = respond(&inquiry.id, &reply, context.now);
            mark_answered_by(&mut response, by.word());
            outbox.commit(response);
        }
        let grant = (by == By::User && self.ruling == Some(Ruling::Always)).then(|| self.grant());
        if let Some(grant) = &grant {
            outbox.push(Effect::Grant(grant.clone()));
        }
        self.start(by, context.now, outbox);
        grant
    }

    fn is_in(&self, grant: &Grant, subject: &Subject) -> bool {
        grant.tool == self.made.tool
            && grant.argv == subject.argv
            && grant.cwd.as_deref() == subject.cwd()
    }

    /// What would be allowed for the whole conversation.
    fn grant(&self) -> Grant {
        let subject = self.subject.as_ref();
        let argv = subject.and_then(|subject| subject.argv.clone());
        let cwd = subject.and_then(Subject::cwd).map(str::to_owned);
        Grant { tool: self.made.tool.clone(), argv, cwd }
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
