//! The mark under a turn that is not complete: what it waits for, call by call.

use super::{
    super::Face,
    calls::{Fate, Fates, QuestionFate, last_words},
    fold::{State, arguments, first_line},
    page::Page,
};
use crate::model::{EventKind, IncompleteTurn, Pending, Status};

/// Adds the mark.
pub fn print(page: &mut Page<'_>, incomplete: &IncompleteTurn, fates: &Fates<'_>) {
    let why = match incomplete.progress.status() {
        Status::WaitingForInput(_) => "waiting for input".to_owned(),
        Status::Interrupted(pending) => pending.to_string(),
        Status::Idle => Pending::Response.to_string(),
    };
    page.end_lines();
    page.line(&[(Face::NOTICE, "⏳ Incomplete turn "), (Face::NOTICE, &format!("({why})"))]);
    let entries = &incomplete.turn.entries;
    let under_way = last_words(entries).map_or(0, |last| last + 1);
    for (index, entry) in entries.iter().enumerate() {
        match (&entry.event.kind, fates.at(index)) {
            (EventKind::ToolCall(call), Fate::Call(fate))
                if index >= under_way || fate.result.is_none() =>
            {
                let state = State::of(fate, "pending");
                page.line(&[
                    (state.face, &format!("  {} ", state.mark)),
                    (Face::STRONG, call.tool.as_str()),
                    (Face::PLAIN, &format!(" — {}", state.words)),
                    (Face::FAINT, &format!("  {}", arguments(call, fate.changed))),
                ]);
            }
            (EventKind::InquiryRequest(inquiry), Fate::Question(QuestionFate::HoldsTurn)) => {
                let tool = inquiry.tool.as_ref().map_or("question", |tool| tool.as_str());
                let question = format!(" — waiting for input: \"{}\"", first_line(&inquiry.text));
                page.line(&[
                    (Face::NOTICE, "  ⏸ "),
                    (Face::STRONG, tool),
                    (Face::PLAIN, &question),
                ]);
            }
            _ => {}
        }
    }
}
