//! Making the complete turns of a stream fit for a model, without touching the one under way.
//!
//! This changes what a model will see, never what is stored; [`super::repair`] does that.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use crate::model::{
    Address, CallId, Entry, Event, EventKind, InquiryId, Stream, ToolCall, ToolResult, Turn,
};

/// What was done to a complete turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// A call had no result; an error stands in for it.
    ResultAdded(CallId, Address),
    /// A result had no call before it.
    ResultDropped(CallId, Address),
    /// An intent had no call before it.
    StartDropped(CallId, Address),
    /// A question had no answer.
    QuestionDropped(InquiryId, Address),
    /// An answer had no question before it.
    AnswerDropped(InquiryId, Address),
}

impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ResultAdded(id, at) => {
                write!(f, "call `{id}` ({at}) has no result: an error stands in for it")
            }
            Self::ResultDropped(id, at) => {
                write!(f, "result ({at}) of call `{id}` left out: there is no such call before it")
            }
            Self::StartDropped(id, at) => {
                write!(f, "start ({at}) of call `{id}` left out: there is no such call before it")
            }
            Self::QuestionDropped(id, at) => {
                write!(f, "question `{id}` ({at}) left out: it was never answered")
            }
            Self::AnswerDropped(id, at) => {
                write!(f, "answer ({at}) to `{id}` left out: there is no such question before it")
            }
        }
    }
}

/// Mends the complete turns and reports each change. The incomplete turn is returned as it was.
pub fn sanitize(mut stream: Stream) -> (Stream, Vec<Fix>) {
    let mut fixes = Vec::new();
    for turn in &mut stream.turns {
        mend(turn, &mut fixes);
    }
    (stream, fixes)
}

/// The result that stands in for one that never came.
pub fn missing_result(call: &ToolCall, at: &Event) -> Event {
    let mut event = Event::new(
        at.timestamp,
        EventKind::ToolResult(ToolResult {
            id: call.id.clone(),
            tool: Some(call.tool.clone()),
            is_error: true,
            content: "The tool call was interrupted; whether it had any effect is unknown.".into(),
        }),
    );
    event.metadata.insert("synthetic".to_owned(), true.into());
    event
}

fn mend(turn: &mut Turn, fixes: &mut Vec<Fix>) {
    let mut open_calls: Vec<Entry> = Vec::new();
    let mut open_questions: Vec<(InquiryId, Address)> = Vec::new();
    let mut mended = Vec::with_capacity(turn.entries.len());
    // A model may go on talking after a call, before the result comes.
    let mut coming: BTreeMap<CallId, usize> = BTreeMap::new();
    for entry in &turn.entries {
        if let EventKind::ToolResult(result) = &entry.event.kind {
            *coming.entry(result.id.clone()).or_default() += 1;
        }
    }
    for entry in std::mem::take(&mut turn.entries) {
        let at = entry.address;
        match &entry.event.kind {
            EventKind::ToolCall(_) => open_calls.push(entry.clone()),
            EventKind::ToolResult(result) => {
                if let Some(left) = coming.get_mut(&result.id) {
                    *left -= 1;
                }
                let before = open_calls.len();
                open_calls.retain(|call| call_of(call).is_none_or(|call| call.id != result.id));
                if open_calls.len() == before {
                    fixes.push(Fix::ResultDropped(result.id.clone(), at));
                    continue;
                }
            }
            EventKind::ToolStart(start) => {
                let known = |call: &Entry| call_of(call).is_some_and(|call| call.id == start.id);
                if !open_calls.iter().any(known) {
                    fixes.push(Fix::StartDropped(start.id.clone(), at));
                    continue;
                }
            }
            EventKind::InquiryRequest(inquiry) => open_questions.push((inquiry.id.clone(), at)),
            EventKind::InquiryResponse(response) => {
                match open_questions.iter().position(|(id, _)| *id == response.id) {
                    Some(index) => drop(open_questions.remove(index)),
                    None => {
                        fixes.push(Fix::AnswerDropped(response.id.clone(), at));
                        continue;
                    }
                }
            }
            EventKind::Message(_)
            | EventKind::Reasoning(_)
            | EventKind::Structured(_)
            | EventKind::Request(_) => {
                let lost = |call: &ToolCall| coming.get(&call.id).is_none_or(|left| *left == 0);
                close(&mut open_calls, lost, &mut mended, fixes);
            }
            EventKind::Attachment(_) | EventKind::ConfigDelta(_) | EventKind::Compaction(_) => {}
        }
        mended.push(entry);
    }
    close(&mut open_calls, |_| true, &mut mended, fixes);
    for (id, at) in open_questions {
        let is_question = |entry: &Entry| matches!(entry.event.kind, EventKind::InquiryRequest(_));
        mended.retain(|entry| !(entry.address == at && is_question(entry)));
        fixes.push(Fix::QuestionDropped(id, at));
    }
    turn.entries = mended;
}

/// Adds an error for each call that lost its result.
fn close(
    open_calls: &mut Vec<Entry>,
    lost: impl Fn(&ToolCall) -> bool,
    mended: &mut Vec<Entry>,
    fixes: &mut Vec<Fix>,
) {
    let mut closed = BTreeSet::new();
    for entry in open_calls.extract_if(.., |entry| call_of(entry).is_none_or(&lost)) {
        let Some(call) = call_of(&entry).filter(|call| closed.insert(call.id.clone())) else {
            continue;
        };
        fixes.push(Fix::ResultAdded(call.id.clone(), entry.address));
        let event = missing_result(call, &entry.event);
        mended.push(Entry { address: entry.address, event });
    }
}

fn call_of(entry: &Entry) -> Option<&ToolCall> {
    match &entry.event.kind {
        EventKind::ToolCall(call) => Some(call),
        _ => None,
    }
}
