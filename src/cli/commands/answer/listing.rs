//! The questions that are open, for people and for programs.

use std::io;

use serde_json::{Value, json};

use super::super::pending;
use crate::{
    cli::{args::FormatArg, error::CommandError, output::Output},
    model::InquiryKind,
    turn::{Unanswered, unanswered},
    ui::{argument_lines, escape, escape_lines},
    workspace::{Handle, Workspace},
};

/// Prints every question that can be answered.
pub fn list(
    output: &mut Output,
    workspace: &Workspace,
    handle: &Handle,
    format: &FormatArg,
) -> Result<(), CommandError> {
    let incomplete = workspace.load(handle)?.stream().incomplete;
    let open = incomplete.as_ref().map(|turn| unanswered(&turn.turn.entries)).unwrap_or_default();
    if format.is_json() {
        let mut told = incomplete.as_ref().map_or(Value::Null, pending::of_turn);
        let told = told.get_mut("questions").map_or(Value::Null, Value::take);
        output.json(&json!({"id": handle.id(), "questions": with_arguments(told, &open)}))?;
        return Ok(());
    }
    print(output, &open)?;
    if open.is_empty() {
        output.say(format_args!("{}: no question is open", handle.id()));
    }
    Ok(())
}

/// The questions as `show` tells them, each with the arguments of its call.
fn with_arguments(told: Value, open: &[Unanswered]) -> Vec<Value> {
    let Value::Array(told) = told else { return Vec::new() };
    let whole = told.into_iter().filter_map(|mut question| {
        let asked = open.iter().find(|asked| question["id"] == asked.inquiry.id.as_str())?;
        question["arguments"] = json!(asked.call.arguments.as_str());
        Some(question)
    });
    whole.collect()
}

/// Prints questions, with what each is about and what can be said.
pub fn print(output: &mut Output, open: &[Unanswered]) -> io::Result<()> {
    for asked in open {
        let Unanswered { inquiry, call } = asked;
        let (id, tool, text) = (&inquiry.id, &call.tool, inquiry.text.to_text_lossy());
        let about = match inquiry.kind {
            InquiryKind::RunTool => format!("{tool} wants to run with"),
            InquiryKind::DeliverResult => format!("{tool} has come to"),
            InquiryKind::ToolQuestion => format!("{tool} asks"),
        };
        output.line(escape(&format!("{id}: {about}")))?;
        let shown = match inquiry.kind {
            InquiryKind::RunTool => argument_lines(&call.arguments),
            InquiryKind::DeliverResult | InquiryKind::ToolQuestion => text.into_owned(),
        };
        for line in escape_lines(shown.trim_end()).lines() {
            output.line(format_args!("  {line}"))?;
        }
        output.line(escape(&format!("  Answer: {}", asked.wanted())))?;
    }
    Ok(())
}
