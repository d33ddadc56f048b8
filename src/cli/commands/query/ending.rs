//! What is said when a query is over: what it has cost, what to do next, what went wrong.

use serde_json::json;

use crate::{
    cli::{
        args::Query,
        commands::{DONE, Outcome},
        error::CommandError,
        output::Output,
    },
    model::{ConversationId, Finish, ModelName, Progress, Refusal, Usage},
    provider::Trouble,
    turn::{DriveError, Ending},
    workspace::WriteFailure,
};

/// The exit code of what the user interrupted.
const INTERRUPTED: u8 = 130;

/// Tells how a query ended, and returns its exit code.
pub fn tell(
    output: &mut Output,
    args: &Query,
    model: &ModelName,
    ending: Ending,
    usage: Option<Usage>,
    id: Option<ConversationId>,
    introduces_guide: bool,
) -> Outcome {
    if args.format.is_json() {
        let line = json!({
            "type": "end",
            "conversation": id.map(|id| id.to_string()),
            "model": model.as_str(),
            "ending": word(&ending),
            "error": message(&ending),
        });
        output.line(crate::ui::escape_json(&line.to_string()))?;
    } else if !args.quiet {
        match ending {
            _ if id.is_none() => {}
            Ending::Stopped => output.say("stopped: what came is kept"),
            Ending::Aborted => output.say("aborted: only what was complete is kept"),
            _ => {}
        }
        if let Some(tokens) = usage.as_ref().and_then(tokens) {
            output.say(tokens);
        }
        // Where the turn is not complete, the hints say how to go on.
        let is_over = !matches!(ending, Ending::Failed(_) | Ending::Unsure(_));
        if let Some(id) = id.filter(|_| is_over) {
            output.say(format_args!("{id} · continue with `jp query --id={id} \"…\"`"));
        }
        if introduces_guide && id.is_some() {
            let how = "`jp config set assistant.model PROVIDER/MODEL` chooses one for good";
            output.hint(format_args!(
                "that was the built-in guide; `jp models` lists language models, {how}"
            ));
        }
    }
    let again = id.map(|id| format!("`jp query --no-edit --id={id}` asks it again"));
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
        Ending::Failed(error) => {
            let failure = CommandError::failure(&error);
            let failure = match error.trouble {
                Trouble::Key => {
                    failure.hint("keys come from environment variables; `jp models` names them")
                }
                Trouble::Model => failure.hint("`jp models` lists the models within reach"),
                Trouble::Certificate => failure.hint(
                    "`SSL_CERT_FILE` may name a PEM file with the certificates to trust, such as \
                     those of your company",
                ),
                Trouble::TooLong => {
                    failure.hint("`jp conversation fork --last N` goes on with the last turns only")
                }
                _ => failure,
            };
            Err(match again {
                Some(again) => failure.hint(format!("your question is kept; {again}")),
                None => failure,
            })
        }
        Ending::NotTheData(problem) => {
            let message = format!("the answer is not the data that was asked for: {problem}");
            Err(CommandError::failure(message))
        }
        Ending::Unsure(tool) => {
            let message = format!("`{tool}` may have run already, and is not run again unasked");
            let undo = id.map(|id| format!("`jp conversation undo {id}` takes the turn back"));
            Err(CommandError::failure(message).hint(undo.unwrap_or_default()))
        }
    }
}

/// An event could not be stored.
pub fn undriven(error: DriveError<WriteFailure>, id: Option<ConversationId>) -> CommandError {
    let error = match error {
        DriveError::Sink(error) => CommandError::from(error),
        DriveError::Thread(error) => CommandError::failure(error),
    };
    match id {
        Some(id) => error.hint(format!("`jp conversation print {id}` shows what is kept")),
        None => error,
    }
}

/// A request cannot come now.
pub fn incomplete(
    id: Option<ConversationId>,
    progress: &Progress,
    refusal: &Refusal,
) -> CommandError {
    let Some(id) = id else { return CommandError::failure(refusal) };
    let status = progress.status();
    CommandError::failure(format!("the last turn of {id} is not complete: {status}"))
        .hint(format!("`jp query --no-edit --id={id}` goes on with it"))
        .hint(format!("`jp conversation undo {id}` takes it back"))
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

fn word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Complete(_) => "complete",
        Ending::Stopped => "stopped",
        Ending::Aborted => "aborted",
        Ending::Failed(_) => "failed",
        Ending::NotTheData(_) => "not-the-data",
        Ending::Unsure(_) => "unsure",
    }
}

fn message(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Failed(error) => Some(error.to_string()),
        Ending::NotTheData(problem) => Some(problem.clone()),
        Ending::Unsure(tool) => Some(format!("`{tool}` may have run already")),
        Ending::Complete(_) | Ending::Stopped | Ending::Aborted => None,
    }
}
