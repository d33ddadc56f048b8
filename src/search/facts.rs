//! What has to be known of an event that has a match.

use crate::{
    format::{Decoded, Form, decode},
    model::{CallId, EventKind, EventType, Timestamp},
};

/// What is known of an event; nothing of a file that cannot be read as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// Its type.
    pub event_type: Option<EventType>,
    /// When it happened, if it says so.
    pub timestamp: Option<Timestamp>,
    /// The tool that it names.
    pub tool: Option<String>,
    /// The call that it belongs to.
    pub call: Option<CallId>,
}

impl Facts {
    /// Reads an event file.
    pub fn of(bytes: &[u8], form: Form, hint: Option<EventType>) -> Self {
        let never = Timestamp::from_seconds(0);
        let Ok(Decoded { event, has_timestamp, .. }) = decode(bytes, form, hint, never) else {
            return Self::default();
        };
        let (tool, call) = match &event.kind {
            EventKind::ToolCall(call) => (Some(&call.tool), Some(&call.id)),
            EventKind::ToolStart(start) => (None, Some(&start.id)),
            EventKind::ToolResult(result) => (result.tool.as_ref(), Some(&result.id)),
            EventKind::InquiryRequest(inquiry) => (inquiry.tool.as_ref(), inquiry.call.as_ref()),
            EventKind::Request(_)
            | EventKind::Message(_)
            | EventKind::Reasoning(_)
            | EventKind::Structured(_)
            | EventKind::InquiryResponse(_)
            | EventKind::Attachment(_)
            | EventKind::ConfigDelta(_)
            | EventKind::Compaction(_) => (None, None),
        };
        Self {
            event_type: Some(event.event_type()),
            timestamp: has_timestamp.then_some(event.timestamp),
            tool: tool.map(|tool| tool.as_str().to_owned()),
            call: call.cloned(),
        }
    }
}
