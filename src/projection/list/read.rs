//! JSON to a list: strictly, and everything that is wrong told at once.

mod answer;
mod chat;

use std::collections::HashMap;

use serde_json::Value;

use super::{
    Beside, Listed, Problem, Unrolled,
    events::events_of,
    fields::Fields,
    parse::elements,
    problem::{Notes, at_index, at_key},
};
use crate::{
    model::{Attachment, CallId, Progress, Timestamp, ToolName},
    projection::Role,
};

/// A list that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The messages.
    pub list: Vec<Listed>,
    /// What is in the JSON and not in them.
    pub warnings: Vec<Problem>,
}

/// Reads a list from its JSON: what [`write`](super::write) makes, and the widespread form of chat
/// messages.
pub fn read(bytes: &[u8]) -> Result<Read, Vec<Problem>> {
    let Reading { list, notes, .. } = Reading::of(bytes);
    match notes.problems.count() {
        0 => Ok(Read { list, warnings: notes.warnings.into_vec() }),
        _ => Err(notes.problems.into_vec()),
    }
}

/// Reads a list and makes events of it that follow on what was said before; everything that is
/// wrong with either is told.
pub fn read_events(
    bytes: &[u8],
    before: &Progress,
    now: Timestamp,
) -> Result<Unrolled, Vec<Problem>> {
    let Reading { list, mut notes, .. } = Reading::of(bytes);
    // What could not be read is not blamed on what follows it.
    let made = events_of(&list, before, now, &mut notes);
    match notes.problems.count() {
        0 => Ok(Unrolled { warnings: notes.warnings.into_vec(), ..made }),
        _ => Err(notes.problems.into_vec()),
    }
}

/// A list as far as it was read.
#[derive(Default)]
struct Reading {
    /// The messages up to the first one with a problem.
    list: Vec<Listed>,
    notes: Notes,
    /// Where each id was seen first.
    ids: HashMap<String, usize>,
}

impl Reading {
    fn of(bytes: &[u8]) -> Self {
        let (mut reading, mut notes) = (Self::default(), Notes::default());
        let mut is_whole = true;
        elements(bytes, &mut notes, |index, value, notes| {
            let listed = message(value, at_index("", index), notes);
            is_whole &= notes.problems.count() == 0;
            if let Some(mut listed) = listed.filter(|_| is_whole) {
                reading.note_id(index, &mut listed, notes);
                reading.list.push(listed);
            }
        });
        if notes.problems.count() == 0 && reading.list.is_empty() {
            notes.problems.push("", "the list is empty");
        }
        Self { notes, ..reading }
    }

    fn note_id(&mut self, index: usize, listed: &mut Listed, notes: &mut Notes) {
        let Some(id) = &listed.id else { return };
        match self.ids.get(id) {
            None => drop(self.ids.insert(id.clone(), index)),
            Some(first) => {
                let place = at_key(&at_index("", index), "message_id");
                let message = format!("it is not kept: [{first}] has the same");
                notes.warnings.push(place, message);
                listed.id = None;
            }
        }
    }
}

/// What follows from where a message stands.
const DERIVED: [&str; 3] = ["turn", "addresses", "incomplete"];

const ROLES: &str = "`system`, `user`, `assistant` or `tool`";

fn message(value: Value, place: String, notes: &mut Notes) -> Option<Listed> {
    let mut fields = Fields::of(value, place, notes)?;
    fields.ignore(&DERIVED);
    let role = fields.required_text("role")?;
    let (id, created_at) = (fields.text("message_id"), fields.time("created_at"));
    let listed = match role.as_str() {
        "system" => system(&mut fields),
        "user" => user(&mut fields),
        "assistant" => answer::read(&mut fields),
        "tool" => tool(&mut fields),
        other => {
            fields.problem("role", format!("`{other}` is no role: expected {ROLES}"));
            return None;
        }
    };
    fields.end();
    Some(Listed { id, created_at, ..listed? })
}

fn system(fields: &mut Fields<'_>) -> Option<Listed> {
    let content = fields.required_text("content")?;
    Some(Listed::new(Role::System { content }))
}

fn user(fields: &mut Fields<'_>) -> Option<Listed> {
    let (content, interrupts) = (fields.body("content"), fields.flag("interrupts"));
    let (mut attachments, mut beside) = (Vec::new(), Vec::new());
    let place = at_key(&fields.place, "attachments");
    for (index, value) in fields.list("attachments").into_iter().enumerate() {
        if let Some((one, more)) = attachment(value, at_index(&place, index), fields.notes) {
            attachments.push(one);
            beside.push(more);
        }
    }
    beside.push(Beside { metadata: fields.metadata(), ..Beside::default() });
    let listed = Listed::new(Role::User { content: content?, attachments });
    Some(Listed { interrupts, beside, ..listed })
}

fn attachment(value: Value, place: String, notes: &mut Notes) -> Option<(Attachment, Beside)> {
    let mut fields = Fields::of(value, place, notes)?;
    let (source, media_type) = (fields.required_text("source"), fields.text("media_type"));
    let content = fields.body("content");
    let beside = beside(&mut fields);
    fields.end();
    Some((Attachment { source: source?, media_type, content: content? }, beside))
}

fn tool(fields: &mut Fields<'_>) -> Option<Listed> {
    let call = chat::required_either(fields, "tool_call_id", "id");
    let tool = chat::either(fields, "tool", "name");
    let (is_error, content) = (fields.flag("is_error"), fields.body("content"));
    let beside = vec![Beside { metadata: fields.metadata(), ..Beside::default() }];
    let (id, tool) = (CallId::new(call?), tool.map(ToolName::new));
    Some(Listed { beside, ..Listed::new(Role::Tool { id, tool, is_error, content: content? }) })
}

/// What stands beside an attachment or a part.
fn beside(fields: &mut Fields<'_>) -> Beside {
    let (created_at, metadata) = (fields.time("created_at"), fields.metadata());
    Beside { created_at, metadata, attempts: 0 }
}
