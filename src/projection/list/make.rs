//! Making a list of a stream.

use std::collections::{HashMap, HashSet, VecDeque};

use toml::Table;

use super::{Beside, Listed};
use crate::{
    model::{
        Address, ConversationId, Entry, Event, EventType, Meta, Stream, Timestamp, Usage,
        is_superseded, message_id, take_own_marks,
    },
    projection::{Message, Part, PartKind, Role, messages, system::in_force},
};

/// The conversation that a stream belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Its id, from which messages get theirs.
    pub id: ConversationId,
    /// What is known about it beside its events.
    pub meta: &'a Meta,
    /// The configuration that it began with.
    pub config: Option<&'a Table>,
}

/// The messages of a stream as [`messages`] makes them, each with what programs know it by.
pub fn list(stream: &Stream, origin: &Origin<'_>) -> Vec<Listed> {
    let mut maker = Maker { stream, origin, events: by_place(stream), ids: HashSet::new() };
    let mut before = None;
    let listed = messages(stream, origin.config).into_iter().map(|message| {
        let continues = message.turn.is_some() && message.turn == before;
        before = message.turn;
        let interrupts = continues && matches!(message.role, Role::User { .. });
        Listed { interrupts, ..maker.listed(message) }
    });
    let mut list: Vec<_> = listed.collect();
    mark_starts(&mut list, stream);
    list
}

/// Puts down which calls were started that have no result, so that nobody runs them again unasked.
fn mark_starts(list: &mut [Listed], stream: &Stream) {
    let calls = stream.incomplete.iter().flat_map(|incomplete| incomplete.progress.pending_calls());
    for call in calls.filter(|call| call.attempts > 0) {
        let found = list.iter_mut().rev().find_map(|listed| {
            let Role::Assistant { parts, .. } = &listed.message.role else { return None };
            let of_call =
                |part: &Part| matches!(&part.kind, PartKind::Call { id, .. } if *id == call.id);
            listed.beside.get_mut(parts.iter().rposition(of_call)?)
        });
        if let Some(beside) = found {
            beside.attempts = call.attempts;
        }
    }
}

/// Events by their address and type, in the order of the stream: what stands in for a lost result
/// has the address of its call.
type Events<'a> = HashMap<(Address, EventType), VecDeque<&'a Event>>;

fn by_place(stream: &Stream) -> Events<'_> {
    let mut events = Events::new();
    let seen = stream.entries().filter(|entry| !is_superseded(&entry.event.metadata));
    for entry in seen {
        let place = (entry.address, entry.event.event_type());
        events.entry(place).or_default().push_back(&entry.event);
    }
    events
}

struct Maker<'a> {
    stream: &'a Stream,
    origin: &'a Origin<'a>,
    events: Events<'a>,
    /// The ids so far: no two messages have the same.
    ids: HashSet<String>,
}

impl<'a> Maker<'a> {
    fn listed(&mut self, message: Message) -> Listed {
        let types = event_types(&message.role);
        let places = message.addresses.iter().copied().zip(types);
        let events: Vec<_> = places.map(|(at, of)| self.event_at(at, of)).collect();
        // The one that the message is known by: not what was put beside a request.
        let own = match &message.role {
            Role::User { attachments, .. } => attachments.len(),
            Role::System { .. } | Role::Assistant { .. } | Role::Tool { .. } => 0,
        };
        let (given, derived, created_at) = match (&message.role, message.addresses.get(own)) {
            (Role::System { .. }, _) | (_, None) => self.system(),
            (_, Some(address)) => {
                let given = events.iter().flatten().find_map(|event| message_id(&event.metadata));
                let time = events.get(own).copied().flatten().map(|event| event.timestamp);
                (given, address.to_string(), time)
            }
        };
        let id = Some(self.unique(given, &derived));
        let mut beside: Vec<_> = events.iter().map(|event| beside(*event, created_at)).collect();
        let usage = match (&message.role, beside.last_mut()) {
            (Role::Assistant { .. }, Some(last)) => Usage::take(&mut last.metadata),
            _ => None,
        };
        Listed { message, id, created_at, interrupts: false, usage, beside }
    }

    /// What the message with the system prompt is known by, and when it was made.
    fn system(&self) -> (Option<&'a str>, String, Option<Timestamp>) {
        let Origin { meta, config, .. } = *self.origin;
        match in_force(config, self.stream).and_then(|(_, entry)| entry) {
            Some(Entry { address, event }) => {
                (message_id(&event.metadata), address.to_string(), Some(event.timestamp))
            }
            None => {
                let time = meta.system_message_time().or(meta.created);
                (meta.system_message_id(), "system".to_owned(), time)
            }
        }
    }

    fn event_at(&mut self, address: Address, event_type: EventType) -> Option<&'a Event> {
        self.events.get_mut(&(address, event_type))?.pop_front()
    }

    /// The id that a message was given, else one that is made of where it stands; never one that
    /// another message has.
    fn unique(&mut self, given: Option<&str>, derived: &str) -> String {
        let derived = format!("{}/{derived}", self.origin.id);
        let more = (2_u64..).map(|number| format!("{derived}/{number}"));
        let all = given.map(str::to_owned).into_iter().chain([derived.clone()]).chain(more);
        let id = { all }.find(|id| !self.ids.contains(id)).unwrap_or(derived);
        self.ids.insert(id.clone());
        id
    }
}

/// The types of the events that a message is made of, in the order of its addresses.
fn event_types(role: &Role) -> Vec<EventType> {
    match role {
        Role::System { .. } => Vec::new(),
        Role::User { attachments, .. } => {
            let beside = attachments.iter().map(|_| EventType::Attachment);
            beside.chain([EventType::Request]).collect()
        }
        Role::Assistant { parts, .. } => { parts.iter() }
            .map(|part| match part.kind {
                PartKind::Text(_) => EventType::Message,
                PartKind::Reasoning(_) => EventType::Reasoning,
                PartKind::Data(_) => EventType::Structured,
                PartKind::Call { .. } => EventType::ToolCall,
            })
            .collect(),
        Role::Tool { .. } => vec![EventType::ToolResult],
    }
}

/// What stands beside an event, without what the message tells itself.
fn beside(event: Option<&Event>, created_at: Option<Timestamp>) -> Beside {
    let Some(event) = event else { return Beside::default() };
    let mut metadata = event.metadata.clone();
    take_own_marks(&mut metadata);
    let created_at = Some(event.timestamp).filter(|time| Some(*time) != created_at);
    Beside { created_at, metadata, attempts: 0 }
}
