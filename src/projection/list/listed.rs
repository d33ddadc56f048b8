//! A message in a list, and what stands beside what it says.

use crate::{
    model::{Metadata, Timestamp, Usage},
    projection::{Message, Role},
};

/// A message in a list: what a program needs to keep it and find it again.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// What is said; where it stands in its conversation counts for nothing when it is read.
    pub message: Message,
    /// How programs know it.
    pub id: Option<String>,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// Whether the user said it while a turn was running.
    pub interrupts: bool,
    /// What the answer has cost.
    pub usage: Option<Usage>,
    /// What stands beside each event that it is made of: the attachments and then the request, the
    /// parts of an answer in their order, or the result. One that is missing says nothing.
    pub beside: Vec<Beside>,
}

/// What stands beside the content of one event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside {
    /// When it happened, if not when the message was made.
    pub created_at: Option<Timestamp>,
    /// Whatever else belongs to it.
    pub metadata: Metadata,
    /// How many times a call was started that has no result: what it did is unknown.
    pub attempts: u32,
}

impl Listed {
    /// A message of which nothing else is known.
    pub fn new(role: Role) -> Self {
        let message = Message { turn: None, incomplete: false, addresses: Vec::new(), role };
        Self {
            message,
            id: None,
            created_at: None,
            interrupts: false,
            usage: None,
            beside: Vec::new(),
        }
    }
}
