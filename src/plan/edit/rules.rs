//! The rules that an edited stream has to keep, and the results that stand in for missing ones.
//!
//! What providers refuse is refused here: a result before its call or without one, a request
//! straight after a request, an answer without its question, a stream without a request. A call
//! that lost its result gets an error in its place, unless it belongs to the turn under way.

use std::collections::BTreeSet;

use super::{
    Fault,
    fault::See,
    piece::{Origin, Piece, Slot, pieces},
};
use crate::{
    format::encode,
    model::{CallId, Event, EventKind, EventType, InquiryId, Progress, Refusal, ToolCall},
    plan::{Layout, layout::turns, sanitize::missing_result},
};

/// Puts errors in for results that are missing.
pub(super) fn stand_in(layout: &Layout, slots: &mut Vec<Slot>) {
    for (after, call) in missing(layout, slots).into_iter().rev() {
        let Some(piece) = slots.get(call).and_then(Slot::piece) else { continue };
        let Some((event, call)) = piece.event.as_ref().zip(call_of(piece)) else { continue };
        let mut result = missing_result(call, event);
        if had_result(layout, &call.id)
            && let EventKind::ToolResult(result) = &mut result.kind
        {
            result.content = "The result of this tool call was taken out.".into();
        }
        let Ok(bytes) = encode(&result) else { continue };
        let stand_in = Piece {
            origin: Origin::StandIn(call.id.clone()),
            shown: format!("the result of call `{}`", call.id),
            number: piece.number,
            event: Some(result),
            bytes: Some(bytes),
            name: None,
        };
        slots.insert(after + 1, Slot::Piece(Box::new(stand_in)));
    }
}

/// Finds everything that is wrong with a stream.
pub(super) fn faults(slots: &[Slot]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut progress = Progress::default();
    let all: Vec<&Piece> = pieces(slots).collect();
    for (at, piece) in all.iter().enumerate() {
        let Some(event) = &piece.event else {
            faults.push(piece.fault("it is missing or cannot be read"));
            continue;
        };
        if let Err(refusal) = progress.admit(event) {
            faults.push(explain(&refusal, &all, at));
        }
        progress.push(event);
    }
    let is_request =
        |piece: &&Piece| piece.event.as_ref().map(Event::event_type) == Some(EventType::Request);
    if !all.iter().any(is_request) && faults.is_empty() {
        faults.push(Fault::of_plan(None, "no request is left: a conversation has at least one"));
    }
    faults
}

/// The calls that miss their result: after which line it belongs, and the line of the call.
fn missing(layout: &Layout, slots: &[Slot]) -> Vec<(usize, usize)> {
    let under_way = pending(layout);
    let lines: Vec<(usize, &Piece)> = slots
        .iter()
        .enumerate()
        .filter_map(|(line, slot)| slot.piece().map(|piece| (line, piece)))
        .collect();
    let turns = turns(lines.iter().map(|(_, piece)| piece.event.as_ref()));
    let last_turn = turns.last().copied();
    let mut missing = Vec::new();
    for (at, (line, piece)) in lines.iter().enumerate() {
        let Some(call) = call_of(piece) else { continue };
        let rest = || lines[at + 1..].iter().zip(&turns[at + 1..]);
        let own = || rest().take_while(|(_, turn)| **turn == turns[at]);
        if own().any(|((_, piece), _)| result_of(piece) == Some(&call.id)) {
            continue;
        }
        let goes_on = own().any(|((_, later), _)| goes_on_after(call, later));
        let is_open = Some(turns[at]) == last_turn && (!goes_on || under_way.contains(&call.id));
        if is_open {
            continue;
        }
        let belongs = own().take_while(|((_, piece), _)| belongs_to_calls(piece)).last();
        missing.push((belongs.map_or(*line, |((line, _), _)| *line), *line));
    }
    missing.sort_unstable();
    missing
}

/// Whether a model or the user went on after a call, as if it were over.
fn goes_on_after(call: &ToolCall, later: &Piece) -> bool {
    match later.event.as_ref().map(|event| (&event.kind, event.block())) {
        Some((EventKind::Request(_), _)) => true,
        // What came in the same answer was said before there could be a result.
        Some((EventKind::ToolCall(_), _)) => false,
        Some((_, Some(block))) => block.answer.is_none() || block.answer != call.block.answer,
        _ => false,
    }
}

