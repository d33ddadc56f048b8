//! What Anthropic's Messages API answers, event by event.

use serde_json::{Map, Value, json};

use super::API;
use crate::{
    model::{Finish, Usage},
    provider::{
        ProviderError, Query,
        assembly::{Assembly, Kind},
        decoder::{Decoder, Wire, complain, no_answer, parse},
        frames::Event,
        json::Document,
        names::ToolNames,
        schema,
    },
};

/// Hears the answer to a query.
pub(in crate::provider) fn decoder(query: &Query) -> Decoder {
    let asks_data = query.schema.is_some();
    let wire = Messages {
        data_tool: asks_data.then(|| ToolNames::of(query).free(schema::ANSWER)),
        ..Messages::default()
    };
    Decoder::new(Assembly::of_objects(API, query), wire)
}

#[derive(Default)]
struct Messages {
    /// The tool whose arguments are the data that was asked for.
    data_tool: Option<String>,
    /// The blocks that are coming, as the service began them, by their index.
    raw: Vec<Raw>,
    usage: Usage,
    /// Read tokens that were not in the cache: the service counts them apart.
    fresh_input: Option<u64>,
}

/// A block that is coming.
struct Raw {
    index: u64,
    /// It, as the service began it.
    block: Value,
    /// The input of a call that came with its beginning, to the letter.
    input: Option<String>,
}

impl Wire for Messages {
    fn add_event(&mut self, event: &Event, assembly: &mut Assembly) -> Result<(), ProviderError> {
        let event_json = parse(&event.data)?;
        let value = &event_json.value;
        let kind = value.get("type").and_then(Value::as_str).unwrap_or(&event.name);
        let index = value.get("index").and_then(Value::as_u64).unwrap_or(0);
        match kind {
            "message_start" => self.count(&value["message"]["usage"], assembly),
            "content_block_start" => {
                let block = &value["content_block"];
                let input = event_json.text_at(&["content_block", "input"]);
                self.begin(index, block, input.filter(|_| !is_empty(&block["input"])), assembly);
            }
            "content_block_delta" => self.extend(index, &value["delta"], assembly),
            "content_block_stop" => self.close(index, assembly),
            "message_delta" => {
                stop_for(&value["delta"]["stop_reason"], assembly);
                self.count(&value["usage"], assembly);
            }
            "message_stop" => assembly.stop(),
            "error" => return Err(complain(value)),
            "message" => {
                self.add_whole(&event_json, assembly)?;
                assembly.stop();
            }
            _ => {
                if value.get("error").is_some_and(|error| !error.is_null()) {
                    return Err(complain(value));
                }
            }
        }
        Ok(())
    }

    fn add_whole(
        &mut self,
        body: &Document<'_>,
        assembly: &mut Assembly,
    ) -> Result<(), ProviderError> {
        let Document { value, .. } = body;
        let Some(blocks) = value.get("content").and_then(Value::as_array) else {
            return Err(no_answer(value));
        };
        for (index, block) in (0..).zip(blocks) {
            let input = body.text_at(&["content", &index.to_string(), "input"]);
            self.begin(index, block, input.filter(|_| !is_empty(&block["input"])), assembly);
            self.close(index, assembly);
        }
        self.count(&value["usage"], assembly);
        stop_for(&value["stop_reason"], assembly);
        Ok(())
    }
}

impl Messages {
    /// Begins a block, which may bring the input of a call along.
    fn begin(&mut self, index: u64, block: &Value, input: Option<&str>, assembly: &mut Assembly) {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        let kind = match text("type") {
            "text" => Kind::Text,
            "tool_use" if self.data_tool.as_deref() == Some(text("name")) => Kind::Data,
            "tool_use" => Kind::Call,
            // What jp does not know is kept like a thought that is hidden.
            _ => Kind::Reasoning,
        };
        let draft = assembly.begin(index, kind);
        match text("type") {
            "text" => draft.content.push_str(text("text")),
            "thinking" => {
                draft.content.push_str(text("thinking"));
                draft.signature.push_str(text("signature"));
            }
            "tool_use" => {
                draft.id.push_str(text("id"));
                draft.name.push_str(text("name"));
            }
            _ => {}
        }
        let (block, input) = (block.clone(), input.map(str::to_owned));
        self.raw.push(Raw { index, block, input });
    }

