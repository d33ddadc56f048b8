//! Whom a call may turn to while it runs.

use serde_json::Value;

use crate::{cancel::Cancel, tool::Question};

/// Where a call is stopped, tells how far it is, and asks.
#[derive(Clone, Copy)]
pub(super) struct Desk<'a> {
    cancel: &'a Cancel,
    progress: &'a dyn Fn(&str),
    ask: &'a dyn Fn(Question) -> Option<Value>,
}

impl<'a> Desk<'a> {
    pub(super) fn new(
        cancel: &'a Cancel,
        progress: &'a dyn Fn(&str),
        ask: &'a dyn Fn(Question) -> Option<Value>,
    ) -> Self {
        Self { cancel, progress, ask }
    }

    pub(super) fn cancel(&self) -> &Cancel {
        self.cancel
    }

    pub(super) fn progress(&self, text: &str) {
        (self.progress)(text);
    }

    /// Asks the user; nothing if nobody answered.
    pub(super) fn ask(&self, question: Question) -> Option<Value> {
        (self.ask)(question)
    }
}
