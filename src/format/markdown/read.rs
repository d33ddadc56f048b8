//! Reading markdown event files.

use std::{borrow::Cow, str::FromStr};

use serde_json::{Map, Value};

use crate::{
    format::{
        Decoded, Flaw, base64, fence, frontmatter,
        header::{
            self, AnswerForm, AnswerHeader, AttachmentHeader, BlockHeader, Common, Encoding,
            Header, InquiryRequestHeader, InquiryResponseHeader, KindHeader, OutcomeHeader,
            RequestHeader, SignatureHeader, ToolCallHeader, ToolResultHeader,
        },
        yaml,
    },
    model::{
        Answer, AnswerType, Arguments, Attachment, Block, Body, Choice, Event, EventKind,
        EventType, Finish, InquiryKind, InquiryRequest, InquiryResponse, Json, Message, Outcome,
        Reasoning, Request, Signature, Structured, Timestamp, ToolCall, ToolResult,
    },
};

/// The frontmatter begins on the second line of a file.
const HEADER_OFFSET: usize = 1;

/// Reads a markdown event file.
pub fn decode(bytes: &[u8], fallback: Timestamp) -> Result<Decoded, Vec<Flaw>> {
    let split = frontmatter::split(bytes).map_err(|flaw| vec![flaw])?;
    let map = yaml::read(split.header).map_err(|flaw| vec![flaw.moved_down(HEADER_OFFSET)])?;
    let mut file = File {
        map,
        header: split.header,
        body: Cow::Borrowed(split.body),
        body_line: split.body_line,
        flaws: Vec::new(),
    };
    match file.event(fallback) {
        Some(decoded) if file.flaws.is_empty() => Ok(decoded),
        _ => Err(file.flaws),
    }
}

/// A file while it is being read. What is wrong with it is collected; `None` means that something
/// was.
struct File<'a> {
    map: Map<String, Value>,
    header: &'a str,
    body: Cow<'a, [u8]>,
    body_line: usize,
    flaws: Vec<Flaw>,
}

