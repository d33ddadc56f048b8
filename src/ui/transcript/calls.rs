//! What became of the calls and the questions of a turn.

use std::collections::HashMap;

use crate::model::{
    Body, CallId, Entry, EventKind, InquiryId, Metadata, Outcome, ToolCall, ToolResult, Turn,
    is_delivered_edited, is_superseded, is_withheld,
};

/// For each event of a turn, what the events after it have to say about it.
#[derive(Debug)]
pub struct Fates<'a>(Vec<Fate<'a>>);

/// What became of an event.
#[derive(Clone, Copy, Debug)]
pub enum Fate<'a> {
    /// A call.
    Call(CallFate<'a>),
    /// A question.
    Question(QuestionFate<'a>),
    /// The result of this call, which tells of it.
    ResultOf(&'a ToolCall),
    /// It belongs to an earlier event, which tells of it.
    Told,
    /// There is nothing to tell.
    None,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallFate<'a> {
    /// What the tool said.
    pub result: Option<&'a ToolResult>,
    /// Whether the model got something else than that.
    pub delivery: Option<&'static str>,
    /// Whether it was started.
    pub started: bool,
    /// The arguments that it was started with, if somebody had changed them.
    pub changed: Option<&'a str>,
    /// The question that it waits for.
    pub question: Option<&'a Body>,
}

/// What became of a question.
#[derive(Clone, Copy, Debug)]
pub enum QuestionFate<'a> {
    /// It ended like this.
    Ended(&'a Outcome),
    /// The call that it is about ended without an answer to it.
    Dropped,
    /// The call that it is about waits for the answer.
    HoldsCall,
    /// The turn waits for the answer.
    HoldsTurn,
}

impl<'a> Fates<'a> {
    /// Finds out about all events of a turn.
    pub fn of(turn: &'a Turn) -> Self {
        let mut fates: Vec<Fate<'a>> = Vec::with_capacity(turn.entries.len());
        let mut calls: HashMap<&CallId, usize> = HashMap::new();
        let mut questions: HashMap<&InquiryId, usize> = HashMap::new();
        for (index, entry) in turn.entries.iter().enumerate() {
            let fate = match &entry.event.kind {
                EventKind::ToolCall(call) => {
                    calls.insert(&call.id, index);
                    Fate::Call(CallFate::default())
                }
                EventKind::ToolStart(start) => tell(&mut fates, calls.get(&start.id), |fate| {
                    fate.started = true;
                    fate.changed = start.changed_arguments();
                }),
                EventKind::ToolResult(result) => {
                    let call = calls.remove(&result.id);
                    tell(&mut fates, call.as_ref(), |fate| {
                        fate.result = Some(result);
                        fate.delivery = delivery(&entry.event.metadata);
                    });
                    let call = call.map(|call| &turn.entries[call].event.kind);
                    match call {
                        Some(EventKind::ToolCall(call)) => Fate::ResultOf(call),
                        _ => Fate::None,
                    }
                }
                EventKind::InquiryRequest(inquiry) => {
                    questions.insert(&inquiry.id, index);
                    Fate::Question(QuestionFate::HoldsTurn)
                }
                EventKind::InquiryResponse(response) => match questions.remove(&response.id) {
                    Some(question) => {
                        let ended = QuestionFate::Ended(&response.outcome);
                        fates[question] = Fate::Question(ended);
                        Fate::Told
                    }
                    None => Fate::None,
                },
                _ => Fate::None,
            };
            fates.push(fate);
        }
        for (index, entry) in turn.entries.iter().enumerate().rev() {
            let EventKind::InquiryRequest(inquiry) = &entry.event.kind else { continue };
            let Some(call) = &inquiry.call else { continue };
            if !matches!(fates[index], Fate::Question(QuestionFate::HoldsTurn)) {
                continue;
            }
            let told = tell(&mut fates, calls.get(call), |fate| {
                fate.question = Some(&inquiry.text);
            });
            fates[index] = Fate::Question(match told {
                Fate::Told => QuestionFate::HoldsCall,
                _ => QuestionFate::Dropped,
            });
        }
        Self(fates)
    }

    /// What became of an event.
    pub fn at(&self, index: usize) -> Fate<'a> {
        self.0.get(index).copied().unwrap_or(Fate::None)
    }
}

/// What a model got instead of a result, if it did not get it as it is.
pub fn delivery(metadata: &Metadata) -> Option<&'static str> {
    match (is_withheld(metadata), is_delivered_edited(metadata)) {
        (true, _) => Some("kept from the model"),
        (_, true) => Some("changed for the model"),
        _ => None,
    }
}

/// Tells a call what became of it.
fn tell<'a>(
    fates: &mut [Fate<'a>],
    call: Option<&usize>,
    tell: impl FnOnce(&mut CallFate<'a>),
) -> Fate<'a> {
    let Some(Fate::Call(fate)) = call.and_then(|call| fates.get_mut(*call)) else {
        return Fate::None;
    };
    tell(fate);
    Fate::Told
}

/// Where what is under way begins: after the last words of a model or of the user. Words that broke
/// off do not count.
pub fn under_way(entries: &[Entry]) -> usize {
    let is_said = |entry: &Entry| {
        matches!(
            entry.event.kind,
            EventKind::Request(_)
                | EventKind::Message(_)
                | EventKind::Reasoning(_)
                | EventKind::Structured(_)
        ) && !is_superseded(&entry.event.metadata)
    };
    entries.iter().rposition(is_said).map_or(0, |last| last + 1)
}
