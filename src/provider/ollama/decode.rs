//! What Ollama answers, line by line.

use serde_json::Value;

use super::API;
use crate::{
    model::{Finish, Usage},
    provider::{
        Piece, ProviderError, Query,
        assembly::{Assembly, Kind},
        complaint::Complaint,
        decoder::{Decode, complain, garbled, parse},
        frames::Event,
    },
};

/// What is known of an answer that is still coming.
pub(in crate::provider) struct Decoder {
    assembly: Assembly,
    asks_data: bool,
    over: bool,
}

impl Decoder {
    /// Nothing has come yet in answer to a query.
    pub fn new(query: &Query) -> Self {
        let assembly = Assembly::new(API, query, false);
        Self { assembly, asks_data: query.schema.is_some(), over: false }
    }
}

impl Decode for Decoder {
    fn decode(&mut self, event: &Event) -> Result<Vec<Piece>, ProviderError> {
        self.decode_whole(&parse(&event.data)?)
    }

    fn decode_whole(&mut self, line: &Value) -> Result<Vec<Piece>, ProviderError> {
        if line.get("error").is_some() {
            return Err(complain(&Complaint::in_json(line).unwrap_or_default()));
        }
        if !line["message"].is_object() && line["done"] != true {
            return Err(garbled(&line.to_string()));
        }
        let message = &line["message"];
        self.add(Kind::Reasoning, &message["thinking"]);
        let kind = if self.asks_data { Kind::Data } else { Kind::Text };
        self.add(kind, &message["content"]);
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            self.add_call(call);
        }
        if line["done"] != true {
            return Ok(self.assembly.settle());
        }
        self.over = true;
        self.assembly.close_all();
        let mut pieces = self.assembly.settle();
        let usage = Usage {
            input: line["prompt_eval_count"].as_u64(),
            output: line["eval_count"].as_u64(),
            ..Usage::default()
        };
        if usage != Usage::default() {
            pieces.push(Piece::Usage(usage));
        }
        pieces.push(Piece::Finish(match line["done_reason"].as_str() {
            Some("length") => Finish::Length,
            None | Some("stop" | "") if self.assembly.calls() > 0 => Finish::ToolCalls,
            None | Some("stop" | "") => Finish::Stop,
            Some(other) => Finish::Other(other.to_owned()),
        }));
        Ok(pieces)
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn end(&mut self) -> Option<Vec<Piece>> {
        self.over.then(Vec::new)
    }
}

impl Decoder {
    /// Adds to the text or thought that is coming, or begins one: whatever else came is complete.
    fn add(&mut self, kind: Kind, text: &Value) {
        let Some(text) = text.as_str().filter(|text| !text.is_empty()) else {
            return;
        };
        let last = self.assembly.open().next_back().map(|draft| (draft.key, draft.kind));
        if let Some((key, same)) = last
            && same == kind
            && let Some(draft) = self.assembly.find(key)
        {
            draft.content.push_str(text);
            return;
        }
        self.assembly.close_all();
        self.assembly.begin_next(kind).content.push_str(text);
    }

    /// Adds a call, which comes as a whole.
    fn add_call(&mut self, call: &Value) {
        self.assembly.demote_data();
        self.assembly.close_all();
        let draft = self.assembly.begin_next(Kind::Call);
        let function = &call["function"];
        draft.id = call["id"].as_str().unwrap_or_default().to_owned();
        draft.name = function["name"].as_str().unwrap_or_default().to_owned();
        draft.content = match &function["arguments"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            arguments => arguments.to_string(),
        };
        self.assembly.close_all();
    }
}
