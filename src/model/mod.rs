//! What a conversation is: ids, events, turns, status.
//!
//! Plain values and pure functions. Nothing here does I/O, reads the clock, or knows how an event
//! is written to a file.

mod address;
mod answer;
mod body;
mod compaction;
mod count;
mod event;
mod grant;
mod id;
mod inquiry;
mod json;
mod media;
mod meta;
mod names;
mod native;
mod nearest;
mod progress;
mod status;
mod stream;
mod time;
mod title;
mod tool;
mod verdict;

pub use address::{Address, InvalidAddress};
pub use answer::{Block, Finish, Signature};
pub use body::Body;
pub use compaction::{Compaction, ReasoningRule, Rules, SummaryRule, ToolRule, turns_in_words};
pub use count::counted;
pub use event::{
    Attachment, Event, EventKind, EventType, Message, Metadata, Reasoning, Request, Structured,
    UnknownEventType, Writer,
};
pub use grant::Grant;
pub use id::{ConversationId, InvalidConversationId};
pub use inquiry::{
    Answer, AnswerType, Choice, InquiryKind, InquiryRequest, InquiryResponse, Outcome,
};
pub use json::{InvalidJson, Json};
pub use media::Media;
pub use meta::{Forked, Meta};
pub use names::{AnswerId, CallId, InquiryId, ModelName, ToolName};
pub use native::{
    Native, Usage, edited_at, is_delivered_edited, is_superseded, is_withheld,
    mark_delivered_edited, mark_edited, mark_given_by_user, mark_message_id, mark_superseded,
    mark_withheld, message_id, take_own_marks, unmark_edited,
};
pub use nearest::nearest;
pub use progress::{Expectation, OpenQuestion, PendingCall, Progress, Refusal};
pub use status::{Pending, Status};
pub use stream::{Entry, IncompleteTurn, Stream, Turn, open_blocks};
pub use time::{InvalidTimestamp, Timestamp};
pub use title::title_from;
pub use tool::{Arguments, ToolCall, ToolResult, ToolStart};
pub use verdict::{Ruling, Verdict};
