//! How far a call has come, as its conversation tells.

use serde_json::{Map, Value};

use super::{
    Unknown,
    prompt::{Finished, Prompt, marked_arguments, told},
};
use crate::{
    model::{
        Answer, Arguments, Entry, EventKind, InquiryId, InquiryRequest, InquiryResponse, Metadata,
        Outcome, Ruling, ToolCall, Verdict,
    },
    tool::{Catalog, Listed},
};

/// A call that has no result, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The call, with the arguments that it is to be run with.
    pub made: ToolCall,
    /// How often it was started.
    pub attempts: u32,
    /// Whether somebody has changed the arguments.
    pub is_edited: bool,
    /// What was answered to its questions.
    pub answers: Map<String, Value>,
    /// What is left to be decided.
    pub left: Left,
    /// What the conversation says that somebody said to the question whether it may run.
    said: Option<(InquiryId, String)>,
    /// Whether it has ended since it was started last.
    has_ended: bool,
}

/// What is left to be decided about a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Left {
    /// Nothing.
    Nothing,
    /// This, which nobody has decided yet.
    Open(Box<InquiryRequest>, Box<Prompt>),
    /// Nothing: it has ended with this, and the model is to hear of it or not.
    Decided(Finished, bool),
}

impl Standing {
    /// Reads what is known of a call from the entries that begin with it.
    pub fn read(entries: &[Entry]) -> Option<Self> {
        let (first, others) = entries.split_first()?;
        let EventKind::ToolCall(made) = &first.event.kind else { return None };
        let mut standing = Self {
            made: made.clone(),
            attempts: 0,
            is_edited: false,
            answers: Map::new(),
            left: Left::Nothing,
            said: None,
            has_ended: false,
        };
        let mut asked = Vec::new();
        for event in others.iter().map(|entry| &entry.event) {
            match &event.kind {
                EventKind::ToolStart(start) if start.id == made.id => {
                    standing.attempts = standing.attempts.max(start.attempt);
                    standing.has_ended = false;
                    standing.left = Left::Nothing;
                    let arguments = start.rest.get("arguments").and_then(toml::Value::as_str);
                    standing.change(arguments);
                }
                EventKind::InquiryRequest(inquiry) if inquiry.call.as_ref() == Some(&made.id) => {
                    let Some(prompt) = Prompt::read(inquiry, &event.metadata) else { continue };
                    standing.has_ended |= !matches!(prompt, Prompt::RunTool);
                    standing.ask(inquiry, &prompt);
                    asked.push((inquiry, prompt));
                }
                EventKind::InquiryResponse(response) => {
                    let prompt = asked.iter().find(|(inquiry, _)| inquiry.id == response.id);
                    if let Some((_, prompt)) = prompt {
                        standing.take(prompt, response, &event.metadata);
                    }
                }
                _ => {}
            }
        }
        Some(standing)
    }

    /// Whether it was started, and nobody knows what it has done.
    pub fn is_unsure(&self) -> bool {
        self.attempts > 0 && !self.has_ended
    }

    /// Whether it must not be made again with these tools unless somebody says so.
    pub fn is_unsure_for(&self, tools: &Catalog) -> bool {
        let listed = tools.find(&self.made.tool);
        self.is_unsure() && !listed.is_some_and(Listed::is_idempotent)
    }

    /// What the user has said to the question whether it may run: what the conversation says,
    /// if one of these says the same of exactly this call. One that knows of more starts than the
    /// conversation does not count, and none does once nobody knows what the call has done.
    pub fn ruling(&self, verdicts: &[Verdict]) -> Option<Ruling> {
        let (inquiry, word) = self.said.as_ref().filter(|_| !self.is_unsure())?;
        let verdict = verdicts.iter().find(|verdict| {
            verdict.is_about(inquiry, &self.made)
                && verdict.ruling.word() == word
                && verdict.starts <= self.attempts
        });
        verdict.map(|verdict| verdict.ruling.clone())
    }

    /// What is told of it then.
    pub fn unknown(&self) -> Unknown {
        Unknown { call: self.made.id.clone(), tool: self.made.tool.clone() }
    }

    /// Something is to be decided. After a result that can only be another start.
    fn ask(&mut self, inquiry: &InquiryRequest, prompt: &Prompt) {
        if *prompt == Prompt::RunTool {
            self.said = None;
        }
        let has_result = match &self.left {
            Left::Nothing => false,
            Left::Open(_, prompt) => matches!(**prompt, Prompt::DeliverResult(_)),
            Left::Decided(..) => true,
        };
        if !has_result {
            self.left = Left::Open(Box::new(inquiry.clone()), Box::new(prompt.clone()));
        }
    }

    fn take(&mut self, prompt: &Prompt, response: &InquiryResponse, metadata: &Metadata) {
        // A second answer to what was decided before must not hide what is open now.
        if matches!(&self.left, Left::Open(open, _) if open.id == response.id) {
            self.left = match (prompt, &response.outcome) {
                (Prompt::DeliverResult(finished), outcome) => {
                    let yes = *outcome == Outcome::Answered(Answer::Boolean(true));
                    Left::Decided(finished.clone(), yes)
                }
                _ => Left::Nothing,
            };
        }
        match (prompt, &response.outcome) {
            (Prompt::RunTool, outcome) => {
                self.change(marked_arguments(metadata));
                self.said = match outcome {
                    Outcome::Answered(Answer::Select(word)) => {
                        Some((response.id.clone(), word.clone()))
                    }
                    _ => None,
                };
            }
            (Prompt::ToolQuestion(question), Outcome::Answered(answer)) => {
                self.answers.insert(question.id.clone(), told(answer));
            }
            _ => {}
        }
    }

    fn change(&mut self, arguments: Option<&str>) {
        if let Some(arguments) = arguments {
            self.made.arguments = Arguments::new(arguments);
            self.is_edited = true;
        }
    }
}
