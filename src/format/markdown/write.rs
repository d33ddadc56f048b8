//! Writing markdown event files.

use serde_json::{Map, Value};

use crate::{
    format::{
        EncodeError, base64, fence, frontmatter,
        header::{
            self, AnswerForm, AnswerHeader, AttachmentHeader, BlockHeader, Common, Encoding,
            InquiryRequestHeader, InquiryResponseHeader, KindHeader, OptionHeader, OutcomeHeader,
            RequestHeader, SignatureHeader, ToolCallHeader, ToolResultHeader,
        },
        limits, yaml,
    },
    model::{
        Answer, AnswerType, Arguments, Block, Event, EventKind, InquiryKind, InquiryRequest,
        InquiryResponse, Outcome, ToolCall,
    },
};

/// Writes a markdown event file.
pub fn encode(event: &Event) -> Result<Vec<u8>, EncodeError> {
    let mut map = Map::new();
    map.insert("type".to_owned(), Value::from(event.event_type().name()));
    let body = put(&mut map, &event.kind);
    let is_text = std::str::from_utf8(&body).is_ok();
    let common = Common {
        timestamp: Some(event.timestamp.to_string()),
        encoding: (!is_text).then_some(Encoding::Base64),
        metadata: event.metadata.clone(),
    };
    header::put(&mut map, &common);
    map.extend(event.extra.iter().map(|(key, value)| (key.clone(), value.clone())));

    let text = yaml::write(&map);
    if text.len() > limits::FRONTMATTER || yaml::read(&text).is_err() {
        return Err(EncodeError::HeaderTooLarge(text.len()));
    }
    let body = if is_text { body } else { base64::encode(&body).into_bytes() };
    Ok(frontmatter::join(&text, &body))
}

/// Puts what the event type has of its own into the frontmatter, and returns the body.
fn put(map: &mut Map<String, Value>, kind: &EventKind) -> Vec<u8> {
    match kind {
        EventKind::Request(request) => {
            header::put(map, &RequestHeader { interrupts: request.interrupts });
            request.content.as_bytes().to_vec()
        }
        EventKind::Message(message) => {
            header::put(map, &block(&message.block));
            message.content.as_bytes().to_vec()
        }
        EventKind::Reasoning(reasoning) => {
            header::put(map, &block(&reasoning.block));
            reasoning.content.as_bytes().to_vec()
        }
        EventKind::Structured(structured) => {
            header::put(map, &block(&structured.block));
            fence::encode("json", structured.data.as_str()).into_bytes()
        }
        EventKind::ToolCall(call) => {
            header::put(map, &tool_call(call));
            let language = match call.arguments {
                Arguments::Json(_) => "json",
                Arguments::Text(_) => "text",
            };
            fence::encode(language, call.arguments.as_str()).into_bytes()
        }
        EventKind::ToolResult(result) => {
            let (id, tool) = (result.id.clone(), result.tool.clone());
            header::put(map, &ToolResultHeader { id, tool, is_error: result.is_error });
            result.content.as_bytes().to_vec()
        }
        EventKind::InquiryRequest(inquiry) => {
            header::put(map, &inquiry_request(inquiry));
            inquiry.text.as_bytes().to_vec()
        }
        EventKind::InquiryResponse(response) => inquiry_response(map, response),
        EventKind::Attachment(attachment) => {
            let (source, media_type) = (attachment.source.clone(), attachment.media_type.clone());
            header::put(map, &AttachmentHeader { source, media_type });
            attachment.content.as_bytes().to_vec()
        }
        EventKind::ConfigDelta(_) | EventKind::Compaction(_) | EventKind::ToolStart(_) => {
            unreachable!("these are written as TOML")
        }
    }
}

fn block(block: &Block) -> BlockHeader {
    let signature = block.signature.as_ref().map(|signature| SignatureHeader {
        value: signature.value.clone(),
        covers: signature.covers.clone(),
    });
    BlockHeader {
        model: block.model.clone(),
        answer: block.answer.clone(),
        finish: block.finish.as_ref().map(ToString::to_string),
        signature,
    }
}

fn tool_call(call: &ToolCall) -> ToolCallHeader {
    let BlockHeader { model, answer, finish, signature } = block(&call.block);
    let (tool, id) = (call.tool.clone(), call.id.clone());
    ToolCallHeader { tool, id, model, answer, finish, signature }
}

fn inquiry_request(inquiry: &InquiryRequest) -> InquiryRequestHeader {
    let answer = |form, options, default| AnswerHeader { form, options, default };
    let text = |default: &Option<String>| default.clone().map(Value::from);
    InquiryRequestHeader {
        id: inquiry.id.clone(),
        kind: match inquiry.kind {
            InquiryKind::RunTool => KindHeader::RunTool,
            InquiryKind::DeliverResult => KindHeader::DeliverResult,
            InquiryKind::ToolQuestion => KindHeader::ToolQuestion,
        },
        tool: inquiry.tool.clone(),
        call: inquiry.call.clone(),
        answer: match &inquiry.answer {
            AnswerType::Boolean { default } => {
                answer(AnswerForm::Boolean, Vec::new(), default.map(Value::from))
            }
            AnswerType::Text { default } => answer(AnswerForm::Text, Vec::new(), text(default)),
            AnswerType::Secret => answer(AnswerForm::Secret, Vec::new(), None),
            AnswerType::Select { options, default } => {
                let options = options.iter().map(|choice| OptionHeader {
                    value: choice.value.clone(),
                    description: choice.description.clone(),
                });
                answer(AnswerForm::Select, options.collect(), text(default))
            }
        },
        exclusive: inquiry.exclusive,
    }
}

fn inquiry_response(map: &mut Map<String, Value>, response: &InquiryResponse) -> Vec<u8> {
    let (outcome, answer_type, body) = match &response.outcome {
        Outcome::Cancelled => (OutcomeHeader::Cancelled, None, Vec::new()),
        Outcome::Redacted => (OutcomeHeader::Redacted, None, Vec::new()),
        Outcome::Answered(answer) => {
            let (form, body) = match answer {
                Answer::Boolean(flag) => (AnswerForm::Boolean, flag.to_string().into_bytes()),
                Answer::Select(value) => (AnswerForm::Select, value.clone().into_bytes()),
                Answer::Text(body) => (AnswerForm::Text, body.as_bytes().to_vec()),
            };
            (OutcomeHeader::Answered, Some(form), body)
        }
    };
    header::put(map, &InquiryResponseHeader { id: response.id.clone(), outcome, answer_type });
    body
}
