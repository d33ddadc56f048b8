//! What a turn wants to be done.

use std::time::Duration;

use crate::{
    model::{
        Address, AnswerId, CallId, Event, EventType, Finish, InquiryId, InquiryRequest, ToolCall,
        ToolName, Usage,
    },
    provider::ProviderError,
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
    /// Ask the model.
    Query,
    /// Nobody listens to the model any more.
    CancelQuery,
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
    Ask {
        /// The question.
        inquiry: InquiryRequest,
        /// The call that it is about.
        call: ToolCall,
    },
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
    /// An event is on disk.
    Saved {
        /// Where it stands; `None` if nothing is kept.
        address: Option<Address>,
        /// The event.
        event: Event,
    },
    /// What the turn has cost.
    Usage(Usage),
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
    /// A tool may have run before, and must not be run again without being asked for.
    Unsure(ToolName),
    /// The model has called for tools so many times; the turn can go on from the results.
    TooManyRounds(u32),
}
