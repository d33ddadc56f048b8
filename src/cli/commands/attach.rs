//! `jp conversation attach`

use std::collections::BTreeSet;

use super::{
    Outcome,
    print::{look, told_apart},
    query::{self, Attendance, Words, attend},
    reaching::{Unserved, reach, unserved},
    to_read_at,
};
use crate::{
    cli::{
        args::{AtArg, Attach, MannerArgs, Resume},
        error::CommandError,
        output::Output,
    },
    env::Env,
    model::{CallId, Entry, Event, EventKind, Stream, Turn},
    serve::{Role, Welcome},
    store::ObjectId,
    ui::{Detail, Prompter, Transcript},
    workspace::{Handle, Workspace},
};

pub fn run(env: &Env, output: &mut Output, args: &Attach) -> Outcome {
    let (workspace, handle) = to_read_at(env, output, args.id.as_deref(), &AtArg::default())?;
    let is_person = !args.read_only && Prompter::open(env).is_ok();
    let role = if is_person { Role::Person } else { Role::Watcher };
    let Some(connection) = reach(&workspace, handle.id(), role)? else {
        return without_process(env, output, args, &workspace, &handle);
    };
    let words = Words { quiet: args.quiet, json: false };
    let catches_up = args.tail != Some(0);
    let attendance = Attendance { role, words, catches_up, has_begun_it: false };
    attend(env, output, connection, attendance, |output, welcome| {
        let Some(commit) = commit(welcome) else { return Ok(()) };
        show_before(env, output, &workspace, &handle.at(commit), args.tail)
    })
}

/// A conversation whose process has ended: what it waits for can still be answered.
fn without_process(
    env: &Env,
    output: &mut Output,
    args: &Attach,
    workspace: &Workspace,
    handle: &Handle,
) -> Outcome {
    let id = handle.id();
    let failure = match unserved(workspace, id) {
        Unserved::Alone { failure, .. } => {
            return Err(failure.hint(
                "a query with `--no-server` ends with its terminal, and is seen only there",
            ));
        }
        Unserved::Nobody(failure) => failure,
    };
    let stream = workspace.load(handle)?.stream();
    let waits = stream
        .incomplete
        .as_ref()
        .map(|incomplete| !incomplete.progress.open_questions().is_empty());
    match waits {
        Some(true) if !args.read_only && Prompter::open(env).is_ok() => {
            show_before(env, output, workspace, handle, args.tail)?;
            let manner = MannerArgs { quiet: args.quiet, ..MannerArgs::default() };
            let resume = Resume { id: Some(id.to_string()), manner, ..Resume::default() };
            let words = resume.words();
            query::run(env, output, &resume.into(), words)
        }
        Some(_) => Err(failure.hint(format!("`jp resume {id}` goes on with its last turn"))),
        None => Err(failure.hint(format!("`jp conversation print {id}` shows what was said"))),
    }
}

fn commit(welcome: &Welcome) -> Option<ObjectId> {
    welcome.commit.as_ref()?.parse().ok()
}

/// Shows what is stored: the turn under way, and so many events before it.
fn show_before(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    handle: &Handle,
    tail: Option<usize>,
) -> Result<(), CommandError> {
    if tail == Some(0) {
        return Ok(());
    }
    let conversation = workspace.load(handle)?;
    let id = conversation.id;
    let title = match &conversation.snapshot.meta.title {
        Some(title) => format!("{title} ({id})"),
        None => id.to_string(),
    };
    let (stream, _) = told_apart(conversation.listed);
    let stream = last_of(stream, tail.unwrap_or(0));
    let transcript = Transcript {
        title: &title,
        stream: &stream,
        holes: &[],
        gaps: &[],
        turns: 0..u64::MAX,
        look: look(env, output),
        detail: Detail::default(),
        zone: env.time_zone(),
    };
    transcript.write(output.sink())?;
    output.line("")?;
    output.flush()?;
    Ok(())
}

/// The last turn, with at least so many events, of those that somebody said or did.
fn last_of(mut stream: Stream, events: usize) -> Stream {
    // That it is not complete is nothing to wonder at.
    stream.turns.extend(stream.incomplete.take().map(|incomplete| incomplete.turn));
    let Some(last) = stream.turns.pop() else { return stream };
    let mut left = events.saturating_sub(contents(&last));
    for turn in stream.turns.iter_mut().rev() {
        let count = contents(turn);
        cut_off(turn, count.saturating_sub(left));
        left = left.saturating_sub(count);
    }
    stream.turns.retain(|turn| !turn.entries.is_empty());
    stream.turns.push(last);
    stream
}

/// Takes so many events out of the beginning of a turn. A call stays if its result does.
fn cut_off(turn: &mut Turn, count: usize) {
    let is_content = |entry: &Entry| is_content(&entry.event.kind);
    let contents = turn.entries.iter().enumerate().filter(|(_, entry)| is_content(entry));
    let first = contents.take(count).last().map_or(0, |(last, _)| last + 1);
    let rest = turn.entries.split_off(first);
    if !rest.iter().any(is_content) {
        return turn.entries.clear();
    }
    let results: BTreeSet<_> = rest.iter().filter_map(|entry| result_of(&entry.event)).collect();
    turn.entries.retain(|entry| match &entry.event.kind {
        EventKind::ToolCall(call) => results.contains(&call.id),
        _ => false,
    });
    turn.entries.extend(rest);
}

fn result_of(event: &Event) -> Option<CallId> {
    match &event.kind {
        EventKind::ToolResult(result) => Some(result.id.clone()),
        _ => None,
    }
}

fn contents(turn: &Turn) -> usize {
    turn.entries.iter().filter(|entry| is_content(&entry.event.kind)).count()
}

/// Whether somebody said or did something, and not only settled or begun it.
fn is_content(kind: &EventKind) -> bool {
    !matches!(kind, EventKind::ConfigDelta(_) | EventKind::Compaction(_) | EventKind::ToolStart(_))
}
