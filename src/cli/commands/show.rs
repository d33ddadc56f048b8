//! `jp conversation show`

use std::io;

use serde_json::{Value, json};

use super::{
    DONE, Outcome,
    label::written,
    ls::{json_heading, standing},
    pending, to_read,
};
use crate::{
    cli::{args::Show, output::Output},
    env::Env,
    format::FormatVersion,
    model::{IncompleteTurn, Meta, Stream, counted},
    store::{Commit, Problem},
    ui::{Size, Table, Unfinished, escape},
    workspace::{Brief, Conversation, Row, Running},
};

/// The columns that the name of a field takes.
const NAME: usize = 10;

pub fn run(env: &Env, output: &mut Output, args: &Show) -> Outcome {
    let (workspace, handle) = to_read(env, output, &args.target)?;
    // Whoever is at it now was not then.
    let running = match args.target.at.at {
        None => workspace.running(handle.id()),
        Some(_) => None,
    };
    let running = running.as_ref();
    if args.brief {
        let brief = workspace.brief(&handle)?;
        let head = Head::of_brief(&brief, running);
        match args.format.is_json() {
            true => output.json(&head.json())?,
            false => {
                head.print(env, output)?;
                head.hint(output);
            }
        }
        output.warn_all(&brief.problems);
        return Ok(DONE);
    }
    let conversation = workspace.load(&handle)?;
    let row = workspace.row(&handle, &mut Vec::new());
    let stream = conversation.stream();
    let head = Head::of(&row, &conversation, &stream, running);
    if args.format.is_json() {
        let mut value = head.json();
        value["stream"] = json_events(&conversation, &stream);
        let (_, fixes) = conversation.sanitized();
        value["fixes"] = fixes.iter().map(ToString::to_string).collect();
        output.json(&value)?;
    } else {
        head.print(env, output)?;
        output.line("")?;
        let mut table = Table::new(["TURN", "ADDRESS", "TYPE", "TIME", "FILE"]);
        for event in events(&conversation, &stream) {
            table.push([event.turn.to_string(), event.address, event.kind, event.time, event.file]);
        }
        output.text(table)?;
        head.hint(output);
    }
    output.warn_all(&conversation.problems);
    Ok(DONE)
}

/// How a conversation stands, without its events.
struct Head<'a> {
    row: &'a Row,
    running: Option<&'a Running>,
    commit: &'a Commit,
    version: FormatVersion,
    meta: &'a Meta,
    incomplete: Option<&'a IncompleteTurn>,
    queued: usize,
    problems: &'a [Problem],
}

impl<'a> Head<'a> {
    fn of(
        row: &'a Row,
        conversation: &'a Conversation,
        stream: &'a Stream,
        running: Option<&'a Running>,
    ) -> Self {
        let snapshot = &conversation.snapshot;
        Self {
            row,
            running,
            commit: &snapshot.commit,
            version: snapshot.version,
            meta: &snapshot.meta,
            incomplete: stream.incomplete.as_ref(),
            queued: conversation.queued(),
            problems: &conversation.problems,
        }
    }

    fn of_brief(brief: &'a Brief, running: Option<&'a Running>) -> Self {
        let Brief { row, commit, version, meta, incomplete, queued, problems } = brief;
        let (version, queued, incomplete) = (*version, *queued, incomplete.as_ref());
        Self { row, running, commit, version, meta, incomplete, queued, problems }
    }

