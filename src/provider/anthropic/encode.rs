//! A query as Anthropic's Messages API takes it.

use serde_json::{Map, Value, json};

use super::{API, thinking};
use crate::{
    projection::{Part, PartKind},
    provider::{
        Query,
        exchange::{Exchange, Outcome, Portion, Said, Turn, arguments_object, base64},
        names::{IdRule, ToolNames},
        schema,
    },
};

/// The body of the request.
pub(in crate::provider) fn encode(query: &Query) -> Value {
    let exchange = Exchange::new(query, goes_back);
    let names = ToolNames::of(query);
    let messages = messages(&exchange, &names);
    let asks_data = query.schema.is_some();
    let model = query.model_name();
    let may_think = !asks_data && (thinking::is_adaptive(model) || thoughts_lead(&exchange));
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.extend(thinking::settings(model, &query.sampling, may_think));
    body.insert("stream".to_owned(), true.into());
    if !exchange.system.trim().is_empty() {
        let text = &exchange.system;
        body.insert("system".to_owned(), json!([{ "type": "text", "text": text }]));
    }
    let tools = tools(query, &exchange, &names);
    if asks_data {
        // Where there are other tools, the model may use them first.
        let answer = names.free(schema::ANSWER);
        let mut choice = if query.tools.is_empty() {
            json!({ "type": "tool", "name": answer })
        } else {
            json!({ "type": "any" })
        };
        choice["disable_parallel_tool_use"] = true.into();
        body.insert("tool_choice".to_owned(), choice);
    } else if query.tools.is_empty() && !tools.is_empty() {
        body.insert("tool_choice".to_owned(), json!({ "type": "none" }));
    }
    if !tools.is_empty() {
        body.insert("tools".to_owned(), tools.into());
    }
    body.insert("messages".to_owned(), messages.into());
    mark_for_cache(&mut body);
    body.into()
}

/// Whether the service takes a thought back: it must have signed it, or written it in a form that
/// is its own.
fn goes_back(part: &Part) -> bool {
    part.signature.is_some() || native(part).is_some()
}

fn native(part: &Part) -> Option<&Value> {
    let native = part.native.as_ref().filter(|native| native.api == API)?;
    native.block.is_object().then_some(&native.block)
}

/// Whether the answers to the question at hand, as far as they call tools, open with a thought:
/// otherwise an older model must not think now.
fn thoughts_lead(exchange: &Exchange<'_>) -> bool {
    exchange.turns[exchange.last_question().min(exchange.turns.len())..].iter().all(|turn| {
        match turn {
            Turn::User(_) => true,
            Turn::Answer { parts, results } => {
                let first = parts.first().map(|said| &said.part.kind);
                results.is_empty() || matches!(first, Some(PartKind::Reasoning(_)))
            }
        }
    })
}

fn messages(exchange: &Exchange<'_>, names: &ToolNames) -> Vec<Value> {
    let mut messages = Vec::new();
    for turn in &exchange.turns {
        match turn {
            Turn::User(portions) => {
                add(&mut messages, "user", portions.iter().map(portion).collect());
            }
            Turn::Answer { parts, results } => {
                let blocks = parts.iter().map(|said| block(said, names)).collect();
                add(&mut messages, "assistant", blocks);
                add(&mut messages, "user", results.iter().map(result).collect());
            }
        }
    }
    messages
}

fn portion(portion: &Portion<'_>) -> Value {
    let source = |media_type: &str, bytes: &[u8]| json!({ "type": "base64", "media_type": media_type, "data": base64(bytes) });
    match portion {
        Portion::Text(text) => json!({ "type": "text", "text": text }),
        Portion::Image { media_type, bytes } => {
            json!({ "type": "image", "source": source(media_type, bytes) })
        }
        Portion::Pdf { bytes, .. } => {
            json!({ "type": "document", "source": source("application/pdf", bytes) })
        }
    }
}

/// Adds blocks to the last message if it is of the same side, and else as a new one.
fn add(messages: &mut Vec<Value>, role: &str, mut blocks: Vec<Value>) {
    if blocks.is_empty() {
        return;
    }
    if let Some(last) = messages.last_mut().filter(|last| last["role"] == role)
        && let Some(content) = last["content"].as_array_mut()
    {
        content.append(&mut blocks);
        return;
    }
    messages.push(json!({ "role": role, "content": blocks }));
}

fn block(said: &Said<'_>, names: &ToolNames) -> Value {
    let part = said.part;
    let own = native(part).filter(|_| said.own);
    match &part.kind {
        PartKind::Call { id, tool, arguments } => {
            let mut block = own.cloned().unwrap_or_else(|| json!({ "type": "tool_use" }));
            block["id"] = IdRule::Plain.wire(id).into();
            block["name"] = names.wire(tool).into();
            block["input"] = arguments_object(arguments);
            block
        }
        _ if own.is_some() => own.cloned().unwrap_or_default(),
        PartKind::Text(text) => json!({ "type": "text", "text": text.to_text_lossy() }),
        PartKind::Data(data) => json!({ "type": "text", "text": data.as_str() }),
        PartKind::Reasoning(thought) => json!({
            "type": "thinking",
            "thinking": thought.to_text_lossy(),
            "signature": part.signature.as_deref().unwrap_or_default(),
        }),
    }
}

fn result(outcome: &Outcome<'_>) -> Value {
    let mut block = json!({ "type": "tool_result", "tool_use_id": IdRule::Plain.wire(outcome.id) });
    if !outcome.text.trim().is_empty() {
        block["content"] = outcome.text.as_ref().into();
    }
    if outcome.is_error {
        block["is_error"] = true.into();
    }
    block
}

fn tools(query: &Query, exchange: &Exchange<'_>, names: &ToolNames) -> Vec<Value> {
    let tool = |name: String, description: &str, parameters: Value| json!({ "name": name, "description": description, "input_schema": parameters });
    let mut tools: Vec<Value> = query
        .tools
        .iter()
        .map(|spec| tool(names.wire(&spec.name), &spec.description, parameters(&spec.parameters)))
        .collect();
    if let Some(schema) = &query.schema {
        let description = "Gives the final answer. Call it once, when everything is known.";
        tools.push(tool(names.free(schema::ANSWER), description, schema::as_object(schema).0));
    }
    if tools.is_empty() {
        // The service wants to know every tool that was ever called.
        let mut called: Vec<_> = exchange.called_tools().map(|name| names.wire(name)).collect();
        called.sort();
        called.dedup();
        let gone = |name| tool(name, "Not available any more.", json!({ "type": "object" }));
        tools.extend(called.into_iter().map(gone));
    }
    tools
}

fn parameters(schema: &Value) -> Value {
    let mut schema = if schema.is_object() { schema.clone() } else { json!({}) };
    if schema.get("type").is_none() {
        schema["type"] = "object".into();
    }
    schema
}

/// Marks up to where the service shall remember the query: four places at most.
fn mark_for_cache(body: &mut Map<String, Value>) {
    let mark = |blocks: Option<&mut Value>| {
        if let Some(block) = blocks.and_then(Value::as_array_mut).and_then(|list| list.last_mut()) {
            block["cache_control"] = json!({ "type": "ephemeral" });
        }
    };
    mark(body.get_mut("system"));
    mark(body.get_mut("tools"));
    let messages = body.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten();
    for message in messages.rev().filter(|message| message["role"] == "user").take(2) {
        mark(message.get_mut("content"));
    }
}
