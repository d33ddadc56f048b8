//! Everything that somebody may have to decide about a call.

use serde_json::{Value, json};

use super::Reply;
use crate::{
    model::{
        Answer, AnswerType, Body, Choice, Event, EventKind, Grant, InquiryId, InquiryKind,
        InquiryRequest, InquiryResponse, Metadata, Outcome, Timestamp, ToolCall,
    },
    tool::Question,
};

/// The value of the option to run a tool.
pub const RUN: &str = "run";
/// The value of the option to run a tool now and whenever it is called again.
pub const ALWAYS: &str = "always";
/// The value of the option not to run a tool.
pub const REFUSE: &str = "refuse";

/// The name in the metadata of a question under which its tool finds the answer.
const NAME: &str = "question";
/// The mark in the metadata of a question whose tool waits for the answer while it runs.
const LIVE: &str = "live";
/// The mark in the metadata of a prompt about a result that tells of a failure.
const IS_ERROR: &str = "is_error";
/// The arguments in the metadata of a permission, if somebody changed them.
const ARGUMENTS: &str = "arguments";
/// Who answered, in the metadata of an answer, if it was not a person.
const ANSWERED_BY: &str = "answered_by";

/// Something that has to be decided about a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Prompt {
    /// Whether it may run.
    RunTool,
    /// Whether the model gets this result.
    DeliverResult(Finished),
    /// What its tool wants to know before it runs again.
    ToolQuestion(Question),
    /// What its tool wants to know while it runs.
    LiveQuestion(Question, Ticket),
}

/// What a tool that waits for an answer is known by.
pub type Ticket = u64;

/// What a tool has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Whether it failed.
    pub is_error: bool,
    /// What it said.
    pub content: Body,
}

/// A prompt as somebody is to see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// The question as it is stored.
    pub inquiry: InquiryRequest,
    /// The call, with the arguments that it would be run with.
    pub call: ToolCall,
    /// What it would change, as a diff.
    pub preview: Option<String>,
    /// What would be allowed for the whole conversation.
    pub grant: Grant,
    /// Whether the arguments or the result are to be edited before anything is asked.
    pub edit: bool,
    /// What is wrong with what was edited.
    pub problem: Option<String>,
}

impl Prompt {
    /// What it decides.
    pub fn kind(&self) -> InquiryKind {
        match self {
            Self::RunTool => InquiryKind::RunTool,
            Self::DeliverResult(_) => InquiryKind::DeliverResult,
            Self::ToolQuestion(_) | Self::LiveQuestion(..) => InquiryKind::ToolQuestion,
        }
    }

    /// Whether only a person may decide, as far as it says so itself.
    pub fn is_exclusive(&self) -> bool {
        match self {
            Self::RunTool | Self::DeliverResult(_) => false,
            Self::ToolQuestion(question) | Self::LiveQuestion(question, _) => question.exclusive,
        }
    }

    /// The prompt as it is stored.
    pub fn inquiry(&self, id: InquiryId, call: &ToolCall, exclusive: bool) -> InquiryRequest {
        let (answer, text) = match self {
            Self::RunTool => {
                let choice = |value: &str, description: &str| Choice {
                    value: value.to_owned(),
                    description: Some(description.to_owned()),
                };
                let options = vec![
                    choice(RUN, "run it"),
                    choice(ALWAYS, "run it, and do not ask again in this conversation"),
                    choice(REFUSE, "do not run it"),
                ];
                let text = format!("Run the tool `{}`?", call.tool).into();
                (AnswerType::Select { options, default: Some(REFUSE.to_owned()) }, text)
            }
            // The result is a part of the question, so that it is on disk while it is asked.
            Self::DeliverResult(finished) => {
                (AnswerType::Boolean { default: Some(false) }, finished.content.clone())
            }
            Self::ToolQuestion(question) | Self::LiveQuestion(question, _) => {
                (question.answer.clone(), question.text.clone().into())
            }
        };
        let (tool, call) = (Some(call.tool.clone()), Some(call.id.clone()));
        InquiryRequest { id, kind: self.kind(), tool, call, answer, exclusive, text }
    }

