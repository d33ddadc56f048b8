//! `jp conversation compact`

use serde_json::{Value, json};

use super::{
    super::{
        DONE, Next, Outcome, export::table as table_json, find_to_change, settings, tell_notes,
        to_change,
    },
    outlook::{Made, Outlook, look, make},
};
use crate::{
    cli::{args::Compact, error::CommandError, output::Output},
    config::Settings,
    env::Env,
    format::encode,
    model::{ConversationId, Event, Stream},
    plan::Draft,
    projection::Weight,
    workspace::{Appended, ConfigFiles, Guard, Handle, Workspace},
};

pub fn run(env: &Env, output: &mut Output, args: &Compact) -> Outcome {
    if args.dry_run {
        let (workspace, handle) = find_to_change(env, output, args.id.as_deref())?;
        let stream = stream(output, &workspace, &handle)?;
        let looked = look(env, &args.wish, args.reset, &stream)?;
        tell(output, args, handle.id(), &stream, looked.as_ref(), None)?;
        return Ok(DONE);
    }
    let (workspace, mut guard) = to_change(env, output, args.id.as_deref(), Next::Writes)?;
    let stream = stream(output, &workspace, &guard)?;
    let settings = match args.wish.summarize && !args.reset {
        true => resolve(env, output, args, &workspace, &guard)?,
        false => Settings::default(),
    };
    let made = make(env, output, &settings, &args.wish, args.reset, &stream)?;
    let (outlook, appended) = match made {
        Made::Nothing(why) => (Err(why), None),
        Made::Compaction(event, outlook) => {
            let appended = append(&workspace, &mut guard, *event)?;
            (Ok(outlook), Some(appended))
        }
    };
    tell_notes(output, &mut guard);
    let id = guard.id();
    drop(guard);
    tell(output, args, id, &stream, outlook.as_ref(), appended.as_ref())?;
    Ok(DONE)
}

/// What was said so far, as a model may see it.
fn stream(
    output: &mut Output,
    workspace: &Workspace,
    handle: &Handle,
) -> Result<Stream, CommandError> {
    let conversation = workspace.load(handle)?;
    output.warn_all(&conversation.problems);
    let (stream, fixes) = conversation.sanitized();
    output.warn_all(fixes);
    Ok(stream)
}

/// The settings of the conversation.
fn resolve(
    env: &Env,
    output: &mut Output,
    args: &Compact,
    workspace: &Workspace,
    handle: &Handle,
) -> Result<Settings, CommandError> {
    let files = ConfigFiles::find(env)?;
    let layers = settings::layers(&files, env, &args.config)?;
    let layers = workspace.add_config(layers, &workspace.load(handle)?);
    Ok(settings::resolve(output, &files, layers)?.settings)
}

fn append(
    workspace: &Workspace,
    guard: &mut Guard,
    event: Event,
) -> Result<Appended, CommandError> {
    let bytes = encode(&event).map_err(CommandError::failure)?;
    let appended = workspace.append(guard, &[Draft { event, bytes }])?;
    appended.into_iter().next().ok_or_else(|| CommandError::failure("nothing was stored"))
}

fn tell(
    output: &mut Output,
    args: &Compact,
    id: ConversationId,
    stream: &Stream,
    outlook: Result<&Outlook, &String>,
    appended: Option<&Appended>,
) -> Result<(), CommandError> {
    let inverse = appended.map(|_| format!("jp conversation undo {id}"));
    if appended.is_some() {
        output.done(format_args!("{id} was compacted"));
    }
    if args.format.is_json() {
        output.json(&report(id, outlook, appended, inverse.as_deref()))?;
        return Ok(());
    }
    let outlook = match outlook {
        Ok(outlook) => outlook,
        Err(why) => {
            output.say(format_args!("{id}: nothing to compact: {why}"));
            return Ok(());
        }
    };
    let turns = outlook.turns_in_words();
    let how = outlook.how();
    output.line(match args.dry_run {
        true => format!("{id}: a model would see {turns} {how}"),
        false => format!("{id}: a model now sees {turns} {how}"),
    })?;
    if !args.reset {
        output.line(format_args!("left out: {}", outlook.omission))?;
    }
    let pending = args.dry_run && args.wish.summarize;
    output.line(numbers(outlook, pending))?;
    if let Some(incomplete) = stream.incomplete.as_ref().filter(|_| !args.reset) {
        let turn = incomplete.turn.number;
        output.say(format_args!("turn {turn} is not complete, and stays as it is until it is"));
    }
    if let Some(inverse) = inverse {
        output.hint_at_inverse(&inverse);
    }
    Ok(())
}

/// Before and after, in numbers.
fn numbers(outlook: &Outlook, pending: bool) -> String {
    let Outlook { before, after, .. } = outlook;
    let summary = if pending { " and the summary" } else { "" };
    format!(
        "turns {} → {}, events {} → {}, tokens about {} → {}{summary}",
        before.turns, after.turns, before.events, after.events, before.tokens, after.tokens
    )
}

fn report(
    id: ConversationId,
    outlook: Result<&Outlook, &String>,
    appended: Option<&Appended>,
    inverse: Option<&str>,
) -> Value {
    let weight = |weight: &Weight| json!({ "turns": weight.turns, "events": weight.events, "tokens": weight.tokens });
    let omitted = |outlook: &Outlook| {
        let omission = &outlook.omission;
        json!({
            "turns": omission.turns,
            "thoughts": omission.thoughts,
            "calls": omission.calls,
            "results": omission.results,
            "arguments": omission.arguments,
        })
    };
    let outlook_of = outlook.ok();
    json!({
        "id": id,
        "from_turn": outlook_of.map(|outlook| *outlook.turns.start()),
        "to_turn": outlook_of.map(|outlook| *outlook.turns.end()),
        "rules": outlook_of.map(|outlook| table_json(&outlook.rules.to_table())),
        "left_out": outlook_of.map(omitted),
        "before": outlook_of.map(|outlook| weight(&outlook.before)),
        "after": outlook_of.map(|outlook| weight(&outlook.after)),
        "nothing": outlook.err(),
        "address": appended.map(|appended| appended.address.number()),
        "file": appended.map(|appended| appended.file.to_string()),
        "commit": appended.map(|appended| appended.commit.to_string()),
        "inverse": inverse,
    })
}
