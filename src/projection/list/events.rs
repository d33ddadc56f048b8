//! A list turned back into events.

use super::{
    Beside, Listed, Problem,
    problem::{Notes, at_index},
};
use crate::{
    model::{
        Block, Event, EventKind, Message, Meta, Metadata, Progress, Reasoning, Refusal, Request,
        Signature, Structured, Timestamp, ToolCall, ToolResult, ToolStart, mark_message_id,
    },
    projection::{Part, PartKind, Role, system::with_system_prompt},
};

/// A list as events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unrolled {
    /// What a model is told before anything else.
    pub system: Option<SystemMessage>,
    /// The events, in order.
    pub events: Vec<Made>,
    /// What is in the list and not in them.
    pub warnings: Vec<Problem>,
}

/// An event and the message that it was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The number of the message in its list, from 0.
    pub message: usize,
    /// The event.
    pub event: Event,
}

/// The message with the system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemMessage {
    /// The number of the message in its list, from 0.
    pub message: usize,
    /// The prompt.
    pub content: String,
    /// How programs know the message.
    pub id: Option<String>,
    /// When it was made.
    pub created_at: Option<Timestamp>,
}

impl SystemMessage {
    /// The configuration of a conversation that begins with it; what else is known of the message
    /// is written down beside it.
    pub fn begin(&self, meta: &mut Meta) -> toml::Table {
        meta.note_system_message(self.id.as_deref(), self.created_at);
        with_system_prompt(&self.content)
    }

    /// The change of configuration by which it comes into a conversation that has begun.
    pub fn into_change(self, now: Timestamp) -> Made {
        let change = EventKind::ConfigDelta(with_system_prompt(&self.content));
        let mut event = Event::new(self.created_at.unwrap_or(now), change);
        if let Some(id) = &self.id {
            mark_message_id(&mut event.metadata, id);
        }
        Made { message: self.message, event }
    }
}

/// Makes events of a list that follow on what was said before. What does not say when it was made
/// was made now. Refused if the events could not stand there, with every reason.
pub fn events(
    list: &[Listed],
    before: &Progress,
    now: Timestamp,
) -> Result<Unrolled, Vec<Problem>> {
    let mut notes = Notes::default();
    let made = events_of(list, before, now, &mut notes);
    match notes.problems.count() {
        0 => Ok(Unrolled { warnings: notes.warnings.into_vec(), ..made }),
        _ => Err(notes.problems.into_vec()),
    }
}

/// The same, with what is found put down elsewhere.
pub(super) fn events_of(
    list: &[Listed],
    before: &Progress,
    now: Timestamp,
    notes: &mut Notes,
) -> Unrolled {
    let mut unrolling =
        Unrolling { progress: before.clone(), now, notes, made: Unrolled::default() };
    for (index, listed) in list.iter().enumerate() {
        unrolling.add(index, listed);
    }
    unrolling.made
}

struct Unrolling<'n> {
    progress: Progress,
    now: Timestamp,
    notes: &'n mut Notes,
    made: Unrolled,
}

impl Unrolling<'_> {
    fn add(&mut self, index: usize, listed: &Listed) {
        let place = at_index("", index);
        let Role::System { content } = &listed.message.role else {
            let events = events_in(listed, self.now);
            if events.is_empty() {
                self.notes.problems.push(place, "an answer needs at least one part");
            }
            for event in events {
                self.push(index, event);
            }
            return;
        };
        let warnings = &mut self.notes.warnings;
        if content.trim().is_empty() {
            warnings.push(place, "it is not kept: a system message without a text");
        } else if let Some(first) = &self.made.system {
            let message = format!("it is not kept: [{}] is the system message", first.message);
            warnings.push(place, message);
        } else {
            if index > 0 {
                warnings.push(place, "it is kept as what stands before everything else");
            }
            self.made.system = Some(SystemMessage {
                message: index,
                content: content.clone(),
                id: listed.id.clone(),
                created_at: listed.created_at,
            });
        }
    }

    fn push(&mut self, message: usize, mut event: Event) {
        let place = || at_index("", message);
        match self.progress.admit(&event) {
            Ok(()) => {}
            Err(Refusal::RequestAfterRequest) => {
                if let EventKind::Request(request) = &mut event.kind {
                    request.interrupts = true;
                }
                let words =
                    "it follows straight after a request: it is kept as one that interrupts";
                self.notes.warnings.push(place(), words);
            }
            Err(refusal) => self.notes.problems.push(place(), refusal.to_string()),
        }
        self.progress.push(&event);
        self.made.events.push(Made { message, event });
    }
}

