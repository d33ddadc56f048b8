//! What title and label tell.

use serde_json::{Value, json};

use super::tell_notes;
use crate::{
    cli::{args::FormatArg, output::Output},
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
    mut marks: Value,
    format: &FormatArg,
) -> std::io::Result<()> {
    let id = guard.id();
    tell_notes(output, guard);
    if let Told::Changed(text) = &told {
        output.done(text);
    }
    let inverse = format!("jp conversation undo {id}");
    if format.is_json() {
        marks["id"] = json!(id);
        marks["commit"] = json!(commit.map(|commit| commit.to_string()));
        marks["inverse"] = json!(commit.map(|_| inverse));
        return output.json(&marks);
    }
    match told {
        Told::Already(text) => output.say(text),
        Told::Changed(text) => {
            output.line(text)?;
            output.hint_at_inverse(&inverse);
        }
    }
    Ok(())
}
