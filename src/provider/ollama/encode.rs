//! A query as Ollama takes it.

use serde_json::{Map, Value, json};

use crate::provider::{
    Effort, Query,
    dialogue::{Answer, Called, Form, function, messages},
    exchange::{Exchange, Outcome, arguments_object},
    json::Json,
    names::ToolNames,
};

/// The body of the request.
pub(in crate::provider) fn encode(query: &Query) -> Json {
    let exchange = Exchange::new(query, |_| true);
    let names = ToolNames::of(query);
    let mut body = Json::from(json!({
        "model": query.model_name(),
        "stream": true,
        // Rather an error than a conversation whose beginning is silently forgotten.
        "truncate": false,
        "shift": false,
    }));
    let mut options = Map::new();
    if let Some(limit) = query.sampling.max_tokens {
        options.insert("num_predict".to_owned(), limit.into());
    }
    if let Some(temperature) = query.sampling.temperature {
        options.insert("temperature".to_owned(), temperature.into());
    }
    if !options.is_empty() {
        body.set("options", options);
    }
    if let Some(effort) = query.sampling.reasoning {
        body.set("think", think(effort));
    }
    if !query.tools.is_empty() {
        let tools = query.tools.iter().map(|spec| function(spec, &names));
        body.set("tools", tools.collect::<Value>());
    }
    if let Some(schema) = &query.schema {
        body.set("format", schema.clone());
    }
    body.set("messages", messages(&exchange, &exchange.system, &Ollama { names: &names }));
    body
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
    fn answer(&self, answer: &Answer<'_>) -> Json {
        let text = answer.text.as_deref().unwrap_or_default();
        let mut message = Json::from(json!({ "role": "assistant", "content": text }));
        if !answer.thoughts.is_empty() {
            message.set("thinking", answer.thoughts.as_str());
        }
        if !answer.calls.is_empty() {
            let calls = answer.calls.iter().map(|call| self.call(call));
            message.set("tool_calls", calls.collect::<Json>());
        }
        message
    }

    fn result(&self, outcome: &Outcome<'_>) -> Json {
        json!({
            "role": "tool",
            "tool_name": self.names.wire(outcome.tool),
            "tool_call_id": outcome.id.as_str(),
            "content": outcome.marked(),
        })
        .into()
    }

    fn bridge(&self) -> Option<Json> {
        None
    }
}

impl Ollama<'_> {
    fn call(&self, call: &Called<'_>) -> Json {
        let mut function = Json::from(json!({ "name": self.names.wire(call.tool) }));
        function.set("arguments", Json::Text(arguments_object(call.arguments)));
        let mut sent = Json::from(json!({ "id": call.id.as_str() }));
        sent.set("function", function);
        sent
    }
}