/// Whether an event stands among calls and their results.
fn belongs_to_calls(piece: &Piece) -> bool {
    let kind = piece.event.as_ref().map(|event| &event.kind);
    matches!(
        kind,
        Some(
            EventKind::ToolCall(_)
                | EventKind::ToolStart(_)
                | EventKind::ToolResult(_)
                | EventKind::InquiryRequest(_)
                | EventKind::InquiryResponse(_)
        )
    )
}

/// The calls of the present stream that wait for their result.
fn pending(layout: &Layout) -> BTreeSet<CallId> {
    let mut progress = Progress::default();
    for event in layout.stream.iter().filter_map(|listed| listed.event.as_ref()) {
        progress.push(event);
    }
    progress.pending_calls().iter().map(|call| call.id.clone()).collect()
}

fn had_result(layout: &Layout, id: &CallId) -> bool {
    let is_result =
        |kind: &EventKind| matches!(kind, EventKind::ToolResult(result) if result.id == *id);
    layout.stream.iter().filter_map(|listed| listed.kind()).any(is_result)
}

fn call_of(piece: &Piece) -> Option<&ToolCall> {
    match &piece.event.as_ref()?.kind {
        EventKind::ToolCall(call) => Some(call),
        _ => None,
    }
}

fn result_of(piece: &Piece) -> Option<&CallId> {
    match &piece.event.as_ref()?.kind {
        EventKind::ToolResult(result) => Some(&result.id),
        _ => None,
    }
}

/// What is wrong, in words that say where to look.
fn explain(refusal: &Refusal, all: &[&Piece], at: usize) -> Fault {
    let (before, after) = all.split_at(at);
    let is_call = |id: &CallId| {
        let id = id.clone();
        move |piece: &&&Piece| call_of(piece).is_some_and(|call| call.id == id)
    };
    let (words, see) = match refusal {
        Refusal::ResultWithoutCall(id) | Refusal::StartWithoutCall(id) => {
            let what = match refusal {
                Refusal::ResultWithoutCall(_) => "tool-result",
                _ => "tool-start",
            };
            // What stands in for a result is nothing that anybody can see.
            let is_result = |piece: &&&Piece| {
                result_of(piece) == Some(id) && !matches!(piece.origin, Origin::StandIn(_))
            };
            let call = before.iter().rev().find(is_call(id));
            let result = before.iter().rev().find(is_result);
            match (after.iter().find(is_call(id)), call, result) {
                (Some(call), ..) => {
                    (format!("{what} `{id}` appears before its tool-call"), Some(call))
                }
                (None, Some(_), Some(result)) => {
                    (format!("{what} `{id}` comes after the result of its call"), Some(result))
                }
                (None, Some(call), None) => {
                    (format!("{what} `{id}` stands in another turn than its tool-call"), Some(call))
                }
                (None, None, _) => {
                    (format!("orphaned {what} `{id}` has no matching tool-call"), None)
                }
            }
        }
        Refusal::AnswerWithoutQuestion(id) => {
            let asks = |piece: &&&Piece| asks(piece, id);
            match (after.iter().find(asks), before.iter().rev().find(asks)) {
                (Some(question), _) => (
                    format!("inquiry-response `{id}` appears before its inquiry-request"),
                    Some(question),
                ),
                (None, Some(question)) => (
                    format!("inquiry-response `{id}` answers a question that is not open any more"),
                    Some(question),
                ),
                (None, None) => (
                    format!("orphaned inquiry-response `{id}` has no matching inquiry-request"),
                    None,
                ),
            }
        }
        Refusal::RequestAfterRequest => (
            "a request follows straight after a request: an answer has to stand between them, or \
             `interrupts: true` in its frontmatter"
                .to_owned(),
            None,
        ),
        refusal => (refusal.to_string(), None),
    };
    let see = see.map(|piece| See { name: piece.shown.clone(), line: piece.number });
    Fault { see, ..all[at].fault(words) }
}

fn asks(piece: &Piece, id: &InquiryId) -> bool {
    let kind = piece.event.as_ref().map(|event| &event.kind);
    matches!(kind, Some(EventKind::InquiryRequest(inquiry)) if inquiry.id == *id)
}