impl File<'_> {
    fn event(&mut self, fallback: Timestamp) -> Option<Decoded> {
        let event_type = self.event_type()?;
        let common = self.take::<Common>();
        let timestamp = common.as_ref().and_then(|common| self.timestamp(common));
        if common.as_ref().is_some_and(|common| common.encoding == Some(Encoding::Base64)) {
            self.unpack();
        }
        let kind = self.kind(event_type)?;
        let event = Event {
            timestamp: timestamp.unwrap_or(fallback),
            metadata: common?.metadata,
            extra: std::mem::take(&mut self.map),
            kind,
        };
        Some(Decoded { event, has_timestamp: timestamp.is_some(), has_type: true })
    }

    fn event_type(&mut self) -> Option<EventType> {
        match self.map.shift_remove("type") {
            Some(Value::String(name)) => match name.parse() {
                Ok(event_type) => Some(event_type),
                Err(error) => self.flaw_at("type", format!("{error}")),
            },
            Some(_) => self.flaw_at("type", "key `type`: expected a text".to_owned()),
            None => self.flaw_at("type", "key `type` is missing".to_owned()),
        }
    }

    fn timestamp(&mut self, common: &Common) -> Option<Timestamp> {
        match Timestamp::from_str(common.timestamp.as_deref()?) {
            Ok(timestamp) => Some(timestamp),
            Err(error) => self.flaw_at("timestamp", format!("key `timestamp`: {error}")),
        }
    }

    fn unpack(&mut self) {
        match base64::decode(&self.body) {
            Ok(bytes) => self.body = Cow::Owned(bytes),
            Err(message) => self.flaws.push(Flaw::at_line(self.body_line, message)),
        }
    }

    fn kind(&mut self, event_type: EventType) -> Option<EventKind> {
        Some(match event_type {
            EventType::Request => {
                let RequestHeader { interrupts } = self.take()?;
                EventKind::Request(Request { content: self.body(), interrupts })
            }
            EventType::Message => {
                let block = self.block()?;
                EventKind::Message(Message { content: self.body(), block })
            }
            EventType::Reasoning => {
                let block = self.block()?;
                EventKind::Reasoning(Reasoning { content: self.body(), block })
            }
            EventType::Structured => {
                let block = self.block();
                match self.arguments()? {
                    Arguments::Json(data) => {
                        EventKind::Structured(Structured { data, block: block? })
                    }
                    Arguments::Text(_) => {
                        return self.flaw_in_body(1, "expected a ```json block".to_owned());
                    }
                }
            }
            EventType::ToolCall => {
                let header = self.take::<ToolCallHeader>();
                let arguments = self.arguments()?;
                let ToolCallHeader { tool, id, model, answer, finish, signature } = header?;
                let block = block(BlockHeader { model, answer, finish, signature });
                EventKind::ToolCall(ToolCall { tool, id, arguments, block })
            }
            EventType::ToolResult => {
                let ToolResultHeader { id, tool, is_error } = self.take()?;
                EventKind::ToolResult(ToolResult { id, tool, is_error, content: self.body() })
            }
            EventType::InquiryRequest => self.inquiry_request()?,
            EventType::InquiryResponse => self.inquiry_response()?,
            EventType::Attachment => {
                let AttachmentHeader { source, media_type } = self.take()?;
                EventKind::Attachment(Attachment { source, media_type, content: self.body() })
            }
            EventType::ConfigDelta | EventType::Compaction | EventType::ToolStart => {
                let message = format!("a {event_type} is written as TOML, in a file `….toml`");
                return self.flaw_at("type", message);
            }
        })
    }

    fn block(&mut self) -> Option<Block> {
        self.take::<BlockHeader>().map(block)
    }

    fn arguments(&mut self) -> Option<Arguments> {
        let Ok(text) = std::str::from_utf8(&self.body) else {
            return self.flaw_in_body(1, "the body is not UTF-8".to_owned());
        };
        let fenced = match fence::decode(text) {
            Ok(fenced) => fenced,
            Err(flaw) => {
                let moved = flaw.moved_down(self.body_line - 1);
                self.flaws.push(moved);
                return None;
            }
        };
        let (line, text) = (fenced.line, fenced.text.to_owned());
        match fenced.language {
            "json" => match Json::new(text) {
                Ok(json) => Some(Arguments::Json(json)),
                Err(error) => {
                    let line = self.body_line + line + error.line.saturating_sub(1) - 1;
                    let (line, column) = (Some(line), Some(error.column.max(1)));
                    self.flaws.push(Flaw { line, column, message: error.to_string() });
                    None
                }
            },
            "text" => Some(Arguments::Text(text)),
            _ => self.flaw_in_body(line - 1, "expected a ```json block".to_owned()),
        }
    }

    fn inquiry_request(&mut self) -> Option<EventKind> {
        let header: InquiryRequestHeader = self.take()?;
        let answer = match answer_type(header.answer) {
            Ok(answer) => answer,
            Err(message) => return self.flaw_at("answer", message),
        };
        Some(EventKind::InquiryRequest(InquiryRequest {
            id: header.id,
            kind: match header.kind {
                KindHeader::RunTool => InquiryKind::RunTool,
                KindHeader::DeliverResult => InquiryKind::DeliverResult,
                KindHeader::ToolQuestion => InquiryKind::ToolQuestion,
            },
            tool: header.tool,
            call: header.call,
            answer,
            exclusive: header.exclusive,
            text: self.body(),
        }))
    }

    fn inquiry_response(&mut self) -> Option<EventKind> {
        let InquiryResponseHeader { id, outcome, answer_type } = self.take()?;
        let body = self.body();
        let text = body.as_text().map(str::trim);
        let outcome = match (outcome, answer_type) {
            (OutcomeHeader::Cancelled | OutcomeHeader::Redacted, _) if text != Some("") => {
                let message = "only an answer that is stored has a body";
                return self.flaw_in_body(1, message.to_owned());
            }
            (OutcomeHeader::Cancelled, _) => Outcome::Cancelled,
            (OutcomeHeader::Redacted, _) => Outcome::Redacted,
            (OutcomeHeader::Answered, Some(AnswerForm::Text)) => {
                Outcome::Answered(Answer::Text(body))
            }
            (OutcomeHeader::Answered, Some(AnswerForm::Select)) => match body.as_text() {
                Some(value) => Outcome::Answered(Answer::Select(value.to_owned())),
                None => return self.flaw_in_body(1, "the body is not UTF-8".to_owned()),
            },
            (OutcomeHeader::Answered, Some(AnswerForm::Boolean)) => match text {
                Some("true") => Outcome::Answered(Answer::Boolean(true)),
                Some("false") => Outcome::Answered(Answer::Boolean(false)),
                _ => return self.flaw_in_body(1, "expected `true` or `false`".to_owned()),
            },
            (OutcomeHeader::Answered, Some(AnswerForm::Secret)) => {
                let message = "a secret is never stored: the outcome is `redacted`";
                return self.flaw_at("answer_type", message.to_owned());
            }
            (OutcomeHeader::Answered, None) => {
                return self.flaw_at("outcome", "key `answer_type` is missing".to_owned());
            }
        };
        Some(EventKind::InquiryResponse(InquiryResponse { id, outcome }))
    }

    fn body(&mut self) -> Body {
        Body::from(std::mem::take(&mut self.body).into_owned())
    }

    fn take<H: Header>(&mut self) -> Option<H> {
        match header::take(&mut self.map, self.header) {
            Ok(header) => Some(header),
            Err(flaw) => {
                self.flaws.push(flaw.moved_down(HEADER_OFFSET));
                None
            }
        }
    }

    fn flaw_at<T>(&mut self, key: &str, message: String) -> Option<T> {
        let line = yaml::line_of(self.header, key).unwrap_or(1);
        self.flaws.push(Flaw::at_line(line + HEADER_OFFSET, message));
        None
    }

    fn flaw_in_body<T>(&mut self, line: usize, message: String) -> Option<T> {
        self.flaws.push(Flaw::at_line(self.body_line + line - 1, message));
        None
    }
}

