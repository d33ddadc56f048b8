//! A query as Anthropic's Messages API takes it.

use serde_json::{Value, json};

use super::{API, thinking};
use crate::{
    projection::{Part, PartKind},
    provider::{
        Query,
        exchange::{Exchange, Outcome, Said, Turn, arguments_object},
        json::Json,
        names::{IdRule, ToolNames},
        schema,
    },
};

/// The body of the request.
pub(in crate::provider) fn encode(query: &Query) -> Json {
    let exchange = Exchange::new(query, goes_back);
    let names = ToolNames::of(query);
    let messages = messages(&exchange, &names);
    let asks_data = query.schema.is_some();
    let model = query.model_name();
    let may_think = !asks_data && (thinking::is_adaptive(model) || thoughts_lead(&exchange));
    let mut body = Json::from(json!({ "model": model }));
    for (key, value) in thinking::settings(model, &query.sampling, may_think) {
        body.set(&key, value);
    }
    body.set("stream", true);
    if !exchange.system.trim().is_empty() {
        let mut block = [Json::from(json!({ "type": "text", "text": exchange.system }))];
        mark_for_cache(&mut block);
        body.set("system", block.into_iter().collect::<Json>());
    }
    let mut tools = tools(query, &exchange, &names);
    if asks_data {
        // Where there are other tools, the model may use them first.
        let answer = names.free(schema::ANSWER);
        let mut choice = if query.tools.is_empty() {
            json!({ "type": "tool", "name": answer })
        } else {
            json!({ "type": "any" })
        };
        choice["disable_parallel_tool_use"] = true.into();
        body.set("tool_choice", choice);
    } else if query.tools.is_empty() && !tools.is_empty() {
        body.set("tool_choice", json!({ "type": "none" }));
    }
    if !tools.is_empty() {
        mark_for_cache(&mut tools);
        body.set("tools", Json::List(tools));
    }
    body.set("messages", messages);
    body
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

fn messages(exchange: &Exchange<'_>, names: &ToolNames) -> Json {
    let mut messages: Vec<Message> = Vec::new();
    for turn in &exchange.turns {
        match turn {
            Turn::User(texts) => {
                let block = |text| json!({ "type": "text", "text": text }).into();
                let blocks = texts.iter().map(block);
                add(&mut messages, "user", blocks.collect());
            }
            Turn::Answer { parts, results } => {
                let blocks = parts.iter().map(|said| block(said, names)).collect();
                add(&mut messages, "assistant", blocks);
                add(&mut messages, "user", results.iter().map(result).collect());
            }
        }
    }
    for (_, blocks) in messages.iter_mut().rev().filter(|(role, _)| *role == "user").take(2) {
        mark_for_cache(blocks);
    }
    let message = |(role, blocks)| {
        let mut message = Json::from(json!({ "role": role }));
        message.set("content", Json::List(blocks));
        message
    };
    messages.into_iter().map(message).collect()
}

/// Whose message it is, and what is in it.
type Message = (&'static str, Vec<Json>);

/// Adds blocks to the last message if it is of the same side, and else as a new one.
fn add(messages: &mut Vec<Message>, role: &'static str, blocks: Vec<Json>) {
    match messages.last_mut() {
        _ if blocks.is_empty() => {}
        Some((last, content)) if *last == role => content.extend(blocks),
        _ => messages.push((role, blocks)),
    }
}

fn block(said: &Said<'_>, names: &ToolNames) -> Json {
    let part = said.part;
    let own = native(part).filter(|_| said.own);
    match &part.kind {
        PartKind::Call { id, tool, arguments } => {
            let block = own.cloned().unwrap_or_else(|| json!({ "type": "tool_use" }));
            let mut block = Json::from(block);
            block.set("id", IdRule::Plain.wire(id));
            block.set("name", names.wire(tool));
            block.set("input", Json::Text(arguments_object(arguments)));
            block
        }
        _ if own.is_some() => own.cloned().unwrap_or_default().into(),
        PartKind::Text(text) => json!({ "type": "text", "text": text.to_text_lossy() }).into(),
        PartKind::Data(data) => json!({ "type": "text", "text": data.as_str() }).into(),
        PartKind::Reasoning(thought) => json!({
            "type": "thinking",
            "thinking": thought.to_text_lossy(),
            "signature": part.signature.as_deref().unwrap_or_default(),
        })
        .into(),
    }
}

fn result(outcome: &Outcome<'_>) -> Json {
    let mut block = json!({ "type": "tool_result", "tool_use_id": IdRule::Plain.wire(outcome.id) });
    if !outcome.text.trim().is_empty() {
        block["content"] = outcome.text.as_ref().into();
    }
    if outcome.is_error {
        block["is_error"] = true.into();
    }
    block.into()
}

fn tools(query: &Query, exchange: &Exchange<'_>, names: &ToolNames) -> Vec<Json> {
    let tool = |name: String, description: &str, parameters: Value| {
        json!({ "name": name, "description": description, "input_schema": parameters }).into()
    };
    let mut tools: Vec<Json> = query
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

/// Marks up to where the service shall remember the query: the system prompt, the tools and the
/// last two messages of the user, which are the four places that it allows.
fn mark_for_cache(blocks: &mut [Json]) {
    if let Some(last) = blocks.last_mut() {
        last.set("cache_control", json!({ "type": "ephemeral" }));
    }
}
