//! How far a conversation has come: a fold over its events that costs the same at any length.
//!
//! It answers three questions without looking back: does this event start a turn, may it stand
//! here, and what is still missing from the last turn.

use serde::{Deserialize, Serialize};

use super::{
    Answer, AnswerId, AnswerType, Block, CallId, Event, EventKind, InquiryId, InquiryResponse,
    Message, Outcome, Pending, Reasoning, Status, Structured, ToolName, is_superseded,
};

/// What the events so far amount to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Progress {
    /// Turns begun, with one that has only its prelude so far.
    groups: u64,
    /// The last turn holds nothing yet but configuration, compaction and attachments.
    #[serde(skip_serializing_if = "is_false")]
    prelude: bool,
    /// The last turn has a request.
    #[serde(skip_serializing_if = "is_false")]
    requested: bool,
    /// A model has answered since the last request.
    #[serde(skip_serializing_if = "is_false")]
    responded: bool,
    /// The last event of the dialogue is a request.
    #[serde(skip_serializing_if = "is_false")]
    at_request: bool,
    /// Results have come in that no model has answered yet.
    #[serde(skip_serializing_if = "is_false")]
    follow_up_due: bool,
    /// The answer that began and has not ended, and that nobody has acted upon.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_answer: Option<AnswerId>,
    /// The answer of which only a part came, which counts for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    broken_answer: Option<AnswerId>,
    /// Calls of the last turn without a result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<PendingCall>,
    /// Questions of the last turn without an answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    questions: Vec<OpenQuestion>,
}

/// A call that has no result yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingCall {
    /// The call.
    pub id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// How many times it was started; with no result, what it did is unknown.
    #[serde(default)]
    pub attempts: u32,
}

/// A question that nobody has answered yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// The question.
    pub id: InquiryId,
    /// The tool that it is about.
    pub tool: Option<ToolName>,
    /// The call that it is about.
    pub call: Option<CallId>,
    /// What counts as an answer.
    pub expects: Expectation,
}

/// What counts as an answer to an open question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expectation {
    /// Yes or no.
    Boolean,
    /// One of these values.
    Select(Vec<String>),
    /// Any text.
    Text,
    /// A text that is never stored.
    Secret,
}

impl Expectation {
    fn of(answer: &AnswerType) -> Self {
        match answer {
            AnswerType::Boolean { .. } => Self::Boolean,
            AnswerType::Select { options, .. } => {
                Self::Select(options.iter().map(|option| option.value.clone()).collect())
            }
            AnswerType::Text { .. } => Self::Text,
            AnswerType::Secret => Self::Secret,
        }
    }

    fn is_met_by(&self, answer: &Answer) -> bool {
        match (self, answer) {
            (Self::Boolean, Answer::Boolean(_)) | (Self::Text, Answer::Text(_)) => true,
            (Self::Select(values), Answer::Select(value)) => values.contains(value),
            _ => false,
        }
    }
}

/// Why an event cannot stand at the end of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Refusal {
    #[error("the result of call `{0}` has no call without a result before it")]
    ResultWithoutCall(CallId),
    #[error("the start of call `{0}` has no call without a result before it")]
    StartWithoutCall(CallId),
    #[error("call `{0}` is still waiting for its result; a second call needs an id of its own")]
    CallTwice(CallId),
    #[error("the answer to question `{0}` has no open question before it")]
    AnswerWithoutQuestion(InquiryId),
    #[error(
        "question `{0}` is answered with a secret, which is never stored: its outcome is `redacted`"
    )]
    SecretAnswer(InquiryId),
    #[error("the answer to question `{0}` is not of the form that it asks for")]
    AnswerOfOtherForm(InquiryId),
    #[error("question `{0}` is still open; a second question needs an id of its own")]
    QuestionTwice(InquiryId),
    #[error("question `{0}` is about call `{1}`, which is not waiting for a result")]
    QuestionWithoutCall(InquiryId, CallId),
    #[error("a request follows straight after a request")]
    RequestAfterRequest,
    #[error("a request would leave {} without a result", list(.0))]
    RequestBeforeResults(Vec<CallId>),
}

fn list(calls: &[CallId]) -> String {
    let names: Vec<_> = calls.iter().map(|call| format!("`{call}`")).collect();
    let noun = if names.len() == 1 { "call" } else { "calls" };
    format!("{noun} {}", names.join(", "))
}

