//! What is said about a turn that is not complete.

use crate::{
    cli::{error::CommandError, output::Output},
    model::{ConversationId, EventKind, IncompleteTurn},
};

fn under_way(turn: &IncompleteTurn) -> Vec<String> {
    let open = turn.progress.open_questions();
    let questions = turn.turn.entries.iter().filter_map(|entry| match &entry.event.kind {
        EventKind::InquiryRequest(inquiry) if open.iter().any(|one| one.id == inquiry.id) => {
            Some(inquiry.text.to_text_lossy().into_owned())
        }
        _ => None,
    });
    let calls = turn.progress.pending_calls().iter();
    calls.map(|call| format!("{} — pending", call.tool)).chain(questions).collect()
}

/// How far each of its calls has come, one line each, with what it waits for above.
pub fn under_way_lines(turn: &IncompleteTurn) -> Vec<String> {
    let mut lines = vec![format!("It stopped: {}.", turn.progress.status())];
    lines.extend(under_way(turn));
    lines
}

/// It has to be said first what becomes of the turn, and nobody can be asked.
pub fn incomplete(id: Option<ConversationId>, turn: &IncompleteTurn) -> CommandError {
    let status = turn.progress.status();
    let Some(id) = id else {
        return CommandError::failure(format!("the last turn is not complete: {status}"));
    };
    let message = format!("conversation {id} has an incomplete turn: {status}");
    let messages = std::iter::once(message).chain(under_way(turn));
    CommandError::failures(messages.collect())
        .hint(format!("`jp query --continue-turn --id={id}` resumes it, or `jp resume {id}`"))
        .hint(format!("`jp query --discard-turn --id={id}` discards it, to start afresh"))
}

/// There is nothing to go on with.
pub fn nothing_to_resume(output: &mut Output, id: Option<ConversationId>) {
    let whose = id
        .map_or_else(|| "it is new".to_owned(), |id| format!("the last turn of {id} is complete"));
    output.say(format_args!("Nothing to resume: {whose}"));
}
