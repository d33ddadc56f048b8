//! What is said when a query is over: what it has cost, what to do next, what went wrong.

use std::time::Duration;

use serde_json::json;

use super::{driving::Driven, front::Reading, reading::Asked, room::Room, scene::Scene};
use crate::{
    cli::{
        args::Query,
        commands::{DONE, INTERRUPTED, Outcome},
        error::CommandError,
        output::Output,
    },
    model::{ConversationId, Finish, ToolName, Usage},
    provider::{ProviderError, Trouble},
    turn::{DriveError, Ending, Unknown},
    workspace::WriteFailure,
};

/// How long a reader may take when the query was told to end.
const GRACE: Duration = Duration::from_millis(250);

/// Waits until the answer is read, tells how the query ended, and returns its exit code.
pub fn tell(
    output: &mut Output,
    args: &Query,
    scene: &Scene,
    mut asked: Asked,
    driven: Driven<'_>,
) -> Outcome {
    let (id, usage, code) = (driven.id, driven.front.usage(), driven.stopped_by.code());
    if driven.ending.is_ok() && id.is_some() {
        asked.sent();
    }
    let reading = driven.front.wait(code.map(|_signal| GRACE));
    drop(driven.signals);
    if let Reading::Late { is_heard: false } = reading {
        // Whoever says something here would wait for the same reader.
        return Err(CommandError::silent(code.unwrap_or(INTERRUPTED)));
    }
    if let Some(text) = &driven.unsent {
        output.warn(format_args!("the answer was over before your reply was sent: {text}"));
    }
    output.warn_all(&driven.notes);
    let ending = match driven.ending {
        Ok(ending) => ending,
        Err(error) => return Err(asked.kept(undriven(error, id))),
    };
    let is_stopped = ending == Ending::Stopped;
    match reading {
        // Whoever has closed the other end has read enough.
        Reading::Closed if is_stopped => {
            asked.sent();
            return Ok(DONE);
        }
        Reading::Failed(error) => return Err(unread(CommandError::from(error), id)),
        Reading::Late { .. } => {
            if let Some(id) = id.filter(|_| !args.manner.quiet) {
                output.say(format_args!("`jp conversation print {id}` shows what nobody has read"));
            }
            return Err(CommandError::silent(code.unwrap_or(INTERRUPTED)));
        }
        Reading::Closed | Reading::Done => {}
    }
    if args.manner.format.is_json() {
        output.line(last_line(scene, id, &ending))?;
    } else if !args.manner.quiet {
        let usage = usage.filter(|_| scene.resolved.settings.ui.usage);
        say_ending(output, &ending, id, driven.is_answered);
        if let Some(tokens) = usage.as_ref().and_then(tokens) {
            output.say(tokens);
        }
        if let Some(id) = id {
            say_next(output, scene, &ending, id, driven.is_answered);
        }
    }
    if let Some(warning) = &driven.room.warning {
        output.warn(warning);
        driven.room.hints.iter().filter(|_| !args.manner.quiet).for_each(|hint| output.hint(hint));
    }
    match (outcome(output, ending, id, &driven.room), code) {
        (Err(error), _) => Err(asked.kept(error)),
        (Ok(done), code) => {
            asked.sent();
            Ok(code.filter(|_| is_stopped).unwrap_or(done))
        }
    }
}

/// What programs read at the end.
fn last_line(scene: &Scene, id: Option<ConversationId>, ending: &Ending) -> String {
    let line = json!({
        "type": "end",
        "conversation": id.map(|id| id.to_string()),
        "model": scene.model.setup.model.as_str(),
        "ending": word(ending),
        "error": message(ending),
    });
    crate::ui::escape_json(&line.to_string()).into_owned()
}

/// Says that it ended before its time.
fn say_ending(output: &mut Output, ending: &Ending, id: Option<ConversationId>, is_answered: bool) {
    match ending {
        _ if id.is_none() => {}
        Ending::Stopped | Ending::Aborted if !is_answered => {
            output.say("stopped: your question is kept, and has no answer");
        }
        Ending::Stopped => output.say("stopped: what came is kept"),
        Ending::Aborted => output.say("aborted: only what was complete is kept"),
        _ => {}
    }
}

/// Says how to go on.
fn say_next(
    output: &mut Output,
    scene: &Scene,
    ending: &Ending,
    id: ConversationId,
    is_answered: bool,
) {
    match ending {
        // The hints of the error say it.
        Ending::Failed(_) | Ending::Unsure(_) | Ending::Waiting(_) | Ending::TooManyRounds(_) => {}
        _ if is_answered => {
            output.say(format_args!("{id} · continue with `jp query --id={id} \"…\"`"));
        }
        _ => output.say(format_args!(
            "{id} · `jp resume {id}` asks it again, `jp query --discard-turn --id={id}` \
             discards it"
        )),
    }
    if scene.model.is_guide && scene.conversation.is_none() {
        let how = "`jp config set assistant.model PROVIDER/MODEL` chooses one for good";
        output.hint(format_args!(
            "that was the built-in guide; `jp models` lists language models, {how}"
        ));
    }
}