impl Progress {
    /// What a status and a number of turns say by themselves: most states need no more words.
    pub fn plain(status: &Status, turns: u64) -> Self {
        let begun = Self { groups: turns, requested: turns > 0, ..Self::default() };
        match status {
            Status::Idle => Self { responded: turns > 0, ..begun },
            Status::Interrupted(Pending::Response) => Self { at_request: true, ..begun },
            Status::Interrupted(Pending::FollowUp) => Self { follow_up_due: true, ..begun },
            Status::Interrupted(Pending::Tools) | Status::WaitingForInput(_) => begun,
        }
    }

    /// Turns that hold more than a prelude.
    pub fn turns(&self) -> u64 {
        self.groups.saturating_sub(u64::from(self.prelude))
    }

    /// The number of the turn that the last event belongs to; `None` while there is no event.
    pub fn current_turn(&self) -> Option<u64> {
        self.groups.checked_sub(1)
    }

    /// Calls of the last turn without a result, in the order in which they were made.
    pub fn pending_calls(&self) -> &[PendingCall] {
        &self.calls
    }

    /// Questions of the last turn without an answer, in the order in which they came up.
    pub fn open_questions(&self) -> &[OpenQuestion] {
        &self.questions
    }

    /// Whether a call waits for the answer to a question.
    pub fn waits_for_answer(&self, call: &CallId) -> bool {
        self.questions.iter().any(|question| question.call.as_ref() == Some(call))
    }

    /// Whether the last turn is under way: a request was made and not everything has come back.
    pub fn is_incomplete(&self) -> bool {
        self.pending().is_some()
    }

    /// The answer that began and has not ended, as long as nobody has acted upon it. It does not
    /// count, calls and all: the model is asked again.
    pub fn open_answer(&self) -> Option<&AnswerId> {
        self.open_answer.as_ref().or(self.broken_answer.as_ref())
    }

    /// Whether what is missing is an answer that had begun before.
    pub fn is_asked_anew(&self) -> bool {
        self.open_answer().is_some() && self.pending() != Some(Pending::Tools)
    }

    /// Whether the last event of the dialogue is a request.
    pub fn is_at_request(&self) -> bool {
        self.at_request
    }

    /// What is missing from the last turn.
    pub fn pending(&self) -> Option<Pending> {
        if !self.calls.is_empty() && self.open_answer.is_none() {
            Some(Pending::Tools)
        } else if self.follow_up_due {
            Some(Pending::FollowUp)
        } else if self.requested && !self.responded || self.open_answer.is_some() {
            Some(Pending::Response)
        } else {
            None
        }
    }

    /// The status in a word or two.
    pub fn status(&self) -> Status {
        match (self.pending(), self.questions.first()) {
            (None, _) => Status::Idle,
            (Some(_), Some(question)) => Status::WaitingForInput(question.tool.clone()),
            (Some(pending), None) => Status::Interrupted(pending),
        }
    }

    /// Whether an event would begin a turn of its own.
    pub fn begins_turn(&self, event: &Event) -> bool {
        if self.groups == 0 {
            return true;
        }
        match &event.kind {
            EventKind::Request(request) => !request.interrupts && !self.prelude && !self.at_request,
            EventKind::ConfigDelta(_) | EventKind::Compaction(_) | EventKind::Attachment(_) => {
                !self.prelude && !self.is_incomplete()
            }
            _ => false,
        }
    }

