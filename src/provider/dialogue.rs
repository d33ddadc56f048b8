//! A conversation as those services take it for whom an answer is one message with one text, and
//! each result a message of its own.

use serde_json::{Value, json};

use super::{
    ToolSpec,
    exchange::{Exchange, Outcome, Said, Turn},
    json::Json,
    names::ToolNames,
};
use crate::{
    model::{Arguments, CallId, ToolName},
    projection::{Part, PartKind},
};

/// What each of these services writes in its own way.
pub(super) trait Form {
    /// An answer.
    fn answer(&self, answer: &Answer<'_>) -> Json;

    /// The result of a call.
    fn result(&self, outcome: &Outcome<'_>) -> Json;

    /// What has to stand between a result and the user, if anything has to.
    fn bridge(&self) -> Option<Json>;
}

/// An answer, sorted by what is in it.
pub(super) struct Answer<'a> {
    pub parts: &'a [Said<'a>],
    /// All that was said, if anything was.
    pub text: Option<String>,
    /// The thoughts that led to calls whose question is not answered yet.
    pub thoughts: String,
    pub calls: Vec<Called<'a>>,
}

/// A call of an answer.
pub(super) struct Called<'a> {
    pub part: &'a Part,
    /// It was made by the model that is asked now.
    pub own: bool,
    pub id: &'a CallId,
    pub tool: &'a ToolName,
    pub arguments: &'a Arguments,
}

/// The messages of an exchange, the system prompt first.
pub(super) fn messages(exchange: &Exchange<'_>, system: &str, form: &impl Form) -> Json {
    let mut messages: Vec<Json> = Vec::new();
    if !system.trim().is_empty() {
        messages.push(json!({ "role": "system", "content": system }).into());
    }
    let question = exchange.last_question();
    let mut after_results = false;
    for (index, turn) in exchange.turns.iter().enumerate() {
        match turn {
            Turn::User(texts) => {
                messages.extend(form.bridge().filter(|_| after_results));
                messages.push(json!({ "role": "user", "content": texts.join("\n\n") }).into());
                after_results = false;
            }
            Turn::Answer { parts, results } => {
                after_results = !results.is_empty();
                let answer = Answer::of(parts, after_results && index > question);
                messages.extend(answer.map(|answer| form.answer(&answer)));
                messages.extend(results.iter().map(|outcome| form.result(outcome)));
            }
        }
    }
    Json::List(messages)
}

/// A tool that may be called.
pub(super) fn function(spec: &ToolSpec, names: &ToolNames) -> Value {
    let parameters = match &spec.parameters {
        parameters @ Value::Object(_) => parameters.clone(),
        _ => json!({ "type": "object", "properties": {} }),
    };
    json!({
        "type": "function",
        "function": {
            "name": names.wire(&spec.name),
            "description": spec.description,
            "parameters": parameters,
        },
    })
}

impl<'a> Answer<'a> {
    /// Sorts the parts of an answer; none if nothing but thoughts are in it.
    fn of(parts: &'a [Said<'a>], with_thoughts: bool) -> Option<Self> {
        let mut texts = Vec::new();
        let mut thoughts = String::new();
        let mut calls = Vec::new();
        for said in parts {
            let Said { part, own } = *said;
            match &part.kind {
                PartKind::Text(text) => texts.push(text.to_text_lossy()),
                PartKind::Data(data) => texts.push(data.as_str().into()),
                PartKind::Reasoning(thought) if with_thoughts => {
                    thoughts.push_str(&thought.to_text_lossy());
                }
                PartKind::Reasoning(_) => {}
                PartKind::Call { id, tool, arguments } => {
                    calls.push(Called { part, own, id, tool, arguments });
                }
            }
        }
        let text = (!texts.is_empty()).then(|| texts.join("\n\n"));
        (text.is_some() || !calls.is_empty()).then_some(Self { parts, text, thoughts, calls })
    }
}
