//! What a turn that is not complete waits for, call by call: the same words wherever it is told.

use std::collections::HashMap;

use super::{
    super::{Face, FacedLine},
    calls::{Fate, Fates, QuestionFate, under_way},
    fold::{State, arguments, waiting},
};
use crate::model::{CallId, EventKind, IncompleteTurn, InquiryRequest, Pending, Status, ToolCall};

/// What a turn that is not complete waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// What is missing, in a few words.
    pub why: String,
    /// A line for each call that the turn is at, and for each question that is about none.
    pub lines: Vec<FacedLine>,
}

impl Unfinished {
    /// Finds out what a turn waits for.
    pub fn of(incomplete: &IncompleteTurn) -> Self {
        Self::with(incomplete, &Fates::of(&incomplete.turn))
    }

    /// The same for who knows what became of its events.
    pub(super) fn with(incomplete: &IncompleteTurn, fates: &Fates<'_>) -> Self {
        let why = match incomplete.progress.status() {
            Status::WaitingForInput(_) => "waiting for input".to_owned(),
            Status::Interrupted(pending) => pending.to_string(),
            Status::Idle => Pending::Response.to_string(),
        };
        let entries = &incomplete.turn.entries;
        let first = under_way(entries);
        let mut further = further_questions(incomplete, fates);
        let mut lines = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            match (&entry.event.kind, fates.at(index)) {
                (EventKind::ToolCall(call), Fate::Call(fate))
                    if index >= first || fate.result.is_none() =>
                {
                    let state = State::of(fate, "pending");
                    let tool = call.tool.as_str();
                    lines.push(line(&state, tool, Some((call, fate.changed))));
                    let further = further.remove(&call.id).unwrap_or_default();
                    let further = further.into_iter().map(|inquiry| waiting(&inquiry.text));
                    lines.extend(further.map(|state| line(&state, tool, None)));
                }
                (EventKind::InquiryRequest(inquiry), Fate::Question(QuestionFate::HoldsTurn)) => {
                    let tool = inquiry.tool.as_ref().map_or("question", |tool| tool.as_str());
                    lines.push(line(&waiting(&inquiry.text), tool, None));
                }
                _ => {}
            }
        }
        Self { why, lines }
    }
}

/// The questions that calls wait for, but for the first of each call.
fn further_questions<'a>(
    incomplete: &'a IncompleteTurn,
    fates: &Fates<'_>,
) -> HashMap<&'a CallId, Vec<&'a InquiryRequest>> {
    let mut questions: HashMap<_, Vec<_>> = HashMap::new();
    for (index, entry) in incomplete.turn.entries.iter().enumerate() {
        if let EventKind::InquiryRequest(inquiry) = &entry.event.kind
            && let Some(call) = &inquiry.call
            && matches!(fates.at(index), Fate::Question(QuestionFate::HoldsCall))
        {
            questions.entry(call).or_default().push(inquiry);
        }
    }
    for asked in questions.values_mut() {
        asked.remove(0);
    }
    questions
}

/// A call or a question, with the arguments of the call.
fn line(state: &State, tool: &str, call: Option<(&ToolCall, Option<&str>)>) -> FacedLine {
    let mut pieces = vec![
        (state.face, format!("{} ", state.mark)),
        (Face::STRONG, tool.to_owned()),
        (Face::PLAIN, format!(" — {}", state.words)),
    ];
    let arguments = call.map(|(call, changed)| arguments(call, changed));
    if let Some(arguments) = arguments.filter(|arguments| arguments != "{}") {
        pieces.push((Face::FAINT, format!("  {arguments}")));
    }
    FacedLine::new(pieces)
}
