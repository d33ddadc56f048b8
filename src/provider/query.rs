//! What a provider is asked.

use serde_json::Value;

use crate::{
    model::ToolName,
    projection::{Message, Takes},
};

/// What a provider is asked: a model, what was said so far, and what it may use.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The model as events name it, `provider/name`: what an earlier answer brought along for its
    /// own model goes back only to that one.
    pub model: String,
    /// What was said so far, the system prompt first.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// The JSON Schema of the data that is wanted instead of a text.
    pub schema: Option<Value>,
    /// How the model should go about it.
    pub sampling: Sampling,
    /// What the model takes beside text; other content is only told of.
    pub takes: Takes,
}

impl Query {
    /// The model as the provider names it: what comes after the first slash.
    pub fn model_name(&self) -> &str {
        self.model.split_once('/').map_or(self.model.as_str(), |(_, name)| name)
    }
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: ToolName,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// How a model should go about it; what is not set is left to the provider.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sampling {
    /// The most tokens of an answer.
    pub max_tokens: Option<u32>,
    /// How daring the choice of words is.
    pub temperature: Option<f64>,
    /// How much it thinks first.
    pub reasoning: Option<Effort>,
}

/// How much a model thinks before it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Not at all.
    Off,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// A lot.
    High,
}
