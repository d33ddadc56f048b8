//! What is to be said about a turn that is over, as data: whoever shows it says it.

use super::{driving::Driven, follow_up::Waiting, reading::Asked, room::Room, scene::Scene};
use crate::{
    cli::{
        commands::{DONE, INTERRUPTED},
        error::CommandError,
    },
    model::{ConversationId, Finish, ToolName, Usage},
    provider::{ProviderError, Trouble},
    serve::Closing,
    turn::{DriveError, Ending, Unknown},
    workspace::WriteFailure,
};

/// What is to be said about a turn that is over. What was asked is let go of if it is stored.
pub fn close(scene: &Scene, asked: &mut Asked, driven: Driven, waiting: &Waiting) -> Closing {
    let Driven { ending, id, room, is_answered, notes, usage, guard: _ } = driven;
    if ending.is_ok() && id.is_some() {
        asked.sent();
    }
    let usage = usage.filter(|_| scene.resolved.settings.ui.usage);
    let closing = Closing {
        conversation: id.map(|id| id.to_string()),
        model: scene.model.setup.model.to_string(),
        is_answered,
        notes,
        queued: waiting.count(),
        is_followed: waiting.is_asked(),
        tokens: usage.as_ref().and_then(tokens),
        welcome: welcome(scene).filter(|_| id.is_some()),
        ..Closing::default()
    };
    let ending = match ending {
        Ok(ending) => ending,
        Err(error) => return failing(closing, &asked.kept(undriven(error, id))),
    };
    let closing = Closing {
        ending: word(&ending).to_owned(),
        error: message(&ending),
        remark: remark(&ending).map(str::to_owned),
        warning: room.warning.clone(),
        warning_hints: room.hints.clone(),
        ..closing
    };
    match outcome(ending, id, &room) {
        Ok(code) => Closing { code, ..closing },
        Err(error) => failing(closing, &asked.kept(error)),
    }
}

/// What is to be said about something that failed before it began.
pub fn failing(closing: Closing, error: &CommandError) -> Closing {
    Closing { code: error.exit_code(), failure: Some(error.to_failure()), ..closing }
}

/// What somebody hears who asked for the first time.
fn welcome(scene: &Scene) -> Option<String> {
    (scene.model.is_guide && scene.conversation.is_none()).then(|| {
        let how = "`jp config set assistant.model PROVIDER/MODEL` chooses one for good";
        format!("that was the built-in guide; `jp models` lists language models, {how}")
    })
}

/// What is said about an answer that is not whole.
fn remark(ending: &Ending) -> Option<&'static str> {
    match ending {
        Ending::Complete(Finish::Length) => Some("the answer was cut off at the limit of tokens"),
        Ending::Complete(Finish::ContentFilter) => {
            Some("the provider held a part of the answer back")
        }
        _ => None,
    }
}

/// What the exit code tells, with what to do about it.
fn outcome(ending: Ending, id: Option<ConversationId>, room: &Room) -> Result<u8, CommandError> {
    match ending {
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
                Some(id) => failure
                    .hint(format!("`jp resume {id}` in a terminal asks you"))
                    .hint(format!("`jp conversation answer {id} VALUE` answers from anywhere")),
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

/// The same, with where to look.
pub fn unread(error: CommandError, id: Option<ConversationId>) -> CommandError {
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
