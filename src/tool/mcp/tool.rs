//! A tool of a server, as one that a model may call.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    Server,
    answer::Answer,
    exchange::{End, Mark},
    offer::Offer,
    server::Ending,
};
use crate::{
    model::ToolName,
    process::Captured,
    provider::ToolSpec,
    tool::{Host, Invocation, Misfit, Outcome, Schema, Tool, excerpt::excerpt, words},
};

/// A tool of a server.
pub struct McpTool {
    server: Arc<Server>,
    /// The name on the wire.
    original: String,
    spec: ToolSpec,
    schema: Schema,
}

impl McpTool {
    pub(super) fn new(server: Arc<Server>, name: &str, offer: Offer) -> Self {
        let spec = ToolSpec {
            name: ToolName::new(name),
            description: offer.description,
            parameters: offer.parameters.clone(),
        };
        Self { server, original: offer.name, spec, schema: Schema::new(offer.parameters) }
    }

    /// The name that the server gives it.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// The server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    pub(super) fn call(&self, arguments: &Value, mark: Mark<'_>, host: &Host<'_>) -> Outcome {
        // Nothing runs with arguments that nobody has looked at, whoever calls.
        if let Err(problem) = self.check(arguments) {
            return Outcome::error(problem);
        }
        let none = Map::new();
        let arguments = arguments.as_object().unwrap_or(&none);
        let ending = self.server.call(&self.original, arguments, mark, self.is_idempotent(), host);
        self.outcome(ending)
    }

    /// The outcome of a call, in words for the model.
    fn outcome(&self, ending: Ending) -> Outcome {
        let (tool, server) = (&self.spec.name, &self.server.spec().name);
        match ending {
            Ending::Ended(End::Answered(answer)) => self.answered(&answer),
            Ending::Ended(End::Refused(problem)) => Outcome::error(format!(
                "The tool `{tool}` failed: the server `{server}` says: {}",
                self.cut(&problem)
            )),
            Ending::Ended(End::TimedOut) => Outcome::error(format!(
                "The tool `{tool}` was given up because it was not done after {}, the `timeout` \
                 of the server `{server}`. What it did until then stays done.",
                words(self.server.spec().timeout)
            )),
            Ending::Ended(End::Cancelled) => Outcome::error(format!(
                "The tool `{tool}` was given up because the query was cancelled. What it did until \
                 then stays done."
            )),
            Ending::NotMade(problem) => Outcome::error(format!(
                "The tool `{tool}` was not run: the server `{server}` is not there: {problem}."
            )),
            Ending::Unknown(problem) | Ending::Ended(End::Lost { problem, .. }) => {
                Outcome::error(format!(
                    "It is not known what the tool `{tool}` did: the server `{server}` was lost in \
                     the middle of the call: {problem}. Do not simply call it again: look first \
                     what was done."
                ))
            }
        }
    }

    fn answered(&self, answer: &Answer) -> Outcome {
        let content = self.cut(&answer.text);
        match answer.is_error {
            true if content.trim().is_empty() => {
                let tool = &self.spec.name;
                Outcome::error(format!("The tool `{tool}` failed and does not say why."))
            }
            true => Outcome::error(content),
            false => Outcome::success(content),
        }
    }

    /// As much of a text as a model should read, and where the rest is.
    fn cut(&self, text: &str) -> String {
        let limit = self.server.spec().output_limit;
        let outputs = &self.server.site().outputs;
        let captured = Captured::of(text.as_bytes(), limit, "mcp", outputs);
        String::from_utf8_lossy(&excerpt(&captured, limit)).into_owned()
    }
}

impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_idempotent(&self) -> bool {
        self.server.spec().idempotent.contains(&self.original)
    }

    fn check(&self, arguments: &Value) -> Result<(), String> {
        let tool = &self.spec.name;
        match self.schema.check(arguments) {
            Ok(()) => Ok(()),
            Err(Misfit::Value(problems)) => Err(format!(
                "The tool `{tool}` was not run: its arguments are wrong.\n- {}",
                problems.join("\n- ")
            )),
            Err(Misfit::Schema(problem)) => Err(format!(
                "The tool `{tool}` was not run: the server `{}` describes its arguments by what is \
                 not a valid JSON Schema: {problem}",
                self.server.spec().name
            )),
        }
    }

    fn run(&self, invocation: &Invocation, host: &Host<'_>) -> Outcome {
        let mark = Mark { call: &invocation.id, is_resume: invocation.is_resume };
        self.call(&invocation.arguments, mark, host)
    }
}
