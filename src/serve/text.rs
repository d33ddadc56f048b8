//! What a turn says and is told, to messages and back.

use std::time::Duration;

use super::{
    frame::floor,
    message::{AskText, EventText, FromServer, InterruptText, ReplyHow, ReplyText, UsageText},
};
use crate::{
    format::{Form, base64, decode, encode},
    model::{
        Address, Answer, CallId, Event, EventKind, EventType, Grant, InquiryId, Timestamp,
        ToolCall, ToolName, Usage,
    },
    provider::{ProviderError, Trouble},
    turn::{Ask, Filed, Interrupt, Notice, Reply},
};

/// How much of what a tool said is told beside its result.
const TOLD: usize = 4 << 10;

/// The time of what has none: a call or a question on its way.
fn no_time() -> Timestamp {
    Timestamp::from_seconds(0)
}

/// What a message says that cannot be understood.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unclear(String);

fn unclear(text: impl ToString) -> Unclear {
    Unclear(text.to_string())
}

impl EventText {
    /// An event as the text of its file.
    pub fn of(event: &Event) -> Self {
        let event_type = event.event_type().to_string();
        // What cannot be written was not stored either, and has no text.
        match encode(event).map(String::from_utf8) {
            Ok(Ok(file)) => Self { event_type, file: Some(file), base64: None },
            Ok(Err(bytes)) => {
                let base64 = Some(base64::encode(bytes.as_bytes()));
                Self { event_type, file: None, base64 }
            }
            Err(_) => Self { event_type, file: None, base64: None },
        }
    }

    /// The event; the time counts if the file has none.
    pub fn read(&self, fallback: Timestamp) -> Result<Event, Unclear> {
        let bytes = match (&self.file, &self.base64) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(text)) => base64::decode(text.as_bytes()).map_err(unclear)?,
            (None, None) => return Err(unclear("an event without its file")),
        };
        let event_type = self.event_type.parse::<EventType>().map_err(unclear)?;
        let form = Form::of_type(event_type);
        let decoded = decode(&bytes, form, Some(event_type), fallback);
        decoded.map(|decoded| decoded.event).map_err(|flaws| {
            let flaws: Vec<_> = flaws.iter().map(ToString::to_string).collect();
            unclear(flaws.join("; "))
        })
    }

    fn of_kind(kind: EventKind) -> Self {
        Self::of(&Event::new(no_time(), kind))
    }

    fn read_call(&self) -> Result<ToolCall, Unclear> {
        match self.read(no_time())?.kind {
            EventKind::ToolCall(call) => Ok(call),
            _ => Err(unclear("a call is expected")),
        }
    }
}

impl FromServer {
    /// What happened, for those who are connected.
    pub fn of_notice(notice: &Notice) -> Self {
        match notice {
            Notice::Waiting => Self::Waiting,
            Notice::Text(text) => Self::Text { text: text.clone() },
            Notice::Reasoning(text) => Self::Reasoning { text: text.clone() },
            Notice::CallComing => Self::CallComing,
            Notice::Sealed => Self::Sealed,
            Notice::BlockEnded(block) => Self::BlockEnded { block: block.to_string() },
            Notice::ToolStarted(call) => {
                Self::ToolStarted { call: EventText::of_kind(EventKind::ToolCall(call.clone())) }
            }
            Notice::Progress { id, text } => {
                Self::Progress { call: id.to_string(), text: text.clone() }
            }
            Notice::ToolEnded { id, tool, is_error, content } => Self::ToolEnded {
                call: id.to_string(),
                tool: tool.to_string(),
                is_error: *is_error,
                content: content[..floor(content, TOLD)].to_owned(),
            },
            Notice::Retrying { error, delay, discards } => Self::Retrying {
                error: error.message.clone(),
                delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
                discards: *discards,
            },
            Notice::Retracted(addresses) => Self::Retracted {
                addresses: addresses.iter().map(|address| address.number()).collect(),
            },
            Notice::Saved { address, event } => Self::Saved {
                address: address.map(|address| address.number()),
                event: EventText::of(event),
            },
            Notice::Queued { filed, .. } => match filed {
                Ok(Filed::Queued(number)) => Self::Queued { number: *number },
                Ok(Filed::Dropped(number)) => Self::Unqueued { number: *number },
                Ok(Filed::Changed(number)) => Self::Requeued { number: *number },
                Err(message) => Self::Refused { message: message.clone() },
            },
            Notice::Usage(usage) => Self::Usage(UsageText {
                input: usage.input,
                output: usage.output,
                cache_read: usage.cache_read,
                cache_write: usage.cache_write,
                reasoning: usage.reasoning,
            }),
        }
    }

