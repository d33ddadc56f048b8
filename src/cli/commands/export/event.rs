//! An event as JSON, with all its fields.

use serde_json::{Map, Value, json};

use crate::{
    format::FileName,
    model::{
        Answer, AnswerType, Block, Event, EventKind, InquiryKind, InquiryRequest, InquiryResponse,
        Outcome,
    },
    plan::TreePath,
    projection::list::Object,
};

/// An event and where it stands.
pub fn event(path: &TreePath, event: &Event) -> Value {
    let mut object = Object::default();
    let address = path.name().parse::<FileName>().ok().map(|name| name.address().number());
    object.put("address", address);
    object.put("file", path.to_string());
    object.0.extend(fields(event));
    Value::Object(object.0)
}

/// What an event says, wherever it stands.
pub fn fields(event: &Event) -> Map<String, Value> {
    let mut object = Object::default();
    object.put("type", event.event_type().name());
    object.put("timestamp", event.timestamp.to_string());
    object.put_content(&event.kind);
    object.put("metadata", event.metadata.clone());
    object.put("other", event.extra.clone());
    object.0
}

/// A TOML table as JSON; times and what JSON has no number for are texts.
pub fn table(table: &toml::Table) -> Value {
    table.iter().map(|(key, value)| (key.clone(), toml_value(value))).collect()
}

impl Object {
    fn put_content(&mut self, kind: &EventKind) {
        match kind {
            EventKind::Request(request) => {
                self.put("interrupts", request.interrupts);
                self.put_body("content", &request.content);
            }
            EventKind::Message(message) => {
                self.put_block(&message.block, kind);
                self.put_body("content", &message.content);
            }
            EventKind::Reasoning(reasoning) => {
                self.put_block(&reasoning.block, kind);
                self.put_body("content", &reasoning.content);
            }
            EventKind::Structured(structured) => {
                self.put_block(&structured.block, kind);
                self.put("data", structured.data.as_str());
            }
            EventKind::ToolCall(call) => {
                self.put("tool", call.tool.as_str());
                self.put("id", call.id.as_str());
                self.put_block(&call.block, kind);
                self.put_arguments(&call.arguments);
            }
            EventKind::ToolStart(start) => {
                self.put("id", start.id.as_str());
                self.put("attempt", start.attempt);
                self.put("rest", table(&start.rest));
            }
            EventKind::ToolResult(result) => {
                self.put("id", result.id.as_str());
                self.put("tool", result.tool.as_ref().map(|tool| tool.as_str()));
                self.put("is_error", result.is_error);
                self.put_body("content", &result.content);
            }
            EventKind::InquiryRequest(inquiry) => self.put_question(inquiry),
            EventKind::InquiryResponse(response) => self.put_answer(response),
            EventKind::Attachment(attachment) => {
                self.put("source", attachment.source.as_str());
                self.put("media_type", attachment.media_type.as_deref());
                self.put_body("content", &attachment.content);
            }
            EventKind::ConfigDelta(change) => self.put("config", table(change)),
            EventKind::Compaction(compaction) => {
                self.put("from_turn", compaction.from_turn);
                self.put("to_turn", compaction.to_turn);
                self.put("rules", table(&compaction.rules));
            }
        }
    }

    fn put_block(&mut self, block: &Block, kind: &EventKind) {
        self.put("model", block.model.as_ref().map(|model| model.as_str()));
        self.put("answer", block.answer.as_ref().map(|answer| answer.as_str()));
        self.put("finish", block.finish.as_ref().map(ToString::to_string));
        let signature = block.signature.as_ref().map(|signature| {
            let holds = kind.signed_content().is_some_and(|content| signature.holds(content));
            json!({"value": signature.value, "covers": signature.covers, "holds": holds})
        });
        self.put("signature", signature);
    }

    fn put_question(&mut self, inquiry: &InquiryRequest) {
        self.put("id", inquiry.id.as_str());
        let kind = match inquiry.kind {
            InquiryKind::RunTool => "run-tool",
            InquiryKind::DeliverResult => "deliver-result",
            InquiryKind::ToolQuestion => "tool-question",
        };
        self.put("kind", kind);
        self.put("tool", inquiry.tool.as_ref().map(|tool| tool.as_str()));
        self.put("call", inquiry.call.as_ref().map(|call| call.as_str()));
        let answer = match &inquiry.answer {
            AnswerType::Boolean { default } => json!({"type": "boolean", "default": default}),
            AnswerType::Select { options, default } => {
                let options = options.iter().map(
                    |option| json!({"value": option.value, "description": option.description}),
                );
                let options: Vec<_> = options.collect();
                json!({"type": "select", "options": options, "default": default})
            }
            AnswerType::Text { default } => json!({"type": "text", "default": default}),
            AnswerType::Secret => json!({"type": "secret", "default": null}),
        };
        self.put("answer", answer);
        self.put("exclusive", inquiry.exclusive);
        self.put_body("content", &inquiry.text);
    }

    fn put_answer(&mut self, response: &InquiryResponse) {
        self.put("id", response.id.as_str());
        let (outcome, answer) = match &response.outcome {
            Outcome::Answered(answer) => ("answered", Some(answer)),
            Outcome::Cancelled => ("cancelled", None),
            Outcome::Redacted => ("redacted", None),
        };
        self.put("outcome", outcome);
        let answer_type = answer.map(|answer| match answer {
            Answer::Boolean(_) => "boolean",
            Answer::Select(_) => "select",
            Answer::Text(_) => "text",
        });
        self.put("answer_type", answer_type);
        match answer {
            None => self.put("content", Value::Null),
            Some(Answer::Boolean(yes)) => self.put("content", *yes),
            Some(Answer::Select(value)) => self.put("content", value.as_str()),
            Some(Answer::Text(text)) => self.put_body("content", text),
        }
    }
}

fn toml_value(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) if number.is_finite() => Value::from(*number),
        toml::Value::Float(number) => Value::from(number.to_string()),
        toml::Value::Boolean(yes) => Value::from(*yes),
        toml::Value::Datetime(time) => Value::from(time.to_string()),
        toml::Value::Array(list) => list.iter().map(toml_value).collect(),
        toml::Value::Table(inner) => table(inner),
    }
}
