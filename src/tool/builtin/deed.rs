//! What all built-in tools have in common: arguments that are read once, and words for what failed.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    change::Change,
    problem::Problem,
    said::{Promise, Said},
};
use crate::{
    cancel::Cancel,
    model::ToolName,
    provider::ToolSpec,
    tool::{Host, Invocation, Misfit, Outcome, Schema, Subject, Tool},
};

/// What one built-in tool does, once its arguments have been read.
pub(super) trait Deed: Send + Sync {
    /// What it is called with.
    type Arguments: DeserializeOwned;
    /// The name by which models call it.
    const NAME: &'static str;
    /// What it does, for the model.
    const DESCRIPTION: &'static str;
    /// Whether doing it twice is the same as doing it once.
    const IS_IDEMPOTENT: bool;

    /// The JSON Schema of its arguments.
    fn parameters() -> Value;

    /// Whether it would do this at all, as far as can be told without looking at files.
    fn check(&self, arguments: &Self::Arguments) -> Result<(), Problem>;

    /// What rules look at.
    fn subject(&self, arguments: &Self::Arguments) -> Subject;

    /// What it would change; none if it changes no file by itself.
    fn change(&self, _arguments: &Self::Arguments) -> Option<Result<Change, Problem>> {
        None
    }

    /// Does it, if everything is still as it was said to be.
    fn act(
        &self,
        arguments: &Self::Arguments,
        promise: &Promise,
        cancel: &Cancel,
    ) -> Result<Outcome, Problem>;
}

/// A tool that is built in.
pub(super) struct Builtin<D> {
    deed: D,
    spec: ToolSpec,
    schema: Schema,
    said: Said,
}

impl<D: Deed> Builtin<D> {
    pub(super) fn new(deed: D) -> Self {
        let parameters = D::parameters();
        let spec = ToolSpec {
            name: ToolName::new(D::NAME),
            description: D::DESCRIPTION.to_owned(),
            parameters: parameters.clone(),
        };
        Self { deed, spec, schema: Schema::new(parameters), said: Said::default() }
    }

    fn read(&self, arguments: &Value) -> Result<D::Arguments, String> {
        let wrong = |problems: &str| {
            format!("The tool `{}` was not run: its arguments are wrong.\n- {problems}", D::NAME)
        };
        match self.schema.check(arguments) {
            Ok(()) => {}
            Err(Misfit::Value(problems)) => return Err(wrong(&problems.join("\n- "))),
            Err(Misfit::Schema(problem)) => return Err(wrong(&problem)),
        }
        let read = serde_json::from_value(arguments.clone());
        let read: D::Arguments = read.map_err(|error| wrong(&error.to_string()))?;
        match self.deed.check(&read) {
            Ok(()) => Ok(read),
            Err(problem) => Err(format!("The tool `{}` was not run: {problem}.", D::NAME)),
        }
    }
}

impl<D: Deed> Tool for Builtin<D> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_idempotent(&self) -> bool {
        D::IS_IDEMPOTENT
    }

    fn check(&self, arguments: &Value) -> Result<(), String> {
        self.read(arguments).map(|_read| ())
    }

    fn subject(&self, arguments: &Value) -> Subject {
        let Ok(read) = self.read(arguments) else { return Subject::default() };
        self.deed.subject(&read)
    }

    fn preview(&self, arguments: &Value) -> Option<String> {
        let read = self.read(arguments).ok()?;
        Some(match self.deed.change(&read)? {
            Ok(change) => {
                self.said.shown(arguments, change.before());
                change.diff()
            }
            Err(problem) => format!("Nothing would be changed: {problem}.\n"),
        })
    }

    fn run(&self, invocation: &Invocation, host: &Host<'_>) -> Outcome {
        // Nothing is done with arguments that nobody has looked at, whoever calls.
        let arguments = match self.read(&invocation.arguments) {
            Ok(arguments) => arguments,
            Err(problem) => return Outcome::error(problem),
        };
        let promise = self.said.take(&invocation.arguments, invocation.subject.as_ref());
        match self.deed.act(&arguments, &promise, host.cancel()) {
            Ok(outcome) => outcome,
            Err(problem) => {
                let name = D::NAME;
                Outcome::error(format!("The tool `{name}` did nothing: {problem}."))
            }
        }
    }
}
