//! What the Chat Completions API answers, chunk by chunk.

use serde_json::{Value, json};

use super::{API, calls};
use crate::{
    model::{Finish, Usage},
    provider::{
        Piece, ProviderError, Query,
        assembly::{Assembly, Kind},
        complaint::Complaint,
        decoder::{Decode, complain, garbled, parse},
        frames::Event,
        schema,
    },
};

/// What is known of an answer that is still coming.
pub(in crate::provider) struct Decoder {
    assembly: Assembly,
    asks_data: bool,
    finish: Option<Finish>,
    over: bool,
}

impl Decoder {
    /// Nothing has come yet in answer to a query.
    pub fn new(query: &Query) -> Self {
        let wrapped = query.schema.as_ref().is_some_and(|schema| schema::as_object(schema).1);
        Self {
            assembly: Assembly::new(API, query, wrapped),
            asks_data: query.schema.is_some(),
            finish: None,
            over: false,
        }
    }
}

impl Decode for Decoder {
    fn decode(&mut self, event: &Event) -> Result<Vec<Piece>, ProviderError> {
        if event.data.trim() == "[DONE]" {
            return Ok(self.stop());
        }
        let chunk = parse(&event.data)?;
        if chunk.get("error").is_some_and(|error| !error.is_null()) || event.name == "error" {
            return Err(complain(&Complaint::in_json(&chunk).unwrap_or_default()));
        }
        for choice in first_choice(&chunk) {
            let message =
                if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
            self.extend(message);
            if let Some(reason) = choice["finish_reason"].as_str().filter(|word| !word.is_empty()) {
                if reason == "error" {
                    return Err(complain(&Complaint::default()));
                }
                self.finish = Some(finish(reason));
                self.assembly.close_all();
            }
        }
        let mut pieces = self.assembly.settle();
        pieces.extend(usage(&chunk["usage"]).map(Piece::Usage));
        Ok(pieces)
    }

    fn decode_whole(&mut self, body: &Value) -> Result<Vec<Piece>, ProviderError> {
        if !body["choices"].is_array() {
            return Err(match Complaint::in_json(body) {
                Some(complaint) => complain(&complaint),
                None => garbled(&body.to_string()),
            });
        }
        let mut pieces = self.decode(&Event { name: String::new(), data: body.to_string() })?;
        pieces.extend(self.stop());
        Ok(pieces)
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn end(&mut self) -> Option<Vec<Piece>> {
        if self.over {
            return Some(Vec::new());
        }
        self.finish.is_some().then(|| self.stop())
    }
}

impl Decoder {
    fn extend(&mut self, delta: &Value) {
        let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        let thought = match text("reasoning_content") {
            "" => text("reasoning"),
            thought => thought,
        };
        self.add(Kind::Reasoning, thought);
        self.add_details(&delta["reasoning_details"]);
        match &delta["content"] {
            Value::String(content) => self.add_text(content),
            Value::Array(parts) => parts.iter().for_each(|part| self.add_part(part)),
            _ => {}
        }
        self.add_text(text("refusal"));
        let deltas = delta["tool_calls"].as_array().into_iter().flatten();
        for (position, call) in deltas.enumerate() {
            self.assembly.demote_data();
            self.close_texts(None);
            calls::extend(&mut self.assembly, call, position);
        }
    }

    fn add_text(&mut self, text: &str) {
        self.add(if self.asks_data { Kind::Data } else { Kind::Text }, text);
    }

    /// Adds to the text or thought that is coming, or begins one: whatever else came is complete.
    fn add(&mut self, kind: Kind, text: &str) {
        if text.is_empty() {
            return;
        }
        self.close_texts(Some(kind));
        let found = self.assembly.open().rfind(|draft| draft.kind == kind).map(|draft| draft.key);
        match found.and_then(|key| self.assembly.find(key)) {
            Some(draft) => draft.content.push_str(text),
            None => self.assembly.begin_next(kind).content.push_str(text),
        }
    }

    /// Ends texts and thoughts but those of one kind; calls end with the answer.
    fn close_texts(&mut self, but: Option<Kind>) {
        let is_done = |kind: Kind| kind != Kind::Call && Some(kind) != but;
        let done = self.assembly.open().filter(|draft| is_done(draft.kind));
        for key in done.map(|draft| draft.key).collect::<Vec<_>>() {
            self.assembly.close(key);
        }
    }

    /// Adds a part of a content that comes as a list.
    fn add_part(&mut self, part: &Value) {
        match part["type"].as_str() {
            Some("thinking") => {
                let thoughts = part["thinking"].as_array().into_iter().flatten();
                thoughts.for_each(|part| {
                    self.add(Kind::Reasoning, part["text"].as_str().unwrap_or_default());
                });
            }
            _ => self.add_text(part["text"].as_str().unwrap_or_default()),
        }
    }

    /// Keeps thoughts in the form in which the service wants them back: signed, hidden or plain.
    fn add_details(&mut self, details: &Value) {
        let Some(details) = details.as_array().filter(|details| !details.is_empty()) else {
            return;
        };
        let reasoning = |kind: Kind| kind == Kind::Reasoning;
        let found =
            self.assembly.open().rfind(|draft| reasoning(draft.kind)).map(|draft| draft.key);
        let draft = match found.and_then(|key| self.assembly.find(key)) {
            Some(draft) => draft,
            None => self.assembly.begin_next(Kind::Reasoning),
        };
        let native = draft.native.get_or_insert_with(|| json!({ "reasoning_details": [] }));
        if let Some(kept) = native["reasoning_details"].as_array_mut() {
            details.iter().for_each(|detail| join_detail(kept, detail));
        }
    }

    fn stop(&mut self) -> Vec<Piece> {
        if std::mem::replace(&mut self.over, true) {
            return Vec::new();
        }
        self.assembly.close_all();
        let mut pieces = self.assembly.settle();
        let calls = self.assembly.calls() > 0;
        let finish = match self.finish.take() {
            Some(Finish::Stop) | None if calls => Finish::ToolCalls,
            None => Finish::Stop,
            Some(finish) => finish,
        };
        pieces.push(Piece::Finish(finish));
        pieces
    }
}

fn first_choice(chunk: &Value) -> impl Iterator<Item = &Value> {
    let choices = chunk["choices"].as_array().into_iter().flatten();
    choices.filter(|choice| choice["index"].as_u64().unwrap_or(0) == 0)
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
