//! What a model is told beside the conversation, written down, so that a turn that was interrupted
//! goes on with the same words; and in what that differs from what it would be told now.

use std::fmt;

use serde_json::{Value, json};

use super::Setup;
use crate::{model::ToolName, provider::ToolSpec};

/// What a model is told beside the conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// What it is told before anything else.
    pub system_prompt: Option<String>,
    /// The tools that it may call.
    pub tools: Vec<ToolSpec>,
    /// The JSON Schema of the data that is wanted instead of a text.
    pub schema: Option<Value>,
}

/// In what it differs from what a model would be told now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The model is not within reach any more, for this reason.
    Model(String),
    /// There is no such tool any more.
    ToolGone(ToolName),
    /// The tool takes other arguments, or says something else of itself.
    ToolChanged(ToolName),
    /// The system prompt is another one.
    SystemPrompt,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(why) => write!(f, "the model is gone: {why}"),
            Self::ToolGone(tool) => write!(f, "the tool `{tool}` no longer exists"),
            Self::ToolChanged(tool) => write!(f, "the tool `{tool}` has changed"),
            Self::SystemPrompt => f.write_str("the system prompt has changed"),
        }
    }
}

impl Told {
    /// What a model is told with these settings.
    pub fn of(setup: &Setup) -> Self {
        let prompt = setup.system_prompt.clone().filter(|prompt| !prompt.trim().is_empty());
        let schema = setup.schema.as_ref().map(|schema| schema.value.clone());
        Self { system_prompt: prompt, tools: setup.specs(), schema }
    }

    /// The tools as they are written down, even if there are none: that something was written down
    /// is known by them.
    pub fn tools_text(&self) -> String {
        let tool = |spec: &ToolSpec| {
            json!({
                "name": spec.name,
                "description": spec.description,
                "parameters": spec.parameters,
            })
        };
        pretty(&Value::Array(self.tools.iter().map(tool).collect()))
    }

    /// The schema as it is written down.
    pub fn schema_text(&self) -> Option<String> {
        self.schema.as_ref().map(pretty)
    }

    /// Reads it again; `None` for tools or a schema that are not of the form that is written.
    pub fn read(system_prompt: Option<&[u8]>, tools: &[u8], schema: Option<&[u8]>) -> Option<Self> {
        let system_prompt = system_prompt.map(|text| String::from_utf8(text.to_vec()));
        Some(Self {
            system_prompt: system_prompt.transpose().ok()?,
            tools: read_tools(&serde_json::from_slice(tools).ok()?)?,
            schema: match schema {
                Some(text) => Some(serde_json::from_slice(text).ok()?),
                None => None,
            },
        })
    }

    /// In what a model would be told something else now. What is new does not count: it can be left
    /// out.
    pub fn mismatches(&self, now: &Self) -> Vec<Mismatch> {
        let mut mismatches = Vec::new();
        if self.system_prompt != now.system_prompt {
            mismatches.push(Mismatch::SystemPrompt);
        }
        for spec in &self.tools {
            match now.tools.iter().find(|tool| tool.name == spec.name) {
                None => mismatches.push(Mismatch::ToolGone(spec.name.clone())),
                Some(tool) if tool != spec => {
                    mismatches.push(Mismatch::ToolChanged(spec.name.clone()));
                }
                Some(_) => {}
            }
        }
        mismatches
    }
}

fn read_tools(value: &Value) -> Option<Vec<ToolSpec>> {
    let read = |tool: &Value| {
        Some(ToolSpec {
            name: ToolName::new(tool.get("name")?.as_str()?),
            description: tool.get("description")?.as_str()?.to_owned(),
            parameters: tool.get("parameters")?.clone(),
        })
    };
    value.as_array()?.iter().map(read).collect()
}

fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a value can be written");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, parameters: Value) -> ToolSpec {
        ToolSpec { name: ToolName::new(name), description: "Does it".to_owned(), parameters }
    }

    fn told(prompt: Option<&str>, tools: Vec<ToolSpec>) -> Told {
        Told { system_prompt: prompt.map(str::to_owned), tools, schema: None }
    }

    #[test]
    fn what_is_written_down_reads_the_same() {
        let parameters = json!({ "type": "object", "properties": { "z": {}, "a": {} } });
        let whole = Told {
            schema: Some(json!({ "type": "object" })),
            ..told(Some("Be brief.\n"), vec![spec("b", parameters), spec("a", json!({}))])
        };
        for told in [whole, Told::default(), told(Some(""), Vec::new())] {
            let (tools, schema) = (told.tools_text(), told.schema_text());
            let prompt = told.system_prompt.as_ref().map(String::as_bytes);
            let schema = schema.as_ref().map(String::as_bytes);
            let read = Told::read(prompt, tools.as_bytes(), schema);
            assert_eq!(read, Some(told));
        }
        for damaged in ["{}", "[1]", "[{\"name\": 1}]", "nonsense", ""] {
            assert_eq!(Told::read(None, damaged.as_bytes(), None), None, "{damaged}");
        }
    }

    #[test]
    fn everything_that_differs_is_named_and_what_is_new_is_not() {
        let then = told(Some("A"), vec![spec("a", json!({})), spec("b", json!({}))]);
        let other = spec("b", json!({ "type": "object" }));
        let now = told(Some("B"), vec![other, spec("c", json!({}))]);
        let words: Vec<_> = then.mismatches(&now).iter().map(ToString::to_string).collect();
        assert_eq!(
            words,
            [
                "the system prompt has changed",
                "the tool `a` no longer exists",
                "the tool `b` has changed",
            ]
        );
        assert_eq!(then.mismatches(&then), []);
        let more = told(Some("A"), [then.tools.clone(), vec![spec("c", json!({}))]].concat());
        assert_eq!(then.mismatches(&more), []);
    }
}
