//! Calls of tools, their durable intents, and their results.

use super::{Block, Body, CallId, Json, ToolName};

/// A model asks for a tool to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool.
    pub tool: ToolName,
    /// The id that the result will name.
    pub id: CallId,
    /// What the tool is called with.
    pub arguments: Arguments,
    /// The answer that asked.
    pub block: Block,
}

/// The arguments of a call, to the letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// What a call should have.
    Json(Json),
    /// What a model wrote instead of JSON; kept so that it can be answered with an error.
    Text(String),
}

impl Arguments {
    /// Takes what a model wrote, valid or not.
    pub fn new(text: impl Into<String>) -> Self {
        match Json::new(text) {
            Ok(json) => Self::Json(json),
            Err(invalid) => Self::Text(invalid.text),
        }
    }

    /// The text, valid or not.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Json(json) => json.as_str(),
            Self::Text(text) => text,
        }
    }
}

/// A tool is about to run: written before its first side effect, so that a call with an intent and
/// no result is known to be of unknown outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolStart {
    /// The call.
    pub id: CallId,
    /// How many times it has been started, from 1.
    pub attempt: u32,
    /// Fields that this version of jp does not know and carries along.
    pub rest: toml::Table,
}

impl ToolStart {
    /// The arguments that it runs with, if they are others than the model called it with.
    pub fn changed_arguments(&self) -> Option<&str> {
        self.rest.get("arguments").and_then(toml::Value::as_str)
    }
}

/// A tool has run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call.
    pub id: CallId,
    /// The tool, where the writer knew it.
    pub tool: Option<ToolName>,
    /// Whether the content tells of a failure.
    pub is_error: bool,
    /// What the tool said.
    pub content: Body,
}
