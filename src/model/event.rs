//! One step of a conversation.

use std::{fmt, str::FromStr};

use super::{
    AnswerId, Block, Body, Compaction, InquiryRequest, InquiryResponse, Json, Timestamp, ToolCall,
    ToolResult, ToolStart,
};

/// Whatever else belongs to an event: signatures, cache marks, usage. Keys keep their order.
pub type Metadata = serde_json::Map<String, serde_json::Value>;

/// One step of a conversation, with everything needed to write it down again exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When it happened.
    pub timestamp: Timestamp,
    /// What providers and tools want to find again.
    pub metadata: Metadata,
    /// Fields that this version of jp does not know and carries along.
    pub extra: Metadata,
    /// What happened.
    pub kind: EventKind,
}

impl Event {
    /// An event with nothing beside its content.
    pub fn new(timestamp: Timestamp, kind: EventKind) -> Self {
        Self { timestamp, metadata: Metadata::new(), extra: Metadata::new(), kind }
    }

    /// The type of the event.
    pub fn event_type(&self) -> EventType {
        self.kind.event_type()
    }

    /// What is asked, if it is a request.
    pub fn request(&self) -> Option<&Request> {
        match &self.kind {
            EventKind::Request(request) => Some(request),
            _ => None,
        }
    }

    /// Where it comes from, if it is a block of an answer.
    pub fn block(&self) -> Option<&Block> {
        match &self.kind {
            EventKind::Message(Message { block, .. })
            | EventKind::Reasoning(Reasoning { block, .. })
            | EventKind::Structured(Structured { block, .. })
            | EventKind::ToolCall(ToolCall { block, .. }) => Some(block),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn block_mut(&mut self) -> Option<&mut Block> {
        match &mut self.kind {
            EventKind::Message(Message { block, .. })
            | EventKind::Reasoning(Reasoning { block, .. })
            | EventKind::Structured(Structured { block, .. })
            | EventKind::ToolCall(ToolCall { block, .. }) => Some(block),
            _ => None,
        }
    }

    /// Whether it is a block of this answer.
    pub fn is_block_of(&self, answer: &AnswerId) -> bool {
        self.block().is_some_and(|block| block.answer.as_ref() == Some(answer))
    }

    /// Who wrote it.
    pub fn writer(&self) -> Writer<'_> {
        match &self.kind {
            EventKind::Message(Message { block, .. })
            | EventKind::Reasoning(Reasoning { block, .. })
            | EventKind::Structured(Structured { block, .. })
            | EventKind::ToolCall(ToolCall { block, .. }) => {
                Writer::Model(block.model.as_ref().map(|model| model.as_str()))
            }
            EventKind::ToolResult(result) => {
                Writer::Tool(result.tool.as_ref().map(|tool| tool.as_str()))
            }
            EventKind::InquiryRequest(inquiry) => {
                Writer::Tool(inquiry.tool.as_ref().map(|tool| tool.as_str()))
            }
            EventKind::Request(_)
            | EventKind::InquiryResponse(_)
            | EventKind::Attachment(_)
            | EventKind::ToolStart(_)
            | EventKind::ConfigDelta(_)
            | EventKind::Compaction(_) => Writer::User,
        }
    }
}

/// Who wrote an event; the name is there where the event tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer<'a> {
    /// The person, or jp on behalf of the person.
    User,
    /// A model.
    Model(Option<&'a str>),
    /// A tool.
    Tool(Option<&'a str>),
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The user asked.
    Request(Request),
    /// The model said.
    Message(Message),
    /// The model thought.
    Reasoning(Reasoning),
    /// The model answered with data.
    Structured(Structured),
    /// The model wants a tool to be run.
    ToolCall(ToolCall),
    /// A tool is about to run.
    ToolStart(ToolStart),
    /// A tool has run.
    ToolResult(ToolResult),
    /// A question came up.
    InquiryRequest(InquiryRequest),
    /// A question was dealt with.
    InquiryResponse(InquiryResponse),
    /// Something was put beside the next request.
    Attachment(Attachment),
    /// The configuration changed from here on.
    ConfigDelta(toml::Table),
    /// What a model sees of earlier turns changed from here on.
    Compaction(Compaction),
}

/// The user asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What was asked.
    pub content: Body,
    /// Whether it came while a turn was running, and so belongs to that turn.
    pub interrupts: bool,
}

/// The model said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it said.
    pub content: Body,
    /// The answer that it is part of.
    pub block: Block,
}

