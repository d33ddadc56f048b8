//! What a command tells that changes something beside the stream: a title, a label, the queue.

use serde_json::{Value, json};

use super::tell_notes;
use crate::{
    cli::{args::FormatArg, output::Output},
    model::ConversationId,
    store::ObjectId,
    workspace::Guard,
};

/// What people are told.
pub enum Told {
    /// It was changed so.
    Changed(String),
    /// It was so already.
    Already(String),
}

/// Tells what a conversation is marked with now, and how to take it back.
pub fn report(
    output: &mut Output,
    guard: &mut Guard,
    commit: Option<ObjectId>,
    told: Told,
    marks: Value,
    format: &FormatArg,
) -> std::io::Result<()> {
    let id = guard.id();
    tell_notes(output, guard);
    let inverse = commit.map(|_| format!("jp conversation undo {id}"));
    let way = Way { inverse: inverse.as_deref(), hint: None };
    report_of(output, id, commit, told, marks, way, format)
}

/// The way back from what was done.
pub struct Way<'a> {
    /// The command that takes it back.
    pub inverse: Option<&'a str>,
    /// What else people are told who want it back.
    pub hint: Option<String>,
}

/// The same for a conversation that somebody else writes.
pub fn report_of(
    output: &mut Output,
    id: ConversationId,
    commit: Option<ObjectId>,
    told: Told,
    mut marks: Value,
    way: Way<'_>,
    format: &FormatArg,
) -> std::io::Result<()> {
    if let Told::Changed(text) = &told {
        output.done(text);
    }
    if format.is_json() {
        marks["id"] = json!(id);
        marks["commit"] = json!(commit.map(|commit| commit.to_string()));
        marks["inverse"] = json!(way.inverse);
        return output.json(&marks);
    }
    match told {
        Told::Already(text) => output.say(text),
        Told::Changed(text) => {
            output.line(text)?;
            if let Some(inverse) = way.inverse {
                output.hint_at_inverse(inverse);
            }
            if let Some(hint) = way.hint {
                output.hint(hint);
            }
        }
    }
    Ok(())
}
