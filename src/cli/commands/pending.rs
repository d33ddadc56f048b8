//! What a turn that is not complete waits for, for programs.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::export::event_fields;
use crate::{
    model::{
        Event, EventKind, Expectation, IncompleteTurn, InquiryId, OpenQuestion, PendingCall,
        Progress,
    },
    workspace::Running,
};

/// The state of a call that was started, and of which nobody knows what it did.
const UNKNOWN: &str = "unknown";

/// What a turn under way waits for, with its questions in full.
pub fn of_turn(incomplete: &IncompleteTurn) -> Value {
    let events = incomplete.turn.entries.iter().map(|entry| &entry.event);
    of_progress(&incomplete.progress, events)
}

/// What a conversation waits for, with those questions in full that are among some events; null if
/// no turn is under way.
pub fn of_progress<'a>(progress: &Progress, events: impl Iterator<Item = &'a Event>) -> Value {
    let Some(pending) = progress.pending() else { return Value::Null };
    // An id may have been used before: the last one counts.
    let asked: HashMap<_, _> = events.filter_map(|event| Some((inquiry(event)?, event))).collect();
    let calls = progress.pending_calls().iter().map(|call| json_call(progress, call));
    let questions = progress.open_questions().iter().map(|question| {
        let asked = asked.get(&question.id);
        asked.map_or_else(|| json_unread(question), |event| json_question(event))
    });
    json!({
        "missing": pending.to_string(),
        "phase": pending.word(),
        "waiting_for_input": !progress.open_questions().is_empty(),
        "calls": calls.collect::<Vec<_>>(),
        "questions": questions.collect::<Vec<_>>(),
    })
}

/// Puts what a conversation waits for into what is told about it, and beside it the question that it
/// waits for first. A call that was started runs if a process is at the conversation; without one
/// nobody knows.
pub fn put(value: &mut Value, mut pending: Value, running: Option<&Running>) {
    let calls = pending.get_mut("calls").and_then(Value::as_array_mut).into_iter().flatten();
    for call in calls.filter(|call| running.is_some() && call["state"] == UNKNOWN) {
        call["state"] = json!("running");
    }
    value["waiting_for"] = match pending["questions"].get(0) {
        Some(first) => {
            json!({"kind": first["kind"], "tool": first["tool"], "question": first["id"]})
        }
        None => Value::Null,
    };
    value["pending"] = pending;
}

fn inquiry(event: &Event) -> Option<&InquiryId> {
    match &event.kind {
        EventKind::InquiryRequest(inquiry) => Some(&inquiry.id),
        _ => None,
    }
}

fn json_call(progress: &Progress, call: &PendingCall) -> Value {
    let state = match call.attempts {
        _ if progress.waits_for_answer(&call.id) => "waiting",
        0 => "new",
        _ => UNKNOWN,
    };
    json!({"id": call.id, "tool": call.tool, "attempts": call.attempts, "state": state})
}

/// A question, in the words of an export.
fn json_question(event: &Event) -> Value {
    let mut fields = event_fields(event);
    let aside = ["type", "timestamp", "metadata", "other"];
    fields.retain(|key, _| !aside.contains(&key.as_str()));
    Value::Object(fields)
}

/// A question whose event was not read: what the last commit says of it.
fn json_unread(question: &OpenQuestion) -> Value {
    let answer = match &question.expects {
        Expectation::Boolean => json!({"type": "boolean", "default": null}),
        Expectation::Select(values) => {
            let options = values.iter().map(|value| json!({"value": value, "description": null}));
            let options: Vec<_> = options.collect();
            json!({"type": "select", "options": options, "default": null})
        }
        Expectation::Text => json!({"type": "text", "default": null}),
        Expectation::Secret => json!({"type": "secret", "default": null}),
    };
    json!({
        "id": question.id,
        "kind": null,
        "tool": question.tool,
        "call": question.call,
        "answer": answer,
        "exclusive": null,
        "content": null,
    })
}
