//! What an edit does, told before it is made and after.

use serde_json::{Value, json};

use crate::{
    cli::{args::FormatArg, commands::tell_notes, error::CommandError, output::Output},
    format::FileName,
    plan::{Fault, Tally},
    store::ObjectId,
    ui::escape,
    workspace::Guard,
};

/// How many events of a kind are told one by one.
const MOST: usize = 20;

/// How many faults are told one by one.
const MOST_FAULTS: usize = 100;

/// What an edit does.
#[derive(Debug)]
pub struct Told<'a> {
    /// To events.
    pub tally: &'a Tally,
    /// Beside.
    pub remarks: &'a [String],
    /// New files that no plan lists.
    pub stray: &'a [String],
}

impl Told<'_> {
    /// One line for each event.
    fn lines(&self) -> Vec<String> {
        let Tally { removed, moved, edited, added, stand_ins, renamed } = self.tally;
        let plain = |name: &FileName| name.to_string();
        let mut lines = Vec::new();
        let mut list = |what: &str, names: Vec<String>| {
            let more = names.len().saturating_sub(MOST);
            lines.extend(names.into_iter().take(MOST).map(|name| format!("{what:<8} {name}")));
            if more > 0 {
                lines.push(format!("{what:<8} {more} more"));
            }
        };
        list("removed", removed.iter().map(plain).collect());
        list("moved", moved.iter().map(plain).collect());
        list("edited", edited.iter().map(plain).collect());
        let new = added.iter().map(|(name, given)| match name.as_str() == given {
            true => name.to_string(),
            false => format!("{name} (from {given})"),
        });
        list("added", new.collect());
        let stand_ins = stand_ins.iter().map(|(name, call)| {
            format!("{name}: an error in place of the result that call `{call}` has not")
        });
        list("added", stand_ins.collect());
        let renamed = renamed.iter().map(|(name, was)| format!("{was} is now {name}"));
        list("renamed", renamed.collect());
        list("also", self.remarks.to_vec());
        lines
    }
}

/// What an edit does, for programs.
pub fn to_json(told: &Told<'_>) -> Value {
    let names = |names: &[FileName]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let Tally { removed, moved, edited, added, stand_ins, renamed } = told.tally;
    let added = added.iter().map(|(name, given)| json!({"file": name.as_str(), "from": given}));
    let stand_ins =
        stand_ins.iter().map(|(name, call)| json!({"file": name.as_str(), "call": call.as_str()}));
    let renamed =
        renamed.iter().map(|(name, was)| json!({"file": name.as_str(), "from": was.as_str()}));
    json!({
        "removed": names(removed),
        "moved": names(moved),
        "edited": names(edited),
        "added": added.collect::<Vec<_>>(),
        "stand_ins": stand_ins.collect::<Vec<_>>(),
        "renamed": renamed.collect::<Vec<_>>(),
        "remarks": told.remarks,
        "unlisted": told.stray,
    })
}

/// Prints what an edit would do.
pub fn tell_lines(output: &mut Output, told: &Told<'_>) -> std::io::Result<()> {
    for line in told.lines() {
        output.line(escape(&line))?;
    }
    tell_stray(output, told.stray);
    Ok(())
}

/// Tells what an edit would do, before it is made.
pub fn tell(output: &mut Output, told: &Told<'_>) {
    for line in told.lines() {
        output.say(escape(&line));
    }
    tell_stray(output, told.stray);
}

fn tell_stray(output: &mut Output, stray: &[String]) {
    if !stray.is_empty() {
        let names = stray.iter().take(MOST).map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let more = if stray.len() > MOST { ", …" } else { "" };
        let names = names.join(", ");
        output.warn(format_args!("not listed in the plan, and so no events: {names}{more}"));
    }
}

/// Tells what was done, or would be, and how to take it back.
pub fn report(
    output: &mut Output,
    guard: &mut Guard,
    commit: Option<ObjectId>,
    dry_run: bool,
    told: &Told<'_>,
    format: &FormatArg,
) -> Result<(), CommandError> {
    let id = guard.id();
    tell_notes(output, guard);
    let inverse = commit.map(|_| format!("jp conversation undo {id}"));
    if let Some(commit) = commit {
        output.done(format_args!("{id}: edited ({commit})"));
    }
    if format.is_json() {
        let mut value = to_json(told);
        value["id"] = json!(id);
        value["commit"] = json!(commit.map(|commit| commit.to_string()));
        value["dry_run"] = json!(dry_run);
        value["inverse"] = json!(inverse);
        output.json(&value)?;
        return Ok(());
    }
    let lines = told.lines();
    if lines.is_empty() && commit.is_none() {
        output.say(format_args!("{id}: nothing changes"));
        tell_stray(output, told.stray);
        return Ok(());
    }
    tell_lines(output, told)?;
    match inverse {
        Some(inverse) => output.hint_at_inverse(&inverse),
        None if dry_run => output.say(format_args!("{id}: nothing was changed")),
        None => {}
    }
    Ok(())
}

/// The error that tells all faults, by file, line and column.
pub fn faults(faults: &[Fault], prefix: &str) -> CommandError {
    let words = |fault: &Fault| match fault.is_of_plan() && fault.flaw.line.is_none() {
        true => fault.words(),
        false => format!("{prefix}{fault}"),
    };
    let mut messages: Vec<String> = faults.iter().take(MOST_FAULTS).map(words).collect();
    if faults.len() > MOST_FAULTS {
        messages.push(format!("{} more of this kind", faults.len() - MOST_FAULTS));
    }
    CommandError::failures(messages)
}
