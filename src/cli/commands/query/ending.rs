//! What is said when a query is over: what it has cost, what to do next, what went wrong.

use std::time::Duration;

use serde_json::json;

use super::{
    closing::unread,
    follow_up::say_waiting,
    front::{Front, Reading},
};
use crate::{
    cli::{
        args::Query,
        commands::{DONE, INTERRUPTED, Outcome},
        error::CommandError,
        output::Output,
    },
    model::ConversationId,
    serve::Closing,
    ui::Signals,
};

/// How long a reader may take when the query was told to end.
const GRACE: Duration = Duration::from_millis(250);

/// How much is said.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Nothing but the answer, warnings and errors.
    pub quiet: bool,
    /// Lines of JSON.
    pub json: bool,
}

impl Words {
    /// What the user wants.
    pub fn of(args: &Query) -> Self {
        Self { quiet: args.manner.quiet, json: args.manner.format.is_json() }
    }
}

/// What is left of a turn on the side of whoever was shown it.
pub struct Left<'a> {
    /// What was shown, which may not be read yet.
    pub front: Front<'a>,
    /// The exit code that tells of the signal which stopped it.
    pub code: Option<u8>,
    /// From now on the first signal ends the process.
    pub signals: Option<Signals>,
}

/// Waits until the answer is read, tells how the query ended, and returns its exit code.
pub fn tell(output: &mut Output, words: Words, closing: &Closing, left: Left<'_>) -> Outcome {
    let Left { mut front, code, signals } = left;
    let id = closing.conversation.as_ref().and_then(|id| id.parse::<ConversationId>().ok());
    let unsent = front.take_unsent();
    let reading = front.wait(code.map(|_signal| GRACE));
    drop(signals);
    if let Reading::Late { is_heard: false } = reading {
        // Whoever says something here would wait for the same reader.
        return Err(CommandError::silent(code.unwrap_or(INTERRUPTED)));
    }
    if let Some(text) = &unsent {
        output.warn(format_args!("the answer was over before your reply was sent: {text}"));
    }
    output.warn_all(&closing.notes);
    let failure = closing.failure.as_ref();
    let failure = failure.map(|failure| CommandError::of_failure(failure, closing.code));
    if closing.ending.is_empty() {
        return failure.map_or(Ok(closing.code), Err);
    }
    let is_stopped = closing.ending == "stopped";
    match reading {
        // Whoever has closed the other end has read enough.
        Reading::Closed if is_stopped => return Ok(DONE),
        Reading::Failed(error) => return Err(unread(CommandError::from(error), id)),
        Reading::Late { .. } => {
            if let Some(id) = id.filter(|_| !words.quiet) {
                output.say(format_args!("`jp conversation print {id}` shows what nobody has read"));
            }
            return Err(CommandError::silent(code.unwrap_or(INTERRUPTED)));
        }
        Reading::Closed | Reading::Done => {}
    }
    if words.json {
        output.line(last_line(closing))?;
    } else if !words.quiet {
        say_ending(output, closing, id);
        if let Some(tokens) = &closing.tokens {
            output.say(tokens);
        }
        if let Some(id) = id.filter(|_| !closing.is_followed) {
            say_next(output, closing, id);
        }
        if let Some(id) = id.filter(|_| closing.queued > 0 && !closing.is_followed) {
            say_waiting(output, id, closing.queued);
        }
    }
    if let Some(warning) = &closing.warning {
        output.warn(warning);
        closing.warning_hints.iter().filter(|_| !words.quiet).for_each(|hint| output.hint(hint));
    }
    output.warn_all(&closing.remark);
    match failure {
        Some(error) => Err(error),
        None => Ok(code.filter(|_| is_stopped).unwrap_or(closing.code)),
    }
}

/// What programs read at the end.
fn last_line(closing: &Closing) -> String {
    let line = json!({
        "type": "end",
        "conversation": closing.conversation,
        "model": closing.model,
        "ending": closing.ending,
        "error": closing.error,
        "queued": closing.queued,
    });
    crate::ui::escape_json(&line.to_string()).into_owned()
}

/// Says that it ended before its time.
fn say_ending(output: &mut Output, closing: &Closing, id: Option<ConversationId>) {
    match closing.ending.as_str() {
        _ if id.is_none() => {}
        "stopped" | "aborted" if !closing.is_answered => {
            output.say("stopped: your question is kept, and has no answer");
        }
        "stopped" => output.say("stopped: what came is kept"),
        "aborted" => output.say("aborted: only what was complete is kept"),
        _ => {}
    }
}

/// Says how to go on.
fn say_next(output: &mut Output, closing: &Closing, id: ConversationId) {
    match closing.ending.as_str() {
        // The hints of the error say it.
        "failed" | "unsure" | "waiting" | "too-many-rounds" => {}
        _ if closing.is_answered => {
            output.say(format_args!("{id} · continue with `jp query --id={id} \"…\"`"));
        }
        _ => output.say(format_args!(
            "{id} · `jp resume {id}` asks it again, `jp query --discard-turn --id={id}` \
             discards it"
        )),
    }
    if let Some(welcome) = &closing.welcome {
        output.hint(welcome);
    }
}