    /// The event that stores it.
    pub fn event(&self, inquiry: InquiryRequest, now: Timestamp) -> Event {
        let mut metadata = Metadata::new();
        match self {
            Self::RunTool => {}
            Self::DeliverResult(finished) => {
                if finished.is_error {
                    metadata.insert(IS_ERROR.to_owned(), Value::Bool(true));
                }
            }
            Self::ToolQuestion(question) => {
                metadata.insert(NAME.to_owned(), json!(question.id));
            }
            Self::LiveQuestion(question, _) => {
                metadata.insert(NAME.to_owned(), json!(question.id));
                metadata.insert(LIVE.to_owned(), Value::Bool(true));
            }
        }
        Event { metadata, ..Event::new(now, EventKind::InquiryRequest(inquiry)) }
    }

    /// The prompt that was stored, unless its tool waited for the answer while it ran.
    pub fn read(inquiry: &InquiryRequest, metadata: &Metadata) -> Option<Self> {
        match inquiry.kind {
            InquiryKind::RunTool => Some(Self::RunTool),
            InquiryKind::DeliverResult => {
                let is_error = metadata.get(IS_ERROR) == Some(&Value::Bool(true));
                let content = inquiry.text.clone();
                Some(Self::DeliverResult(Finished { is_error, content }))
            }
            InquiryKind::ToolQuestion if is_live(metadata) => None,
            InquiryKind::ToolQuestion => Some(Self::ToolQuestion(Question {
                id: metadata.get(NAME)?.as_str()?.to_owned(),
                text: inquiry.text.to_text_lossy().into_owned(),
                answer: inquiry.answer.clone(),
                exclusive: inquiry.exclusive,
            })),
        }
    }
}

/// Whether its tool waited for the answer while it ran, so that nobody else can take it.
pub fn is_live(metadata: &Metadata) -> bool {
    metadata.contains_key(LIVE)
}

/// The event that stores how a prompt was dealt with.
pub fn respond(inquiry: &InquiryId, reply: &Reply, now: Timestamp) -> Event {
    let outcome = match reply {
        Reply::Answer(answer) => Outcome::Answered(answer.clone()),
        Reply::Secret(_) => Outcome::Redacted,
        Reply::Refused(_) => Outcome::Answered(Answer::Select(REFUSE.to_owned())),
        // What was edited is what the result or the start says.
        Reply::Edited(_) => Outcome::Answered(Answer::Boolean(true)),
        Reply::Cancelled => Outcome::Cancelled,
    };
    let response = InquiryResponse { id: inquiry.clone(), outcome };
    Event::new(now, EventKind::InquiryResponse(response))
}

/// Puts down that a call is to be made with other arguments.
pub fn mark_arguments(response: &mut Event, arguments: &str) {
    response.metadata.insert(ARGUMENTS.to_owned(), json!(arguments));
}

/// The arguments that somebody wants a call to be made with, if they are others.
pub fn marked_arguments(metadata: &Metadata) -> Option<&str> {
    metadata.get(ARGUMENTS)?.as_str()
}

/// Puts down that not a person has answered.
pub fn mark_answered_by(response: &mut Event, who: &str) {
    response.metadata.insert(ANSWERED_BY.to_owned(), json!(who));
}

/// The answer that counts when none is given.
pub fn default_answer(answer: &AnswerType) -> Option<Answer> {
    match answer {
        AnswerType::Boolean { default } => default.map(Answer::Boolean),
        AnswerType::Select { default, .. } => default.clone().map(Answer::Select),
        AnswerType::Text { default } => default.as_deref().map(|text| Answer::Text(text.into())),
        AnswerType::Secret => None,
    }
}

/// An answer as a tool reads it.
pub fn told(answer: &Answer) -> Value {
    match answer {
        Answer::Boolean(answer) => Value::Bool(*answer),
        Answer::Select(value) => Value::String(value.clone()),
        Answer::Text(text) => Value::String(text.to_text_lossy().into_owned()),
    }
}
