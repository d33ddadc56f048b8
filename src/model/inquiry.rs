//! Questions that came up while a turn was running, and what was answered.

use super::{Body, CallId, InquiryId, ToolName};

/// Somebody has to decide something before a turn can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InquiryRequest {
    /// The id that the answer will name.
    pub id: InquiryId,
    /// What is being decided.
    pub kind: InquiryKind,
    /// The tool that it is about.
    pub tool: Option<ToolName>,
    /// The call that it is about.
    pub call: Option<CallId>,
    /// What counts as an answer.
    pub answer: AnswerType,
    /// Whether only a person may answer.
    pub exclusive: bool,
    /// The question.
    pub text: Body,
}

/// What a question decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InquiryKind {
    /// Whether a tool may run.
    RunTool,
    /// Whether the result of a tool goes to the model.
    DeliverResult,
    /// Something that a tool wants to know.
    ToolQuestion,
}

/// The form of an answer, with the answer that counts when none is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerType {
    /// Yes or no.
    Boolean {
        /// The answer when none is given.
        default: Option<bool>,
    },
    /// One of several options.
    Select {
        /// What can be chosen.
        options: Vec<Choice>,
        /// The value of the option that counts when none is chosen.
        default: Option<String>,
    },
    /// Any text.
    Text {
        /// The text when none is given.
        default: Option<String>,
    },
    /// A text that is never stored.
    Secret,
}

/// One option of a select.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What is stored when it is chosen.
    pub value: String,
    /// What it means.
    pub description: Option<String>,
}

/// A question was dealt with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InquiryResponse {
    /// The question.
    pub id: InquiryId,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a question ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Somebody answered.
    Answered(Answer),
    /// Nobody wanted to answer.
    Cancelled,
    /// Somebody answered with a secret, which is not stored.
    Redacted,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes or no.
    Boolean(bool),
    /// The value of the option that was chosen.
    Select(String),
    /// A text.
    Text(Body),
}
