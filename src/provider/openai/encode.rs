//! A query as the Chat Completions API takes it.

use serde_json::{Map, Value, json};

use super::{API, dialect::Dialect};
use crate::{
    projection::{Part, PartKind},
    provider::{
        Query,
        dialogue::{Answer, Called, Form, function, messages},
        exchange::{Exchange, Outcome, Said, arguments_object},
        json::Json,
        names::ToolNames,
        schema,
    },
};

/// The body of the request.
pub(in crate::provider) fn encode(query: &Query, dialect: &Dialect) -> Json {
    let exchange = Exchange::new(query, |part| dialect.wants_thoughts || native(part).is_some());
    let names = ToolNames::of(query);
    let mut body = Json::from(json!({ "model": query.model_name(), "stream": true }));
    if dialect.asks_for_usage {
        body.set("stream_options", json!({ "include_usage": true }));
    }
    if let Some(limit) = query.sampling.max_tokens {
        body.set(dialect.limit, limit);
    }
    if let Some(temperature) = query.sampling.temperature {
        body.set("temperature", temperature);
    }
    if !query.tools.is_empty() {
        let tools = query.tools.iter().map(|spec| function(spec, &names));
        body.set("tools", tools.collect::<Value>());
    }
    let mut system = exchange.system.clone();
    if let Some(schema) = &query.schema {
        body.set("response_format", format(schema, dialect, &mut system));
    }
    body.set("messages", messages(&exchange, &system, &Completions { names: &names, dialect }));
    if let Some(effort) = query.sampling.reasoning {
        let (key, value) = dialect.thinking.words(effort);
        body.set(key, value);
    }
    body
}

fn native(part: &Part) -> Option<&Map<String, Value>> {
    part.native.as_ref().filter(|native| native.api == API)?.block.as_object()
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

struct Completions<'a> {
    names: &'a ToolNames,
    dialect: &'a Dialect,
}

impl Form for Completions<'_> {
    fn answer(&self, answer: &Answer<'_>) -> Json {
        let mut message = Map::new();
        message.insert("role".to_owned(), "assistant".into());
        message.insert("content".to_owned(), answer.text.as_deref().into());
        let thoughts = |said: &&Said<'_>| matches!(said.part.kind, PartKind::Reasoning(_));
        for said in answer.parts.iter().filter(thoughts).filter(|said| said.own) {
            for (key, value) in native(said.part).into_iter().flatten() {
                gather(&mut message, key, value);
            }
        }
        if self.dialect.wants_thoughts && !answer.thoughts.is_empty() {
            message.insert("reasoning_content".to_owned(), answer.thoughts.as_str().into());
        }
        if !answer.calls.is_empty() {
            let calls = answer.calls.iter().map(|call| self.call(call)).collect();
            message.insert("tool_calls".to_owned(), calls);
        }
        message.into()
    }

    fn result(&self, outcome: &Outcome<'_>) -> Json {
        let id = self.dialect.ids.wire(outcome.id);
        json!({ "role": "tool", "tool_call_id": id, "content": outcome.marked() }).into()
    }

    fn bridge(&self) -> Option<Json> {
        let bridge = json!({ "role": "assistant", "content": "(no answer)" });
        self.dialect.answers_tools.then(|| bridge.into())
    }
}

impl Completions<'_> {
    fn call(&self, call: &Called<'_>) -> Value {
        let own = native(call.part).filter(|_| call.own);
        let mut sent = Value::Object(own.cloned().unwrap_or_default());
        sent["id"] = self.dialect.ids.wire(call.id).into();
        sent["type"] = "function".into();
        let arguments = arguments_object(call.arguments);
        let name = self.names.wire(call.tool);
        sent["function"] = json!({ "name": name, "arguments": arguments.get() });
        sent
    }
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
