//! A query as the Chat Completions API takes it.

use serde_json::{Map, Value, json};

use super::{API, dialect::Dialect};
use crate::{
    projection::{Part, PartKind},
    provider::{
        Query, ToolSpec,
        exchange::{Exchange, Outcome, Said, Turn, arguments_object},
        names::ToolNames,
        schema,
    },
};

/// The body of the request.
pub(in crate::provider) fn encode(query: &Query, dialect: &Dialect) -> Value {
    let exchange = Exchange::new(query, |part| dialect.wants_thoughts || native(part).is_some());
    let names = ToolNames::of(query);
    let mut body = Map::new();
    let mut say = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    say("model", query.model_name().into());
    say("stream", true.into());
    if dialect.asks_for_usage {
        say("stream_options", json!({ "include_usage": true }));
    }
    if let Some(limit) = query.sampling.max_tokens {
        say(dialect.limit, limit.into());
    }
    if let Some(temperature) = query.sampling.temperature {
        say("temperature", temperature.into());
    }
    if !query.tools.is_empty() {
        let tools = query.tools.iter().map(|spec| tool(spec, &names));
        say("tools", tools.collect());
    }
    let mut system = exchange.system.clone();
    if let Some(schema) = &query.schema {
        say("response_format", format(schema, dialect, &mut system));
    }
    say("messages", messages(&exchange, &system, &names, dialect).into());
    if let Some(effort) = query.sampling.reasoning {
        dialect.thinking.say(effort, &mut body);
    }
    body.into()
}

fn native(part: &Part) -> Option<&Map<String, Value>> {
    part.native.as_ref().filter(|native| native.api == API)?.block.as_object()
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

/// The form of the answer; a service that knows no schemas is told it in words.
fn format(schema: &Value, dialect: &Dialect, system: &mut String) -> Value {
    let (schema, _) = schema::as_object(schema);
    if !dialect.schemas {
        if !system.is_empty() {
            system.push_str("\n\n");
        }
        system.push_str(&format!("Answer with JSON that fits this JSON Schema:\n{schema}"));
        return json!({ "type": "json_object" });
    }
    let strict = schema::is_strict(&schema);
    let named = json!({ "name": schema::ANSWER, "strict": strict, "schema": schema });
    json!({ "type": "json_schema", "json_schema": named })
}

fn messages(
    exchange: &Exchange<'_>,
    system: &str,
    names: &ToolNames,
    dialect: &Dialect,
) -> Vec<Value> {
    let mut messages = Vec::new();
    if !system.trim().is_empty() {
        messages.push(json!({ "role": "system", "content": system }));
    }
    let question = exchange.last_question();
    let mut last_is_tool = false;
    for (index, turn) in exchange.turns.iter().enumerate() {
        match turn {
            Turn::User(texts) => {
                if last_is_tool && dialect.answers_tools {
                    messages.push(json!({ "role": "assistant", "content": "(no answer)" }));
                }
                messages.push(json!({ "role": "user", "content": texts.join("\n\n") }));
            }
            Turn::Answer { parts, results } => {
                let thoughts = dialect.wants_thoughts && index > question && !results.is_empty();
                messages.extend(answer(parts, names, dialect, thoughts));
                messages.extend(results.iter().map(|outcome| result(outcome, dialect)));
            }
        }
        last_is_tool = matches!(turn, Turn::Answer { results, .. } if !results.is_empty());
    }
    messages
}

fn answer(
    parts: &[Said<'_>],
    names: &ToolNames,
    dialect: &Dialect,
    thoughts: bool,
) -> Option<Value> {
    let mut texts = Vec::new();
    let mut reasoning = String::new();
    let mut calls = Vec::new();
    let mut message = Map::new();
    message.insert("role".to_owned(), "assistant".into());
    message.insert("content".to_owned(), Value::Null);
    for said in parts {
        let own = native(said.part).filter(|_| said.own);
        match &said.part.kind {
            PartKind::Text(text) => texts.push(text.to_text_lossy()),
            PartKind::Data(data) => texts.push(data.as_str().into()),
            PartKind::Reasoning(thought) => {
                if thoughts {
                    reasoning.push_str(&thought.to_text_lossy());
                }
                for (key, value) in own.into_iter().flatten() {
                    gather(&mut message, key, value);
                }
            }
            PartKind::Call { id, tool, arguments } => {
                let mut call = Value::Object(own.cloned().unwrap_or_default());
                call["id"] = dialect.ids.wire(id).into();
                call["type"] = "function".into();
                let object = arguments_object(arguments);
                // What the model wrote goes back to the letter if it is an object.
                let is_object =
                    serde_json::from_str(arguments.as_str()).ok().as_ref() == Some(&object);
                let arguments =
                    if is_object { arguments.as_str().to_owned() } else { object.to_string() };
                call["function"] = json!({ "name": names.wire(tool), "arguments": arguments });
                calls.push(call);
            }
        }
    }
    if texts.is_empty() && calls.is_empty() {
        return None;
    }
    if !texts.is_empty() {
        message.insert("content".to_owned(), texts.join("\n\n").into());
    }
    if !reasoning.is_empty() {
        message.insert("reasoning_content".to_owned(), reasoning.into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    Some(message.into())
}

/// Puts what the service wants back beside its thoughts into the message: lists grow.
fn gather(message: &mut Map<String, Value>, key: &str, value: &Value) {
    match (message.get_mut(key), value) {
        (Some(Value::Array(list)), Value::Array(more)) => list.extend(more.iter().cloned()),
        _ => {
            message.insert(key.to_owned(), value.clone());
        }
    }
}

fn result(outcome: &Outcome<'_>, dialect: &Dialect) -> Value {
    let id = dialect.ids.wire(outcome.id);
    json!({ "role": "tool", "tool_call_id": id, "content": outcome.marked() })
}
