//! What is said about a turn that is not complete.

use crate::{
    cli::{error::CommandError, output::Output},
    model::{ConversationId, IncompleteTurn},
    ui::Unfinished,
};

/// How far each of its calls has come, one line each, with what it waits for above.
pub fn under_way_lines(turn: &IncompleteTurn) -> Vec<String> {
    let Unfinished { why, lines } = Unfinished::of(turn);
    let above = format!("⏳ Incomplete turn ({why})");
    let lines = lines.iter().map(|line| format!("  {line}"));
    std::iter::once(above).chain(lines).collect()
}

/// It has to be said first what becomes of the turn, and nobody can be asked.
pub fn incomplete(id: Option<ConversationId>, turn: &IncompleteTurn) -> CommandError {
    let status = turn.progress.status();
    let Some(id) = id else {
        return CommandError::failure(format!("the last turn is not complete: {status}"));
    };
    let lines: Vec<_> = Unfinished::of(turn).lines.iter().map(ToString::to_string).collect();
    let lines = if lines.is_empty() { String::new() } else { format!("; {}", lines.join("; ")) };
    let message = format!("conversation {id} has an incomplete turn: {status}{lines}");
    let error = CommandError::failure(message)
        .hint(format!("`jp query --continue-turn --id={id}` resumes it, or `jp resume {id}`"))
        .hint(format!("`jp query --discard-turn --id={id}` discards it, to start afresh"));
    match turn.progress.open_questions().is_empty() {
        true => error,
        false => error.hint(format!("`jp conversation answer {id} VALUE` answers the question")),
    }
}

/// There is nothing to go on with.
pub fn nothing_to_resume(output: &mut Output, id: Option<ConversationId>) {
    let whose = id
        .map_or_else(|| "it is new".to_owned(), |id| format!("the last turn of {id} is complete"));
    output.say(format_args!("Nothing to resume: {whose}"));
}
