//! A query as Ollama takes it.

use serde_json::{Map, Value, json};

use crate::{
    projection::PartKind,
    provider::{
        Effort, Query, ToolSpec,
        exchange::{Exchange, Said, Turn, arguments_object},
        names::ToolNames,
    },
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
        say("tools", query.tools.iter().map(|spec| tool(spec, &names)).collect());
    }
    if let Some(schema) = &query.schema {
        say("format", schema.clone());
    }
    say("messages", messages(&exchange, &names).into());
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

fn tool(spec: &ToolSpec, names: &ToolNames) -> Value {
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

fn messages(exchange: &Exchange<'_>, names: &ToolNames) -> Vec<Value> {
    let mut messages = Vec::new();
    if !exchange.system.trim().is_empty() {
        messages.push(json!({ "role": "system", "content": exchange.system }));
    }
    let question = exchange.last_question();
    for (index, turn) in exchange.turns.iter().enumerate() {
        match turn {
            Turn::User(texts) => {
                messages.push(json!({ "role": "user", "content": texts.join("\n\n") }));
            }
            Turn::Answer { parts, results } => {
                let thoughts = index > question && !results.is_empty();
                messages.extend(answer(parts, names, thoughts));
                messages.extend(results.iter().map(|outcome| {
                    json!({
                        "role": "tool",
                        "tool_name": names.wire(outcome.tool),
                        "tool_call_id": outcome.id.as_str(),
                        "content": outcome.marked(),
                    })
                }));
            }
        }
    }
    messages
}

/// An answer; the thoughts that led to calls go back while the question is not answered.
fn answer(parts: &[Said<'_>], names: &ToolNames, thoughts: bool) -> Option<Value> {
    let mut texts = Vec::new();
    let mut thinking = String::new();
    let mut calls = Vec::new();
    for said in parts {
        match &said.part.kind {
            PartKind::Text(text) => texts.push(text.to_text_lossy()),
            PartKind::Data(data) => texts.push(data.as_str().into()),
            PartKind::Reasoning(thought) => thinking.push_str(&thought.to_text_lossy()),
            PartKind::Call { id, tool, arguments } => calls.push(json!({
                "id": id.as_str(),
                "function": {
                    "name": names.wire(tool),
                    "arguments": arguments_object(arguments),
                },
            })),
        }
    }
    if texts.is_empty() && calls.is_empty() {
        return None;
    }
    let mut message = json!({ "role": "assistant", "content": texts.join("\n\n") });
    if thoughts && !thinking.is_empty() {
        message["thinking"] = thinking.into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    Some(message)
}
