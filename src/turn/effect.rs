//! What a turn wants to be done.

use std::time::Duration;

use serde_json::Value;

use super::{Ask, Filed, FollowUp, Ticket};
use crate::{
    model::{
        Address, AnswerId, CallId, Event, EventType, Finish, Grant, InquiryId, ToolCall, ToolName,
        Usage,
    },
    provider::{ProviderError, Query},
    tool::Invocation,
};

/// What a turn wants to be done, in this order. What is to be stored is on disk before the next
/// effect is carried out.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Store an event at the end.
    Commit(Event),
    /// The answer has ended after its last block was stored: put that down on the block.
    Seal {
        /// The answer.
        answer: AnswerId,
        /// Why it ended.
        finish: Finish,
        /// What it has cost.
        usage: Usage,
    },
    /// The answer has not ended and is asked for anew: take what came of it out of the stream.
    Retract(AnswerId),
    /// Ask the model.
    Query,
    /// Nobody listens to the model any more.
    CancelQuery,
    /// Find out what a call is about, which may need a look at files.
    Inspect {
        /// The tool.
        tool: ToolName,
        /// The call.
        call: CallId,
        /// What it would be run with.
        arguments: Value,
    },
    /// Run a tool.
    Run {
        /// The tool.
        tool: ToolName,
        /// What it is run with.
        invocation: Invocation,
    },
    /// Stop all tools that run. Each still ends.
    CancelTools,
    /// Ask the user.
    Ask(Box<Ask>),
    /// Ask the model what its tool asks.
    Consult {
        /// The question.
        inquiry: InquiryId,
        /// What the model is asked.
        query: Query,
    },
    /// Tell a tool that waits for an answer what it is; `None` if there is none.
    Answer {
        /// What the tool is known by.
        ticket: Ticket,
        /// The answer.
        answer: Option<Value>,
    },
    /// Change the queue.
    Queue {
        /// What whoever wants it is known by.
        from: u64,
        /// What is to be done to it.
        follow_up: FollowUp,
    },
    /// Remember what the user has allowed for the whole conversation.
    Grant(Grant),
    /// A question need not be answered any more.
    Withdraw(InquiryId),
    /// Wait before another try.
    Rest(Duration),
    /// Let the user know.
    Show(Notice),
    /// The turn is over.
    End(Ending),
}

/// What the user may want to know while a turn goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// The model has been asked.
    Waiting,
    /// The next part of a text.
    Text(String),
    /// The next part of a thought.
    Reasoning(String),
    /// A call is coming.
    CallComing,
    /// A block is complete.
    BlockEnded(EventType),
    /// A tool runs.
    ToolStarted(ToolCall),
    /// A tool tells how far it is.
    Progress {
        /// The call.
        id: CallId,
        /// In a few words.
        text: String,
    },
    /// A tool has ended, or was not run.
    ToolEnded {
        /// The call.
        id: CallId,
        /// The tool.
        tool: ToolName,
        /// Whether it failed.
        is_error: bool,
        /// What it said.
        content: String,
    },
    /// The model will be asked again.
    Retrying {
        /// Why.
        error: ProviderError,
        /// When.
        delay: Duration,
        /// Whether a part of an answer that was shown does not count.
        discards: bool,
    },
    /// These events are out of the stream: the answer that they belong to has not ended, and is
    /// asked for anew.
    Retracted(Vec<Address>),
    /// Why the answer ended that was stored last is on disk as well.
    Sealed,
    /// An event is on disk.
    Saved {
        /// Where it stands; `None` if nothing is kept.
        address: Option<Address>,
        /// The event.
        event: Event,
    },
    /// The queue was changed, or why it was not.
    Queued {
        /// What whoever wants it is known by.
        from: u64,
        /// What was done.
        filed: Result<Filed, String>,
    },
    /// What the turn has cost.
    Usage(Usage),
}

/// A call of which nobody knows what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The call.
    pub call: CallId,
    /// The tool.
    pub tool: ToolName,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The model has said all it wanted to say, or could.
    Complete(Finish),
    /// The user stopped it; what came was kept.
    Stopped,
    /// The user aborted it.
    Aborted,
    /// The model could not be asked, or did not answer to the end.
    Failed(ProviderError),
    /// The model answered with something else than the data that was asked for.
    NotTheData(String),
    /// Somebody has to decide about this tool, and nobody is there.
    Waiting(ToolName),
    /// These calls may have been made before, and are not made again unless somebody says so.
    Unsure(Vec<Unknown>),
    /// The model has called for tools so many times; the turn can go on from the results.
    TooManyRounds(u32),
}
