//! What a tool is given, and how it ends.

use std::fmt;

use serde_json::{Map, Value};

use super::{Host, Subject};
use crate::{
    model::{AnswerType, Body, CallId, Json},
    provider::ToolSpec,
};

/// A tool that a model may call.
pub trait Tool: Send + Sync {
    /// How a model sees it.
    fn spec(&self) -> &ToolSpec;

    /// Whether running it twice is the same as running it once.
    fn is_idempotent(&self) -> bool;

    /// Whether the arguments are ones that it takes; if not, why, in words for the model.
    fn check(&self, arguments: &Value) -> Result<(), String>;

    /// What rules look at in a call with these arguments, which have been checked. It may look at
    /// files, and changes nothing.
    fn subject(&self, _arguments: &Value) -> Subject {
        Subject::default()
    }

    /// What a call would change, as a unified diff, for whoever is asked about it.
    fn preview(&self, _arguments: &Value) -> Option<String> {
        None
    }

    /// Runs it to its end. The arguments have been checked.
    fn run(&self, invocation: &Invocation, host: &Host<'_>) -> Outcome;
}

/// What a tool is run with.
#[derive(Clone, PartialEq)]
pub struct Invocation {
    /// The call.
    pub id: CallId,
    /// What it is called with.
    pub arguments: Value,
    /// The same to the letter, for a tool that hands it on: a value in memory has fewer digits.
    /// `None` if nobody has written it.
    pub written: Option<Json>,
    /// What was answered to its questions so far, by their ids.
    pub answers: Map<String, Value>,
    /// Whether an earlier run of the same call may have begun.
    pub is_resume: bool,
    /// What it was about when somebody or a rule allowed it: a tool that would now touch something
    /// else does not run. `None` if it may touch anything.
    pub subject: Option<Subject>,
}

impl fmt::Debug for Invocation {
    /// Answers may be secrets: of these only the ids are told.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation")
            .field("id", &self.id)
            .field("arguments", &self.arguments)
            .field("answers", &self.answers.keys().collect::<Vec<_>>())
            .field("is_resume", &self.is_resume)
            .finish_non_exhaustive()
    }
}

/// How a run of a tool ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did what it was asked for.
    Success(Body),
    /// It did not, and says why.
    Error(Body),
    /// It has to know something first, and wants to be run again with the answer.
    NeedsInput(Question),
}

impl Outcome {
    /// It did what it was asked for, and said this.
    pub fn success(content: impl Into<Body>) -> Self {
        Self::Success(content.into())
    }

    /// It did not, for this reason.
    pub fn error(reason: impl Into<Body>) -> Self {
        Self::Error(reason.into())
    }
}

/// What a tool wants to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The name under which the tool finds the answer.
    pub id: String,
    /// The question.
    pub text: String,
    /// What counts as an answer.
    pub answer: AnswerType,
    /// Whether only a person may answer.
    pub exclusive: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_about_an_invocation_holds_no_answer() {
        let answers = json!({ "password": "hunter2" });
        let invocation = Invocation {
            id: CallId::new("c"),
            arguments: json!({ "a": 1 }),
            answers: answers.as_object().unwrap().clone(),
            is_resume: true,
            subject: None,
            written: None,
        };
        assert_eq!(
            format!("{invocation:?}"),
            "Invocation { id: CallId(\"c\"), arguments: Object {\"a\": Number(1)}, \
             answers: [\"password\"], is_resume: true, .. }"
        );
    }
}