/// The model thought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reasoning {
    /// What it thought.
    pub content: Body,
    /// The answer that it is part of.
    pub block: Block,
}

/// The model answered with data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structured {
    /// The data.
    pub data: Json,
    /// The answer that it is part of.
    pub block: Block,
}

/// Something was put beside the next request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Where it came from: a path, an address, or `-`.
    pub source: String,
    /// What it is.
    pub media_type: Option<String>,
    /// What was in it at the time.
    pub content: Body,
}

impl EventKind {
    /// What a provider signs of a block of an answer, and what its own form of it stands for.
    pub fn signed_content(&self) -> Option<&[u8]> {
        match self {
            Self::Message(message) => Some(message.content.as_bytes()),
            Self::Reasoning(reasoning) => Some(reasoning.content.as_bytes()),
            Self::Structured(structured) => Some(structured.data.as_str().as_bytes()),
            Self::ToolCall(call) => Some(call.arguments.as_str().as_bytes()),
            Self::Request(_)
            | Self::ToolStart(_)
            | Self::ToolResult(_)
            | Self::InquiryRequest(_)
            | Self::InquiryResponse(_)
            | Self::Attachment(_)
            | Self::ConfigDelta(_)
            | Self::Compaction(_) => None,
        }
    }

    /// The type of the event.
    pub fn event_type(&self) -> EventType {
        match self {
            Self::Request(_) => EventType::Request,
            Self::Message(_) => EventType::Message,
            Self::Reasoning(_) => EventType::Reasoning,
            Self::Structured(_) => EventType::Structured,
            Self::ToolCall(_) => EventType::ToolCall,
            Self::ToolStart(_) => EventType::ToolStart,
            Self::ToolResult(_) => EventType::ToolResult,
            Self::InquiryRequest(_) => EventType::InquiryRequest,
            Self::InquiryResponse(_) => EventType::InquiryResponse,
            Self::Attachment(_) => EventType::Attachment,
            Self::ConfigDelta(_) => EventType::ConfigDelta,
            Self::Compaction(_) => EventType::Compaction,
        }
    }
}

/// The type of an event, named as in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the variant of EventKind of the same name")]
pub enum EventType {
    Request,
    Message,
    Reasoning,
    Structured,
    ToolCall,
    ToolStart,
    ToolResult,
    InquiryRequest,
    InquiryResponse,
    Attachment,
    ConfigDelta,
    Compaction,
}

impl EventType {
    /// All types, in the order in which they are documented.
    pub const ALL: [Self; 12] = [
        Self::Request,
        Self::Message,
        Self::Reasoning,
        Self::Structured,
        Self::ToolCall,
        Self::ToolStart,
        Self::ToolResult,
        Self::InquiryRequest,
        Self::InquiryResponse,
        Self::Attachment,
        Self::ConfigDelta,
        Self::Compaction,
    ];

    /// The name of the type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Message => "message",
            Self::Reasoning => "reasoning",
            Self::Structured => "structured",
            Self::ToolCall => "tool-call",
            Self::ToolStart => "tool-start",
            Self::ToolResult => "tool-result",
            Self::InquiryRequest => "inquiry-request",
            Self::InquiryResponse => "inquiry-response",
            Self::Attachment => "attachment",
            Self::ConfigDelta => "config-delta",
            Self::Compaction => "compaction",
        }
    }

    /// Whether events of this type wait for the request that they belong to.
    pub fn is_prelude(self) -> bool {
        matches!(self, Self::ConfigDelta | Self::Compaction | Self::Attachment)
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not the type of an event.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not an event type: expected one of {list}", list = all_names())]
pub struct UnknownEventType(pub String);

fn all_names() -> String {
    EventType::ALL.map(EventType::name).join(", ")
}

impl FromStr for EventType {
    type Err = UnknownEventType;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|event_type| event_type.name() == name);
        found.ok_or_else(|| UnknownEventType(name.to_owned()))
    }
}
