//! What a message is, for any provider.

use crate::model::{
    Address, AnswerId, Arguments, Attachment, Body, CallId, Finish, Json, ModelName, Native,
    ToolName,
};

/// A message, and the events that it was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The turn that it belongs to; `None` for what comes before all turns.
    pub turn: Option<u64>,
    /// Whether that turn is still under way.
    pub incomplete: bool,
    /// The events that it was made of, in order.
    pub addresses: Vec<Address>,
    /// Who speaks, and what is said.
    pub role: Role,
}

/// Who speaks, and what is said.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// What a model is told before anything else.
    System {
        /// The system prompt.
        content: String,
    },
    /// The user asks.
    User {
        /// What is asked.
        content: Body,
        /// What was put beside it.
        attachments: Vec<Attachment>,
    },
    /// A model answers.
    Assistant {
        /// The model, where the events tell it.
        model: Option<ModelName>,
        /// The id of the answer, where the events tell it.
        answer: Option<AnswerId>,
        /// What it said, thought and called, in its order.
        parts: Vec<Part>,
        /// Why the answer ended; `None` if it was cut off, or comes from elsewhere.
        finish: Option<Finish>,
    },
    /// A tool has run.
    Tool {
        /// The call.
        id: CallId,
        /// The tool, if the result or the call of the same turn tells it.
        tool: Option<ToolName>,
        /// Whether the content tells of a failure.
        is_error: bool,
        /// What the tool said.
        content: Body,
    },
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it holds.
    pub kind: PartKind,
    /// The provider's signature, as long as nobody has changed what it covers.
    pub signature: Option<String>,
    /// The block as the provider wrote it, as long as nobody has changed the content.
    pub native: Option<Native>,
}

/// What a part of an answer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// What the model said.
    Text(Body),
    /// What the model thought.
    Reasoning(Body),
    /// The data that the model answered with.
    Data(Json),
    /// A tool that the model wants to be run.
    Call {
        /// The id that the result names.
        id: CallId,
        /// The tool.
        tool: ToolName,
        /// What it is called with.
        arguments: Arguments,
    },
}