    /// What happened, if this message tells it.
    pub fn notice(&self) -> Result<Option<Notice>, Unclear> {
        Ok(Some(match self {
            Self::Waiting => Notice::Waiting,
            Self::Text { text } => Notice::Text(text.clone()),
            Self::Reasoning { text } => Notice::Reasoning(text.clone()),
            Self::CallComing => Notice::CallComing,
            Self::Sealed => Notice::Sealed,
            Self::BlockEnded { block } => Notice::BlockEnded(block.parse().map_err(unclear)?),
            Self::ToolStarted { call } => Notice::ToolStarted(call.read_call()?),
            Self::Progress { call, text } => {
                Notice::Progress { id: CallId::new(call.as_str()), text: text.clone() }
            }
            Self::ToolEnded { call, tool, is_error, content } => Notice::ToolEnded {
                id: CallId::new(call.as_str()),
                tool: ToolName::new(tool.as_str()),
                is_error: *is_error,
                content: content.clone(),
            },
            Self::Retrying { error, delay_ms, discards } => Notice::Retrying {
                // By what remedy the trouble passes was decided by the server.
                error: ProviderError::new(Trouble::Broken, error.clone()),
                delay: Duration::from_millis(*delay_ms),
                discards: *discards,
            },
            Self::Retracted { addresses } => Notice::Retracted(
                addresses.iter().filter_map(|number| Address::new(*number)).collect(),
            ),
            Self::Saved { address: number, event } => Notice::Saved {
                address: number.and_then(Address::new),
                event: event.read(no_time())?,
            },
            Self::Usage(usage) => Notice::Usage(Usage {
                input: usage.input,
                output: usage.output,
                cache_read: usage.cache_read,
                cache_write: usage.cache_write,
                reasoning: usage.reasoning,
            }),
            _ => return Ok(None),
        }))
    }
}

impl AskText {
    /// A question as it is sent.
    pub fn of(ask: &Ask) -> Self {
        Self {
            inquiry: EventText::of_kind(EventKind::InquiryRequest(ask.inquiry.clone())),
            call: EventText::of_kind(EventKind::ToolCall(ask.call.clone())),
            preview: ask.preview.clone(),
            argv: ask.grant.argv.clone(),
            cwd: ask.grant.cwd.clone(),
            edit: ask.edit,
            problem: ask.problem.clone(),
        }
    }

    /// The question.
    pub fn read(&self) -> Result<Ask, Unclear> {
        let EventKind::InquiryRequest(inquiry) = self.inquiry.read(no_time())?.kind else {
            return Err(unclear("a question is expected"));
        };
        let call = self.call.read_call()?;
        let (argv, cwd) = (self.argv.clone(), self.cwd.clone());
        Ok(Ask {
            inquiry,
            grant: Grant { tool: call.tool.clone(), argv, cwd },
            call,
            preview: self.preview.clone(),
            edit: self.edit,
            problem: self.problem.clone(),
        })
    }
}

impl ReplyText {
    /// A reply as it is sent.
    pub fn of(inquiry: &InquiryId, reply: &Reply) -> Self {
        let how = match reply {
            Reply::Answer(Answer::Boolean(answer)) => ReplyHow::Boolean(*answer),
            Reply::Answer(Answer::Select(value)) => ReplyHow::Select(value.clone()),
            Reply::Answer(Answer::Text(text)) => ReplyHow::Text(text.to_text_lossy().into_owned()),
            Reply::Secret(secret) => ReplyHow::Secret(secret.clone()),
            Reply::Refused(reason) => ReplyHow::Refused(reason.clone()),
            Reply::Edited(text) => ReplyHow::Edited(text.clone()),
            Reply::Cancelled => ReplyHow::Cancelled(true),
        };
        Self { inquiry: inquiry.to_string(), how }
    }

    /// The question, and the reply.
    pub fn read(self) -> (InquiryId, Reply) {
        let reply = match self.how {
            ReplyHow::Boolean(answer) => Reply::Answer(Answer::Boolean(answer)),
            ReplyHow::Select(value) => Reply::Answer(Answer::Select(value)),
            ReplyHow::Text(text) => Reply::Answer(Answer::Text(text.into())),
            ReplyHow::Secret(secret) => Reply::Secret(secret),
            ReplyHow::Refused(reason) => Reply::Refused(reason),
            ReplyHow::Edited(text) => Reply::Edited(text),
            ReplyHow::Cancelled(_) => Reply::Cancelled,
        };
        (InquiryId::new(self.inquiry), reply)
    }
}

impl From<InterruptText> for Interrupt {
    fn from(interrupt: InterruptText) -> Self {
        match interrupt {
            InterruptText::Stop => Self::Stop,
            InterruptText::Say(text) => Self::Reply(text),
            InterruptText::Abort => Self::Abort,
            InterruptText::HangUp => Self::HangUp,
        }
    }
}

impl From<Interrupt> for InterruptText {
    fn from(interrupt: Interrupt) -> Self {
        match interrupt {
            Interrupt::Stop => Self::Stop,
            Interrupt::Reply(text) => Self::Say(text),
            Interrupt::Abort => Self::Abort,
            Interrupt::HangUp => Self::HangUp,
        }
    }
}
