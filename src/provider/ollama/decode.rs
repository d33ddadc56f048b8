//! What Ollama answers, line by line.

use serde_json::Value;

use super::API;
use crate::{
    model::{Finish, Usage},
    provider::{
        ProviderError, Query,
        assembly::{Assembly, Kind},
        decoder::{Decoder, Wire, complain, garbled, parse},
        frames::Event,
        json::Document,
    },
};

/// Hears the answer to a query.
pub(in crate::provider) fn decoder(query: &Query) -> Decoder {
    Decoder::new(Assembly::new(API, query), Chat)
}

struct Chat;

impl Wire for Chat {
    fn add_event(&mut self, event: &Event, assembly: &mut Assembly) -> Result<(), ProviderError> {
        self.add_whole(&parse(&event.data)?, assembly)
    }

    fn add_whole(
        &mut self,
        body: &Document<'_>,
        assembly: &mut Assembly,
    ) -> Result<(), ProviderError> {
        let line = &body.value;
        if line.get("error").is_some() {
            return Err(complain(line));
        }
        let is_last = line["done"] == true;
        if !line["message"].is_object() && !is_last {
            return Err(garbled(&line.to_string()));
        }
        let message = &line["message"];
        add(Kind::Reasoning, &message["thinking"], assembly);
        add(assembly.speech(), &message["content"], assembly);
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        for (position, call) in calls.enumerate() {
            let way = ["message", "tool_calls", &position.to_string(), "function", "arguments"];
            let arguments = match &call["function"]["arguments"] {
                Value::Null => "",
                Value::String(text) => text,
                _ => body.text_at(&way).unwrap_or_default(),
            };
            add_call(call, arguments, assembly);
        }
        if !is_last {
            return Ok(());
        }
        let usage = Usage {
            input: line["prompt_eval_count"].as_u64(),
            output: line["eval_count"].as_u64(),
            ..Usage::default()
        };
        if usage != Usage::default() {
            assembly.count(usage);
        }
        assembly.stop_for(match line["done_reason"].as_str() {
            Some("length") => Finish::Length,
            None | Some("stop" | "") => Finish::Stop,
            Some(other) => Finish::Other(other.to_owned()),
        });
        assembly.stop();
        Ok(())
    }
}

/// Adds to the text or thought that is coming, or begins one: whatever else came is complete.
fn add(kind: Kind, text: &Value, assembly: &mut Assembly) {
    let Some(text) = text.as_str().filter(|text| !text.is_empty()) else {
        return;
    };
    if assembly.open().next_back().is_none_or(|last| last.kind != kind) {
        assembly.close_all();
    }
    assembly.last_of(kind).content.push_str(text);
}

/// Adds a call, which comes as a whole.
fn add_call(call: &Value, arguments: &str, assembly: &mut Assembly) {
    assembly.demote_data();
    assembly.close_all();
    let draft = assembly.begin_next(Kind::Call);
    draft.id = call["id"].as_str().unwrap_or_default().to_owned();
    draft.name = call["function"]["name"].as_str().unwrap_or_default().to_owned();
    draft.content = arguments.to_owned();
    assembly.close_all();
}
