//! `jp conversation attach`

use super::{
    Outcome,
    print::{look, told_apart},
    query::{self, Attendance, Words, attend},
    to_read_at,
};
use crate::{
    cli::{
        args::{AtArg, Attach, MannerArgs, Resume},
        error::CommandError,
        output::Output,
    },
    env::Env,
    model::{EventKind, Stream, Turn},
    serve::{Connection, Role, Welcome, place},
    store::ObjectId,
    ui::{Detail, Prompter, Transcript},
    workspace::{Handle, Running, Workspace},
};

pub fn run(env: &Env, output: &mut Output, args: &Attach) -> Outcome {
    let (workspace, handle) = to_read_at(env, output, args.id.as_deref(), &AtArg::default())?;
    let process = workspace.process_of(handle.id());
    let Some(stream) = process.and_then(|process| place::connect(&process.socket).ok()) else {
        return without_process(env, output, args, &workspace, &handle);
    };
    let is_person = !args.read_only && Prompter::open(env).is_ok();
    let role = if is_person { Role::Person } else { Role::Watcher };
    let words = Words { quiet: args.quiet, json: false };
    let attendance = Attendance { role, words, catches_up: args.tail != Some(0) };
    let connection = Connection::greet(stream, role)?;
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
    if let Some(Running { pid, .. }) = workspace.running(id) {
        return Err(CommandError::failure(format!("process {pid} is at {id}, and serves nobody"))
            .hint("a query with `--no-server` ends with its terminal, and is seen only there"));
    }
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
        waits => {
            let failure = CommandError::failure(format!("no process is running for {id}"));
            Err(match waits {
                Some(_) => failure.hint(format!("`jp resume {id}` goes on with its last turn")),
                None => failure.hint(format!("`jp conversation print {id}` shows what was said")),
            })
        }
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
        let mut surplus = count.saturating_sub(left);
        left = left.saturating_sub(count);
        if surplus == count {
            turn.entries.clear();
        }
        turn.entries.retain(|entry| {
            let goes = surplus > 0;
            surplus -= usize::from(goes && is_content(&entry.event.kind));
            !goes
        });
    }
    stream.turns.retain(|turn| !turn.entries.is_empty());
    stream.turns.push(last);
    stream
}

fn contents(turn: &Turn) -> usize {
    turn.entries.iter().filter(|entry| is_content(&entry.event.kind)).count()
}

/// Whether somebody said or did something, and not only settled or begun it.
fn is_content(kind: &EventKind) -> bool {
    !matches!(kind, EventKind::ConfigDelta(_) | EventKind::Compaction(_) | EventKind::ToolStart(_))
}
