//! What a turn can be told.

use super::{FollowUp, Resumption, Ticket};
use crate::{
    model::{Answer, CallId, Event, InquiryId},
    provider::{Piece, ProviderError},
    tool,
};

/// What a turn can be told.
#[derive(Debug)]
pub enum Input {
    /// The user asks: the request and what belongs before it.
    Begin(Vec<Event>),
    /// The last turn is to be completed.
    Resume(Resumption),
    /// The model said something.
    Piece(Piece),
    /// The model said nothing for a moment.
    Quiet,
    /// The answer is over.
    Over(Result<(), ProviderError>),
    /// The rest before another try is over.
    Rested,
    /// A tool has ended.
    ToolEnded {
        /// The call.
        call: CallId,
        /// How it ended.
        outcome: tool::Outcome,
    },
    /// It is known what a call is about.
    Inspected {
        /// The call.
        call: CallId,
        /// What rules look at; `None` if it could not be found out.
        subject: Option<tool::Subject>,
        /// What it would change, as a diff.
        preview: Option<String>,
    },
    /// A tool asks something while it runs, and waits for the answer.
    ToolAsked {
        /// The call.
        call: CallId,
        /// What its tool is known by while it waits.
        ticket: Ticket,
        /// The question.
        question: tool::Question,
    },
    /// A tool tells how far it is.
    Progress {
        /// The call.
        call: CallId,
        /// In a few words.
        text: String,
    },
    /// The model was asked what its tool asks.
    Consulted {
        /// The question.
        inquiry: InquiryId,
        /// What it said, if it said something.
        said: Option<String>,
    },
    /// A question was dealt with.
    Replied {
        /// The question.
        inquiry: InquiryId,
        /// How.
        reply: Reply,
    },
    /// Something is to be asked when the turn is complete, or is not any more.
    FollowUp {
        /// What whoever wants it is known by.
        from: u64,
        /// What is to be done to the queue.
        follow_up: Box<FollowUp>,
    },
    /// Somebody came who can be asked, or whoever could is gone.
    Audience(tool::Audience),
    /// The user wants something else.
    Interrupt(Interrupt),
}

/// How a question was dealt with.
#[derive(Clone, PartialEq, Eq)]
pub enum Reply {
    /// It was answered.
    Answer(Answer),
    /// It was answered with a secret, which is never stored or shown.
    Secret(String),
    /// The call must not be made, for this reason.
    Refused(String),
    /// The arguments of the call, or its result, are to be this.
    Edited(String),
    /// Nobody wanted to answer.
    Cancelled,
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Answer(answer) => f.debug_tuple("Answer").field(answer).finish(),
            Self::Secret(_) => f.write_str("Secret"),
            Self::Edited(text) => f.debug_tuple("Edited").field(text).finish(),
            Self::Refused(reason) => f.debug_tuple("Refused").field(reason).finish(),
            Self::Cancelled => f.write_str("Cancelled"),
        }
    }
}

/// What the user wants instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// Stop, and keep what came.
    Stop,
    /// Stop, keep what came, and say this.
    Reply(String),
    /// Stop, and keep only what was complete.
    Abort,
    /// Stop, keep what came, and leave for later what nobody has decided: whoever could is gone.
    HangUp,
}