fn block(header: BlockHeader) -> Block {
    let BlockHeader { model, answer, finish, signature } = header;
    let finish = finish.map(|word| match Finish::from_str(&word) {
        Ok(finish) => finish,
        Err(never) => match never {},
    });
    let signature = signature.map(|SignatureHeader { value, covers }| Signature { value, covers });
    Block { model, answer, finish, signature }
}

fn answer_type(header: AnswerHeader) -> Result<AnswerType, String> {
    let AnswerHeader { form, options, default } = header;
    if form != AnswerForm::Select && !options.is_empty() {
        return Err("key `answer.options`: only a `select` has options".to_owned());
    }
    let text = |default: Option<Value>| match default {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err("key `answer.default`: expected a text".to_owned()),
    };
    Ok(match form {
        AnswerForm::Boolean => match default {
            None => AnswerType::Boolean { default: None },
            Some(Value::Bool(flag)) => AnswerType::Boolean { default: Some(flag) },
            Some(_) => return Err("key `answer.default`: expected true or false".to_owned()),
        },
        AnswerForm::Text => AnswerType::Text { default: text(default)? },
        AnswerForm::Secret if default.is_some() => {
            return Err("key `answer.default`: a secret has no default".to_owned());
        }
        AnswerForm::Secret => AnswerType::Secret,
        AnswerForm::Select => {
            let default = text(default)?;
            let offered = |value: &String| options.iter().any(|option| option.value == *value);
            if options.is_empty() {
                return Err("key `answer.options`: a `select` needs options".to_owned());
            }
            if let Some(value) = default.as_ref().filter(|value| !offered(value)) {
                return Err(format!("key `answer.default`: `{value}` is not one of the options"));
            }
            let choice = |option: header::OptionHeader| Choice {
                value: option.value,
                description: option.description,
            };
            AnswerType::Select { options: options.into_iter().map(choice).collect(), default }
        }
    })
}
