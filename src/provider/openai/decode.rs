//! What the Chat Completions API answers, chunk by chunk.

use serde_json::{Value, json};

use super::{API, calls};
use crate::{
    model::{Finish, Usage},
    provider::{
        ProviderError, Query,
        assembly::{Assembly, Kind},
        decoder::{Decoder, Wire, complain, no_answer, parse},
        frames::Event,
        json::Document,
    },
};

/// Hears the answer to a query.
pub(in crate::provider) fn decoder(query: &Query) -> Decoder {
    Decoder::new(Assembly::of_objects(API, query), Completions)
}

struct Completions;

impl Wire for Completions {
    fn add_event(&mut self, event: &Event, assembly: &mut Assembly) -> Result<(), ProviderError> {
        if event.data.trim() == "[DONE]" {
            assembly.stop();
            return Ok(());
        }
        let chunk = parse(&event.data)?;
        let error = chunk.value.get("error");
        if error.is_some_and(|error| !error.is_null()) || event.name == "error" {
            return Err(complain(&chunk.value));
        }
        add_chunk(&chunk, assembly)
    }

    fn add_whole(
        &mut self,
        body: &Document<'_>,
        assembly: &mut Assembly,
    ) -> Result<(), ProviderError> {
        if !body.value["choices"].is_array() {
            return Err(no_answer(&body.value));
        }
        add_chunk(body, assembly)
    }
}

fn add_chunk(chunk: &Document<'_>, assembly: &mut Assembly) -> Result<(), ProviderError> {
    let choices = chunk.value["choices"].as_array().into_iter().flatten().enumerate();
    for (at, choice) in choices.filter(|(_, choice)| choice["index"].as_u64().unwrap_or(0) == 0) {
        let message = if choice["delta"].is_object() { "delta" } else { "message" };
        extend(&choice[message], assembly, |position| {
            let (at, position) = (at.to_string(), position.to_string());
            let call = ["choices", &at, message, "tool_calls", &position];
            chunk.text_at(&[&call[..], &["function", "arguments"]].concat())
        });
        if let Some(reason) = choice["finish_reason"].as_str().filter(|word| !word.is_empty()) {
            if reason == "error" {
                return Err(complain(&Value::Null));
            }
            assembly.stop_for(finish(reason));
            assembly.close_all();
        }
    }
    if let Some(usage) = usage(&chunk.value["usage"]) {
        assembly.count(usage);
    }
    Ok(())
}

/// Adds what a message says; `arguments` finds those of a call that are no text, to the letter.
fn extend<'a>(
    delta: &Value,
    assembly: &mut Assembly,
    arguments: impl Fn(usize) -> Option<&'a str>,
) {
    let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
    let thought = match text("reasoning_content") {
        "" => text("reasoning"),
        thought => thought,
    };
    add(Kind::Reasoning, thought, assembly);
    add_details(&delta["reasoning_details"], assembly);
    match &delta["content"] {
        Value::String(content) => add(assembly.speech(), content, assembly),
        Value::Array(parts) => parts.iter().for_each(|part| add_part(part, assembly)),
        _ => {}
    }
    add(assembly.speech(), text("refusal"), assembly);
    let deltas = delta["tool_calls"].as_array().into_iter().flatten();
    for (position, call) in deltas.enumerate() {
        assembly.demote_data();
        close_texts(None, assembly);
        calls::extend(assembly, call, position, || arguments(position));
    }
}

/// Adds to the text or thought that is coming, or begins one: whatever else came is complete.
fn add(kind: Kind, text: &str, assembly: &mut Assembly) {
    if !text.is_empty() {
        close_texts(Some(kind), assembly);
        assembly.last_of(kind).content.push_str(text);
    }
}

/// Ends texts and thoughts but those of one kind; calls end with the answer.
fn close_texts(but: Option<Kind>, assembly: &mut Assembly) {
    let is_done = |kind: Kind| kind != Kind::Call && Some(kind) != but;
    let done = assembly.open().filter(|draft| is_done(draft.kind));
    for key in done.map(|draft| draft.key).collect::<Vec<_>>() {
        assembly.close(key);
    }
}

/// Adds a part of a content that comes as a list.
fn add_part(part: &Value, assembly: &mut Assembly) {
    let text = |part: &Value| part["text"].as_str().unwrap_or_default().to_owned();
    if part["type"] != "thinking" {
        return add(assembly.speech(), &text(part), assembly);
    }
    for thought in part["thinking"].as_array().into_iter().flatten() {
        add(Kind::Reasoning, &text(thought), assembly);
    }
}

/// Keeps thoughts in the form in which the service wants them back: signed, hidden or plain.
fn add_details(details: &Value, assembly: &mut Assembly) {
    let Some(details) = details.as_array().filter(|details| !details.is_empty()) else {
        return;
    };
    let draft = assembly.last_of(Kind::Reasoning);
    let native = draft.native.get_or_insert_with(|| json!({ "reasoning_details": [] }));
    if let Some(kept) = native["reasoning_details"].as_array_mut() {
        details.iter().for_each(|detail| join_detail(kept, detail));
    }
}

/// Adds a detail of a thought: texts of the same one grow, the rest is set.
fn join_detail(kept: &mut Vec<Value>, detail: &Value) {
    let Value::Object(fields) = detail else {
        return;
    };
    let same =
        |last: &&mut Value| last["type"] == detail["type"] && last["index"] == detail["index"];
    let Some(last) = kept.last_mut().filter(same).and_then(Value::as_object_mut) else {
        kept.push(detail.clone());
        return;
    };
    for (key, value) in fields {
        let grows = matches!(key.as_str(), "text" | "summary" | "data");
        match (last.get_mut(key), value) {
            (_, Value::Null) => {}
            (Some(Value::String(text)), Value::String(more)) if grows => text.push_str(more),
            _ => {
                last.insert(key.clone(), value.clone());
            }
        }
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    usage.as_object()?;
    let count = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
    let (read, written) = (&usage["prompt_tokens_details"], &usage["completion_tokens_details"]);
    Some(Usage {
        input: count(usage, "prompt_tokens"),
        output: count(usage, "completion_tokens"),
        cache_read: count(read, "cached_tokens").or(count(usage, "prompt_cache_hit_tokens")),
        cache_write: count(read, "cache_write_tokens"),
        reasoning: count(written, "reasoning_tokens"),
    })
}

fn finish(reason: &str) -> Finish {
    match reason {
        "stop" => Finish::Stop,
        "length" => Finish::Length,
        "tool_calls" | "function_call" => Finish::ToolCalls,
        "content_filter" => Finish::ContentFilter,
        other => Finish::Other(other.to_owned()),
    }
}
