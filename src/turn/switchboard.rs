//! Connects tools that run with the turn: what they tell, what they ask, and the answers.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{Sender, channel},
    },
};

use serde_json::Value;

use super::{Input, Ticket, ends::Letter};
use crate::{
    model::CallId,
    tool::{Line, Question},
};

/// Where the tools are that wait for an answer.
#[derive(Clone, Default)]
pub struct Switchboard {
    waiting: Arc<Mutex<Waiting>>,
    next: Arc<AtomicU64>,
}

#[derive(Default)]
struct Waiting {
    tools: BTreeMap<Ticket, Sender<Value>>,
    /// Nobody answers any more.
    is_closed: bool,
}

/// The line of one call.
pub struct CallLine {
    call: CallId,
    turn: Sender<Letter>,
    board: Switchboard,
}

impl Switchboard {
    /// A line for a call.
    pub fn line(&self, call: CallId, turn: Sender<Letter>) -> CallLine {
        CallLine { call, turn, board: self.clone() }
    }

    /// Tells a tool that waits what the answer is, or that there is none.
    pub fn answer(&self, ticket: Ticket, answer: Option<Value>) {
        let waiting = self.waiting().tools.remove(&ticket);
        if let (Some(waiting), Some(answer)) = (waiting, answer) {
            // A tool that was cancelled does not wait any more.
            let _gone = waiting.send(answer);
        }
    }

    /// Nobody answers any more.
    pub fn close(&self) {
        *self.waiting() = Waiting { is_closed: true, ..Waiting::default() };
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line for CallLine {
    fn progress(&self, text: &str) {
        let input = Input::Progress { call: self.call.clone(), text: text.to_owned() };
        // A turn that is over does not listen any more.
        let _over = self.turn.send(Letter { query: None, input });
    }

    fn ask(&self, question: Question) -> Option<Value> {
        let ticket = self.board.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = channel();
        {
            // A question that comes between the end of the turn and that of its inbox would wait
            // for ever.
            let mut waiting = self.board.waiting();
            if waiting.is_closed {
                return None;
            }
            waiting.tools.insert(ticket, sender);
        }
        let input = Input::ToolAsked { call: self.call.clone(), ticket, question };
        if self.turn.send(Letter { query: None, input }).is_err() {
            self.board.waiting().tools.remove(&ticket);
            return None;
        }
        // Without an answer the sender is dropped.
        answer.recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::AnswerType;

    #[test]
    fn a_tool_that_asks_when_the_turn_is_over_does_not_wait() {
        let (turn, inbox) = channel();
        let board = Switchboard::default();
        let line = board.line(CallId::new("c"), turn);
        board.close();
        let answer = AnswerType::Boolean { default: None };
        let question =
            Question { id: "sure".into(), text: "Sure?".into(), answer, exclusive: false };
        assert_eq!(line.ask(question), None, "the inbox is still there, and nobody reads it");
        drop(inbox);
    }
}