/// What the exit code tells, with what to do about it.
fn outcome(
    output: &mut Output,
    ending: Ending,
    id: Option<ConversationId>,
    room: &Room,
) -> Outcome {
    match ending {
        Ending::Complete(Finish::Length) => {
            output.warn("the answer was cut off at the limit of tokens");
            Ok(DONE)
        }
        Ending::Complete(Finish::ContentFilter) => {
            output.warn("the provider held a part of the answer back");
            Ok(DONE)
        }
        Ending::Complete(_) | Ending::Stopped => Ok(DONE),
        Ending::Aborted => Err(CommandError::silent(INTERRUPTED)),
        Ending::Failed(error) => Err(failed(&error, id, room)),
        Ending::NotTheData(problem) => {
            let message = format!("the answer is not the data that was asked for: {problem}");
            Err(CommandError::failure(message))
        }
        Ending::TooManyRounds(rounds) => {
            let failure = CommandError::failure(called_too_often(rounds));
            let failure = match id {
                Some(id) => failure.hint(format!("`jp resume {id}` goes on")),
                None => failure,
            };
            Err(failure.hint("`assistant.max_rounds` says how many rounds a query may take"))
        }
        Ending::Waiting(tool) => {
            let failure = CommandError::failure(waiting(&tool));
            Err(match id {
                Some(id) => failure.hint(format!("`jp resume {id}` in a terminal asks you")),
                None => failure,
            })
        }
        Ending::Unsure(unknown) => Err(unsure(&unknown, id)),
    }
}

/// Calls may have been made already, and nobody could be asked about them.
fn unsure(unknown: &[Unknown], id: Option<ConversationId>) -> CommandError {
    let failure = CommandError::failure(may_have_run(unknown));
    let (Some(id), Some(first)) = (id, unknown.first()) else { return failure };
    let call = &first.call;
    failure
        .hint(format!("`jp resume {id}` in a terminal asks what to do"))
        .hint(format!(
            "`jp resume {id} --again {call}` runs it again, `--done {call}=@FILE` takes a file for \
             its result, `--skip {call}` leaves it out"
        ))
        .hint(format!("`jp query --discard-turn --id={id}` discards the turn"))
}

fn may_have_run(unknown: &[Unknown]) -> String {
    let calls: Vec<_> =
        unknown.iter().map(|one| format!("`{}` (call `{}`)", one.tool, one.call)).collect();
    let again = if calls.len() == 1 { "is not run again" } else { "are not run again" };
    format!("{} may have run already, and {again} unasked", calls.join(", "))
}

/// The model could not be asked, or did not answer to the end.
fn failed(error: &ProviderError, id: Option<ConversationId>, room: &Room) -> CommandError {
    let failure = CommandError::failure(error);
    let failure = match error.trouble {
        Trouble::Key => {
            failure.hint("keys come from environment variables; `jp models` names them")
        }
        Trouble::Model => {
            let failure = failure.hint("`jp models` lists the models within reach");
            match id {
                Some(id) => failure
                    .hint(format!("`jp resume {id} --model PROVIDER/MODEL` asks another one")),
                None => failure,
            }
        }
        Trouble::Tools => failure.hint("`--no-tools` asks the model without tools"),
        Trouble::Certificate => failure.hint(
            "`SSL_CERT_FILE` may name a PEM file with the certificates to trust, such as those of \
             your company",
        ),
        Trouble::TooLong => room.hints.iter().fold(failure, CommandError::hint),
        _ => failure,
    };
    match id {
        Some(id) => {
            let again = format!("`jp resume {id}` asks it again");
            failure.hint(format!("your question is kept; {again}"))
        }
        None => failure,
    }
}

/// An event could not be stored.
fn undriven(error: DriveError<WriteFailure>, id: Option<ConversationId>) -> CommandError {
    let error = match error {
        DriveError::Sink(error) => CommandError::from(error),
        DriveError::Thread(error) => CommandError::failure(error),
    };
    unread(error, id)
}

/// The answer could not be written, but it may be kept.
fn unread(error: CommandError, id: Option<ConversationId>) -> CommandError {
    match id {
        Some(id) => error.hint(format!("`jp conversation print {id}` shows what is kept")),
        None => error,
    }
}

/// What it has cost, in words.
fn tokens(usage: &Usage) -> Option<String> {
    let words = [
        (usage.input, "in"),
        (usage.cache_read, "from the cache"),
        (usage.output, "out"),
        (usage.reasoning, "for thoughts"),
    ];
    let told =
        words.iter().filter_map(|(count, word)| count.map(|count| format!("{count} {word}")));
    let told: Vec<_> = told.collect();
    (!told.is_empty()).then(|| format!("tokens: {}", told.join(", ")))
}

/// How a turn ended, in a word.
pub fn word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Complete(_) => "complete",
        Ending::Stopped => "stopped",
        Ending::Aborted => "aborted",
        Ending::Failed(_) => "failed",
        Ending::NotTheData(_) => "not-the-data",
        Ending::Waiting(_) => "waiting",
        Ending::Unsure(_) => "unsure",
        Ending::TooManyRounds(_) => "too-many-rounds",
    }
}

fn message(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Failed(error) => Some(error.to_string()),
        Ending::NotTheData(problem) => Some(problem.clone()),
        Ending::Unsure(unknown) => Some(may_have_run(unknown)),
        Ending::TooManyRounds(rounds) => Some(called_too_often(*rounds)),
        Ending::Waiting(tool) => Some(waiting(tool)),
        Ending::Complete(_) | Ending::Stopped | Ending::Aborted => None,
    }
}

fn waiting(tool: &ToolName) -> String {
    format!("`{tool}` waits for your decision, and nobody could be asked")
}

fn called_too_often(rounds: u32) -> String {
    let times = if rounds == 1 { "time" } else { "times" };
    format!("the model has called for tools {rounds} {times} without coming to an end")
}