    /// Checks whether an event can stand here.
    pub fn admit(&self, event: &Event) -> Result<(), Refusal> {
        let is_pending = |id: &CallId| self.calls.iter().any(|call| call.id == *id);
        let is_open = |id: &InquiryId| self.questions.iter().any(|question| question.id == *id);
        match &event.kind {
            EventKind::Request(request) if request.interrupts => Ok(()),
            EventKind::Request(_) if self.at_request => Err(Refusal::RequestAfterRequest),
            EventKind::Request(_) if !self.calls.is_empty() => {
                let waiting = self.calls.iter().map(|call| call.id.clone()).collect();
                Err(Refusal::RequestBeforeResults(waiting))
            }
            EventKind::ToolCall(call) if is_pending(&call.id) => {
                Err(Refusal::CallTwice(call.id.clone()))
            }
            EventKind::ToolStart(start) if !is_pending(&start.id) => {
                Err(Refusal::StartWithoutCall(start.id.clone()))
            }
            EventKind::ToolResult(result) if !is_pending(&result.id) => {
                Err(Refusal::ResultWithoutCall(result.id.clone()))
            }
            EventKind::InquiryRequest(inquiry) if is_open(&inquiry.id) => {
                Err(Refusal::QuestionTwice(inquiry.id.clone()))
            }
            EventKind::InquiryRequest(inquiry) => match &inquiry.call {
                Some(call) if !is_pending(call) => {
                    Err(Refusal::QuestionWithoutCall(inquiry.id.clone(), call.clone()))
                }
                _ => Ok(()),
            },
            EventKind::InquiryResponse(response) => self.admit_answer(response),
            _ => Ok(()),
        }
    }

    fn admit_answer(&self, response: &InquiryResponse) -> Result<(), Refusal> {
        let id = || response.id.clone();
        let question = self.questions.iter().find(|question| question.id == response.id);
        let question = question.ok_or_else(|| Refusal::AnswerWithoutQuestion(id()))?;
        match &response.outcome {
            Outcome::Answered(_) if question.expects == Expectation::Secret => {
                Err(Refusal::SecretAnswer(id()))
            }
            Outcome::Answered(answer) if !question.expects.is_met_by(answer) => {
                Err(Refusal::AnswerOfOtherForm(id()))
            }
            Outcome::Answered(_) | Outcome::Cancelled | Outcome::Redacted => Ok(()),
        }
    }

    /// Takes an event into account, whether or not it can stand here.
    pub fn push(&mut self, event: &Event) {
        if self.begins_turn(event) {
            *self =
                Self { groups: self.groups.saturating_add(1), prelude: true, ..Self::default() };
        }
        if !event.event_type().is_prelude() {
            self.prelude = false;
        }
        match &event.kind {
            EventKind::Request(_) => {
                self.requested = true;
                self.responded = false;
                self.at_request = true;
            }
            EventKind::Message(Message { block, .. })
            | EventKind::Reasoning(Reasoning { block, .. })
            | EventKind::Structured(Structured { block, .. }) => {
                // What broke off is no answer, only the beginning of one.
                if is_superseded(&event.metadata) {
                    self.broken_answer.clone_from(&block.answer);
                } else {
                    self.answer(block);
                    self.responded = true;
                    self.follow_up_due = false;
                }
            }
            EventKind::ToolCall(call) => {
                self.answer(&call.block);
                let (id, tool) = (call.id.clone(), call.tool.clone());
                self.calls.push(PendingCall { id, tool, attempts: 0 });
            }
            EventKind::ToolStart(start) => {
                self.act();
                for call in self.calls.iter_mut().filter(|call| call.id == start.id) {
                    call.attempts = call.attempts.max(start.attempt);
                }
            }
            EventKind::ToolResult(result) => {
                self.act();
                self.calls.retain(|call| call.id != result.id);
                self.questions.retain(|question| question.call.as_ref() != Some(&result.id));
                self.follow_up_due = true;
                self.at_request = false;
            }
            EventKind::InquiryRequest(inquiry) => {
                self.act();
                self.questions.push(OpenQuestion {
                    id: inquiry.id.clone(),
                    tool: inquiry.tool.clone(),
                    call: inquiry.call.clone(),
                    expects: Expectation::of(&inquiry.answer),
                });
            }
            EventKind::InquiryResponse(response) => {
                self.questions.retain(|question| question.id != response.id);
            }
            EventKind::Attachment(_) | EventKind::ConfigDelta(_) | EventKind::Compaction(_) => {}
        }
    }

    /// An answer has ended, which was not known when its last block came.
    pub fn close_answer(&mut self, answer: &AnswerId) {
        if self.open_answer.as_ref() == Some(answer) {
            self.open_answer = None;
        }
    }

    /// Somebody has acted upon the last answer, whether or not it has ended.
    fn act(&mut self) {
        (self.open_answer, self.broken_answer) = (None, None);
    }

    fn answer(&mut self, block: &Block) {
        self.at_request = false;
        self.broken_answer = None;
        self.open_answer = match block.finish {
            Some(_) => None,
            None => block.answer.clone(),
        };
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
