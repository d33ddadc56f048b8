//! In what the services differ that speak this API.

use serde_json::{Value, json};

use crate::provider::{Effort, names::IdRule};

/// In what a service differs from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) struct Dialect {
    /// How the limit of tokens is called.
    pub limit: &'static str,
    /// How it is told how much to think.
    pub thinking: Thinking,
    /// It counts tokens in a stream only if it is asked to. One that always does refuses to be
    /// asked.
    pub asks_for_usage: bool,
    /// Which ids it accepts.
    pub ids: IdRule,
    /// It knows schemas of answers; otherwise only JSON as such.
    pub schemas: bool,
    /// It wants the thoughts back that led to its calls, while the question is not answered.
    pub wants_thoughts: bool,
    /// It refuses a user who speaks after a tool.
    pub answers_tools: bool,
}

impl Dialect {
    /// What most services speak.
    pub const COMMON: Self = Self {
        limit: "max_tokens",
        thinking: Thinking::Effort,
        asks_for_usage: true,
        ids: IdRule::Plain,
        schemas: true,
        wants_thoughts: false,
        answers_tools: false,
    };
}

/// How a service is told how much to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::provider) enum Thinking {
    /// By `reasoning_effort`.
    Effort,
    /// By an object named `reasoning`.
    Reasoning,
    /// On or off, by an object named `thinking`.
    Switch,
    /// On or off, by what the template of the model is told.
    Template,
}

impl Thinking {
    /// How much to think, in the words of the service: the field of a request and its value.
    pub fn words(self, effort: Effort) -> (&'static str, Value) {
        let word = match effort {
            Effort::Off => "none",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
        };
        let thinks = effort != Effort::Off;
        match self {
            Self::Effort => ("reasoning_effort", json!(word)),
            Self::Reasoning => ("reasoning", json!({ "effort": word })),
            Self::Switch => {
                ("thinking", json!({ "type": if thinks { "enabled" } else { "disabled" } }))
            }
            Self::Template => ("chat_template_kwargs", json!({ "enable_thinking": thinks })),
        }
    }
}