/// The events that a message is made of.
fn events_in(listed: &Listed, now: Timestamp) -> Vec<Event> {
    let said = listed.created_at.unwrap_or(now);
    let event = |index: usize, kind| {
        let Beside { created_at, metadata, .. } =
            listed.beside.get(index).cloned().unwrap_or_default();
        Event { metadata, ..Event::new(created_at.unwrap_or(said), kind) }
    };
    let mut events = match &listed.message.role {
        Role::System { .. } => Vec::new(),
        Role::User { content, attachments } => {
            let beside = attachments.iter().cloned().map(EventKind::Attachment);
            let request = Request { content: content.clone(), interrupts: listed.interrupts };
            let kinds = beside.chain([EventKind::Request(request)]).enumerate();
            kinds.map(|(index, kind)| event(index, kind)).collect()
        }
        Role::Assistant { model, answer, parts, finish } => {
            let last = parts.len().saturating_sub(1);
            let block = |index: usize| Block {
                model: model.clone(),
                answer: answer.clone(),
                finish: finish.clone().filter(|_| index == last),
                signature: None,
            };
            let blocks = parts.iter().enumerate();
            blocks.map(|(at, part)| signed(event(at, kind(part, block(at))), part)).collect()
        }
        Role::Tool { id, tool, is_error, content } => {
            let (id, tool, content) = (id.clone(), tool.clone(), content.clone());
            let result = ToolResult { id, tool, is_error: *is_error, content };
            vec![event(0, EventKind::ToolResult(result))]
        }
    };
    if let (Some(usage), Some(last)) = (&listed.usage, events.last_mut()) {
        usage.store(&mut last.metadata);
    }
    let own = events.iter_mut().find(|event| !matches!(event.kind, EventKind::Attachment(_)));
    if let (Some(id), Some(own)) = (&listed.id, own) {
        mark_message_id(&mut own.metadata, id);
    }
    let tried = events.iter().zip(&listed.beside);
    let starts: Vec<_> = tried.filter_map(|(event, beside)| start(event, beside)).collect();
    events.extend(starts);
    events
}

/// The start of a call that has been tried.
fn start(event: &Event, beside: &Beside) -> Option<Event> {
    let EventKind::ToolCall(call) = &event.kind else { return None };
    let (id, rest) = (call.id.clone(), toml::Table::new());
    let start = ToolStart { id, attempt: beside.attempts, rest };
    (beside.attempts > 0).then(|| Event::new(event.timestamp, EventKind::ToolStart(start)))
}

/// What a part of an answer holds.
fn kind(part: &Part, block: Block) -> EventKind {
    match part.kind.clone() {
        PartKind::Text(content) => EventKind::Message(Message { content, block }),
        PartKind::Reasoning(content) => EventKind::Reasoning(Reasoning { content, block }),
        PartKind::Data(data) => EventKind::Structured(Structured { data, block }),
        PartKind::Call { id, tool, arguments } => {
            EventKind::ToolCall(ToolCall { tool, id, arguments, block })
        }
    }
}

/// A block with what its provider wants back together with the content.
fn signed(mut event: Event, part: &Part) -> Event {
    let content = event.kind.signed_content().unwrap_or_default();
    let signature = part.signature.as_ref().map(|value| Signature::over(content, value));
    let mut metadata = Metadata::new();
    if let Some(native) = &part.native {
        native.store(&mut metadata, content);
    }
    metadata.append(&mut event.metadata);
    event.metadata = metadata;
    if let Some(block) = event.block_mut() {
        block.signature = signature;
    }
    event
}
