//! A query as Ollama takes it.

use serde_json::{Map, Value, json};

use crate::provider::{
    Effort, Query,
    dialogue::{Answer, Called, Form, function, messages},
    exchange::{Exchange, Outcome, Portion, arguments_object, base64},
    names::ToolNames,
};

/// The body of the request.
pub(in crate::provider) fn encode(query: &Query) -> Value {
    let exchange = Exchange::new(query, |_| true);
    let names = ToolNames::of(query);
    let mut body = Map::new();
    let mut say = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    say("model", query.model_name().into());
    say("stream", true.into());
    // Rather an error than a conversation whose beginning is silently forgotten.
    say("truncate", false.into());
    say("shift", false.into());
    let mut options = Map::new();
    if let Some(limit) = query.sampling.max_tokens {
        options.insert("num_predict".to_owned(), limit.into());
    }
    if let Some(temperature) = query.sampling.temperature {
        options.insert("temperature".to_owned(), temperature.into());
    }
    if !options.is_empty() {
        say("options", options.into());
    }
    if let Some(effort) = query.sampling.reasoning {
        say("think", think(effort));
    }
    if !query.tools.is_empty() {
        say("tools", query.tools.iter().map(|spec| function(spec, &names)).collect());
    }
    if let Some(schema) = &query.schema {
        say("format", schema.clone());
    }
    say("messages", messages(&exchange, &exchange.system, &Ollama { names: &names }).into());
    body.into()
}

fn think(effort: Effort) -> Value {
    match effort {
        Effort::Off => false.into(),
        Effort::Low => "low".into(),
        Effort::Medium => "medium".into(),
        Effort::High => "high".into(),
    }
}

struct Ollama<'a> {
    names: &'a ToolNames,
}

impl Form for Ollama<'_> {
    fn user(&self, text: String, portions: &[Portion<'_>]) -> Value {
        let images = portions.iter().filter_map(|portion| match portion {
            Portion::Image { bytes, .. } => Some(base64(bytes)),
            // It has no place for documents, and is never said to take them.
            Portion::Text(_) | Portion::Pdf { .. } => None,
        });
        json!({ "role": "user", "content": text, "images": images.collect::<Value>() })
    }

    fn answer(&self, answer: &Answer<'_>) -> Value {
        let mut message = json!({
            "role": "assistant",
            "content": answer.text.as_deref().unwrap_or_default(),
        });
        if !answer.thoughts.is_empty() {
            message["thinking"] = answer.thoughts.as_str().into();
        }
        if !answer.calls.is_empty() {
            message["tool_calls"] = answer.calls.iter().map(|call| self.call(call)).collect();
        }
        message
    }

    fn result(&self, outcome: &Outcome<'_>) -> Value {
        json!({
            "role": "tool",
            "tool_name": self.names.wire(outcome.tool),
            "tool_call_id": outcome.id.as_str(),
            "content": outcome.marked(),
        })
    }

    fn bridge(&self) -> Option<Value> {
        None
    }
}

impl Ollama<'_> {
    fn call(&self, call: &Called<'_>) -> Value {
        json!({
            "id": call.id.as_str(),
            "function": {
                "name": self.names.wire(call.tool),
                "arguments": arguments_object(call.arguments),
            },
        })
    }
}