    fn print(&self, env: &Env, output: &mut Output) -> io::Result<()> {
        let Self { row, commit, meta, .. } = self;
        field(output, "Id:", &row.id.to_string())?;
        field(output, "Title:", row.heading.title.as_deref().unwrap_or("-"))?;
        field(output, "Status:", &standing(row, self.running))?;
        self.print_unfinished(env, output)?;
        if self.queued > 0 {
            let follow_ups = counted(self.queued as u64, "follow-up");
            field(output, "Queued:", &follow_ups)?;
        }
        if let Some(Running { pid, socket: Some(socket) }) = self.running {
            field(output, "Process:", &format!("{pid}, {}", socket.display()))?;
        }
        field(output, "Turns:", &row.turns.to_string())?;
        field(output, "Events:", &row.events.to_string())?;
        if let Some(created) = meta.created {
            field(output, "Created:", &created.to_string())?;
        }
        field(output, "Updated:", &row.updated.to_string())?;
        for (key, value) in &meta.labels {
            field(output, "Label:", &written(key, value))?;
        }
        if let Some(forked) = &meta.forked {
            field(output, "Forked:", &format!("from {} at {}", forked.from, forked.commit))?;
        }
        field(output, "Commit:", &commit.id.to_string())?;
        field(output, "Tree:", &commit.tree.to_string())
    }

    /// What the turn under way waits for, as `print` tells it.
    fn print_unfinished(&self, env: &Env, output: &mut Output) -> io::Result<()> {
        let Some(incomplete) = self.incomplete else { return Ok(()) };
        let columns = match output.is_for_a_screen() {
            true => Size::of_stdout(env).columns.saturating_sub(NAME),
            false => usize::MAX,
        };
        for line in Unfinished::of(incomplete).lines {
            let mut text = " ".repeat(NAME);
            line.push_to(&mut text, output.style(), columns);
            output.line(text)?;
        }
        Ok(())
    }

    /// Tells somebody who reads it how to go on with what waits for an answer.
    fn hint(&self, output: &mut Output) {
        let waits = |turn: &IncompleteTurn| !turn.progress.open_questions().is_empty();
        if output.is_terminal() && self.incomplete.is_some_and(waits) {
            let id = self.row.id;
            output.hint(format_args!(
                "`jp conversation answer {id}` answers, `jp conversation attach {id}` asks you and goes on"
            ));
        }
    }

    fn json(&self) -> Value {
        let Self { row, commit, meta, .. } = self;
        let mut value = json_heading(row, self.running);
        value["commit"] = json!(commit.id.to_string());
        value["tree"] = json!(commit.tree.to_string());
        value["format"] = json!(self.version.to_string());
        value["created_at"] = json!(meta.created);
        value["labels"] = json!(meta.labels);
        value["forked"] = match &meta.forked {
            Some(forked) => json!({"from": forked.from, "commit": forked.commit}),
            None => Value::Null,
        };
        let pending = self.incomplete.map_or(Value::Null, pending::of_turn);
        pending::put(&mut value, pending, self.running);
        value["queued"] = json!(self.queued);
        value["problems"] = self.problems.iter().map(ToString::to_string).collect();
        value
    }
}

fn field(output: &mut Output, name: &str, value: &str) -> io::Result<()> {
    output.line(format_args!("{name:<NAME$}{}", escape(value)))
}

fn json_events(conversation: &Conversation, stream: &Stream) -> Value {
    let stream = events(conversation, stream).map(|event| {
        let (number, kind) = (event.number, event.kind);
        json!({"address": number, "file": event.file, "type": kind, "timestamp": event.time, "turn": event.turn})
    });
    stream.collect()
}

struct EventLine {
    turn: u64,
    number: u32,
    address: String,
    kind: String,
    time: String,
    file: String,
}

fn events(conversation: &Conversation, stream: &Stream) -> impl Iterator<Item = EventLine> {
    let complete = stream.turns.iter().map(|turn| (turn.number, &turn.entries));
    let under_way = stream.incomplete.iter().map(|one| (one.turn.number, &one.turn.entries));
    let waiting = std::iter::once((stream.begun(), &stream.waiting));
    let turns = complete.chain(under_way).chain(waiting);
    let entries = turns.flat_map(|(turn, entries)| entries.iter().map(move |entry| (turn, entry)));
    let sound = conversation.listed.iter().filter(|listed| listed.event.is_some());
    entries.zip(sound).map(|((turn, entry), listed)| EventLine {
        turn,
        number: entry.address.number(),
        address: entry.address.to_string(),
        kind: entry.event.event_type().to_string(),
        time: entry.event.timestamp.to_string(),
        file: listed.name.to_string(),
    })
}