    fn extend(&mut self, index: u64, delta: &Value, assembly: &mut Assembly) {
        let (Some(draft), Some(raw)) =
            (assembly.find(index), self.raw.iter_mut().rfind(|raw| raw.index == index))
        else {
            return;
        };
        let raw = &mut raw.block;
        let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        let known = raw["type"].as_str().unwrap_or_default();
        match (text("type"), known) {
            ("text_delta", "text") => draft.content.push_str(text("text")),
            ("thinking_delta", "thinking") => draft.content.push_str(text("thinking")),
            ("signature_delta", "thinking") => draft.signature.push_str(text("signature")),
            ("input_json_delta", "tool_use") => draft.content.push_str(text("partial_json")),
            ("input_json_delta", _) => append(raw, PARTIAL, &delta["partial_json"]),
            ("citations_delta", _) => {
                append(raw, "citations", &json!([delta["citation"]]));
            }
            _ => {
                let fields = delta.as_object().into_iter().flatten();
                for (key, value) in fields.filter(|(key, _)| *key != "type") {
                    append(raw, key, value);
                }
            }
        }
    }

    fn close(&mut self, index: u64, assembly: &mut Assembly) {
        let Some(at) = self.raw.iter().rposition(|raw| raw.index == index) else {
            return;
        };
        let Raw { block: mut raw, input, .. } = self.raw.swap_remove(at);
        let Some(draft) = assembly.find(index) else {
            return;
        };
        let kind = raw["type"].as_str().unwrap_or_default().to_owned();
        if let Some(object) = raw.as_object_mut() {
            if kind == "tool_use" && draft.content.trim().is_empty() {
                draft.content = input.unwrap_or_else(|| "{}".to_owned());
            }
            complete_input(object, &draft.content, kind == "tool_use");
            if kind == "text" {
                object.insert("text".to_owned(), draft.content.as_str().into());
            } else if kind == "thinking" {
                object.insert("thinking".to_owned(), draft.content.as_str().into());
                object.insert("signature".to_owned(), draft.signature.as_str().into());
            }
            let is_told = |(key, value): (&String, &Value)| {
                value.is_null() || told_by_content(&kind).contains(&key.as_str())
            };
            if draft.kind != Kind::Data && !object.iter().all(is_told) {
                draft.native = Some(raw);
            }
        }
        assembly.close(index);
    }

    fn count(&mut self, usage: &Value, assembly: &mut Assembly) {
        let count = |key: &str| usage.get(key).and_then(Value::as_u64);
        if !usage.is_object() {
            return;
        }
        self.fresh_input = count("input_tokens").or(self.fresh_input);
        let all = &mut self.usage;
        all.cache_read = count("cache_read_input_tokens").or(all.cache_read);
        all.cache_write = count("cache_creation_input_tokens").or(all.cache_write);
        all.output = count("output_tokens").or(all.output);
        let cached = all.cache_read.unwrap_or(0).saturating_add(all.cache_write.unwrap_or(0));
        all.input = self.fresh_input.map(|fresh| fresh.saturating_add(cached));
        assembly.count(*all);
    }
}

/// Where the parts of an input are gathered until the block is complete.
const PARTIAL: &str = "partial_json";

/// The fields of a block that its content tells.
fn told_by_content(kind: &str) -> &'static [&'static str] {
    match kind {
        "text" => &["type", "text"],
        "thinking" => &["type", "thinking", "signature"],
        "tool_use" => &["type", "id", "name", "input"],
        _ => &[],
    }
}

/// Puts the input of a call together: it may come in parts, in one with the start, or not at all.
fn complete_input(block: &mut Map<String, Value>, content: &str, is_call: bool) {
    if is_call {
        let input = serde_json::from_str(content).unwrap_or(Value::Null);
        block.insert("input".to_owned(), input);
    } else if let Some(Value::String(partial)) = block.shift_remove(PARTIAL) {
        let input = serde_json::from_str(&partial).unwrap_or_else(|_| json!({}));
        block.insert("input".to_owned(), input);
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty)
}

/// Adds a part to a field of a block that jp does not know: texts and lists grow, the rest is set.
fn append(block: &mut Value, key: &str, part: &Value) {
    let Some(object) = block.as_object_mut() else {
        return;
    };
    match (object.get_mut(key), part) {
        (Some(Value::String(text)), Value::String(part)) => text.push_str(part),
        (Some(Value::Array(list)), Value::Array(part)) => list.extend(part.iter().cloned()),
        _ => {
            object.insert(key.to_owned(), part.clone());
        }
    }
}

fn stop_for(reason: &Value, assembly: &mut Assembly) {
    let Some(reason) = reason.as_str() else {
        return;
    };
    assembly.stop_for(match reason {
        "end_turn" | "stop_sequence" => Finish::Stop,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "tool_use" => Finish::ToolCalls,
        "refusal" => Finish::ContentFilter,
        other => Finish::Other(other.to_owned()),
    });
}
