//! What a tool can turn to while it runs.

use serde_json::Value;

use super::Question;
use crate::cancel::Cancel;

/// What a tool can turn to while it runs: whether it is still wanted, somebody who watches, and
/// somebody who answers.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    cancel: &'a Cancel,
    line: &'a dyn Line,
}

/// The way from a tool that runs to whoever runs it.
pub trait Line: Send + Sync {
    /// Tells how far it is.
    fn progress(&self, text: &str);

    /// Asks, and waits for the answer; `None` if there is none.
    fn ask(&self, question: Question) -> Option<Value>;
}

impl<'a> Host<'a> {
    /// Somebody at the other end of a line.
    pub fn new(cancel: &'a Cancel, line: &'a dyn Line) -> Self {
        Self { cancel, line }
    }

    /// Nobody who watches or answers.
    pub fn alone(cancel: &'a Cancel) -> Self {
        Self { cancel, line: &Nobody }
    }

    /// Whether and when the tool is to stop.
    pub fn cancel(&self) -> &'a Cancel {
        self.cancel
    }

    /// Tells how far the tool is, in a few words that may come from anywhere.
    pub fn progress(&self, text: &str) {
        self.line.progress(text);
    }

    /// Asks in the middle of a run, and waits for the answer. A tool that can begin anew ends with
    /// [`super::Outcome::NeedsInput`] instead, because that survives the end of the process.
    pub fn ask(&self, question: Question) -> Option<Value> {
        self.line.ask(question)
    }
}

/// Nobody watches or answers.
struct Nobody;

impl Line for Nobody {
    fn progress(&self, _text: &str) {}

    fn ask(&self, _question: Question) -> Option<Value> {
        None
    }
}
