//! What is known of the calls of a turn that was interrupted, before it goes on.

use super::{
    record::Record,
    standing::{Left, Standing},
};
use crate::{
    model::{Entry, InquiryRequest, ToolCall},
    tool::Catalog,
};

/// What is known of a turn that was interrupted.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Whether an answer had not ended, and will be asked for anew.
    pub is_asked_anew: bool,
    /// The calls that have no result, in their order; none of an answer that had not ended.
    pub calls: Vec<Surveyed>,
}

/// A call that has no result.
#[derive(Clone, Debug)]
pub struct Surveyed {
    /// The call, with the arguments that it would be made with.
    pub made: ToolCall,
    /// How far it has come.
    pub state: CallState,
}

/// How far a call without a result has come.
#[derive(Clone, Debug)]
pub enum CallState {
    /// It was never made.
    New,
    /// It was made, and nobody knows what came of it.
    Unknown,
    /// Somebody has to decide something.
    Asking(Box<InquiryRequest>),
    /// It has ended, and its result is only to be handed on.
    Ended,
}

impl Survey {
    /// Reads what is known from all events of a conversation.
    pub fn of(entries: &[Entry]) -> Self {
        let record = Record::new(entries.iter().cloned());
        if record.progress().is_asked_anew() {
            return Self { is_asked_anew: true, calls: Vec::new() };
        }
        let calls = record.pending_calls().into_iter().map(Surveyed::of).collect();
        Self { is_asked_anew: false, calls }
    }

    /// The calls that must not be made again with these tools unless somebody says so.
    pub fn unknown<'a>(&'a self, tools: &'a Catalog) -> impl Iterator<Item = &'a Surveyed> {
        self.calls.iter().filter(|call| {
            let is_unknown = matches!(call.state, CallState::Unknown);
            is_unknown && !tools.find(&call.made.tool).is_some_and(|tool| tool.is_idempotent())
        })
    }

    /// The first question that somebody has to answer.
    pub fn question(&self) -> Option<(&Surveyed, &InquiryRequest)> {
        self.calls.iter().find_map(|call| match &call.state {
            CallState::Asking(inquiry) => Some((call, &**inquiry)),
            _ => None,
        })
    }
}

impl Surveyed {
    fn of(standing: Standing) -> Self {
        let state = match &standing.left {
            // Whether it may run is asked again when somebody has said that it is to.
            Left::Open(..) | Left::Nothing if standing.is_unsure() => CallState::Unknown,
            Left::Open(inquiry, _) => CallState::Asking(inquiry.clone()),
            Left::Decided(..) => CallState::Ended,
            Left::Nothing => CallState::New,
        };
        Self { made: standing.made, state }
    }

    /// Whether it can be decided what becomes of it: not once it has ended.
    pub fn can_be_decided(&self) -> bool {
        use crate::model::InquiryKind::DeliverResult;
        match &self.state {
            CallState::New | CallState::Unknown => true,
            CallState::Asking(inquiry) => inquiry.kind != DeliverResult,
            CallState::Ended => false,
        }
    }
}
