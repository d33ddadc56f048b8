//! Whether an edit of an event leaves everything around it as it is.

use crate::model::{Event, EventKind, is_superseded};

/// Whether an event can stand in the place of another without any look at the rest of the stream:
/// it means the same for turns, calls and answers, and says something else only.
pub fn is_congruent(was: &Event, now: &Event) -> bool {
    let blocks = match (was.block(), now.block()) {
        (Some(was), Some(now)) => was.answer == now.answer && was.finish == now.finish,
        (was, now) => was.is_none() && now.is_none(),
    };
    let kinds = match (&was.kind, &now.kind) {
        (EventKind::Request(was), EventKind::Request(now)) => was.interrupts == now.interrupts,
        (EventKind::ToolCall(was), EventKind::ToolCall(now)) => {
            was.id == now.id && was.tool == now.tool
        }
        (EventKind::ToolResult(was), EventKind::ToolResult(now)) => was.id == now.id,
        (EventKind::Message(_), EventKind::Message(_))
        | (EventKind::Reasoning(_), EventKind::Reasoning(_))
        | (EventKind::Structured(_), EventKind::Structured(_))
        | (EventKind::Attachment(_), EventKind::Attachment(_))
        | (EventKind::ConfigDelta(_), EventKind::ConfigDelta(_)) => true,
        _ => false,
    };
    kinds && blocks && is_superseded(&was.metadata) == is_superseded(&now.metadata)
}
