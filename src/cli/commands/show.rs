//! `jp conversation show`

use serde_json::{Value, json};

use super::{
    DONE, Outcome,
    label::written,
    ls::{json_row, status},
    to_read,
};
use crate::{
    cli::{
        args::{FormatArg, Target},
        output::Output,
    },
    env::Env,
    model::{Progress, Stream},
    ui::{Table, escape},
    workspace::{Conversation, Row},
};

pub fn run(env: &Env, output: &mut Output, target: &Target, format: &FormatArg) -> Outcome {
    let (workspace, handle) = to_read(env, output, target)?;
    let conversation = workspace.load(&handle)?;
    let row = workspace.row(&handle, &mut Vec::new());
    let stream = conversation.stream();
    if format.is_json() {
        output.json(&json_details(&row, &conversation, &stream))?;
    } else {
        print(output, &row, &conversation, &stream)?;
    }
    output.warn_all(&conversation.problems);
    Ok(DONE)
}

fn print(
    output: &mut Output,
    row: &Row,
    conversation: &Conversation,
    stream: &Stream,
) -> std::io::Result<()> {
    let commit = &conversation.snapshot.commit;
    let meta = &conversation.snapshot.meta;
    let mut line = |key: &str, value: &str| output.line(format_args!("{key:<10}{}", escape(value)));
    line("Id:", &row.id.to_string())?;
    line("Title:", row.heading.title.as_deref().unwrap_or("-"))?;
    line("Status:", &status(row))?;
    line("Turns:", &row.turns.to_string())?;
    line("Events:", &row.events.to_string())?;
    if let Some(created) = meta.created {
        line("Created:", &created.to_string())?;
    }
    line("Updated:", &row.updated.to_string())?;
    for (key, value) in &meta.labels {
        line("Label:", &written(key, value))?;
    }
    if let Some(forked) = &meta.forked {
        line("Forked:", &format!("from {} at {}", forked.from, forked.commit))?;
    }
    line("Commit:", &commit.id.to_string())?;
    line("Tree:", &commit.tree.to_string())?;
    output.line("")?;
    let mut table = Table::new(["TURN", "ADDRESS", "TYPE", "TIME", "FILE"]);
    for event in events(conversation, stream) {
        table.push([event.turn.to_string(), event.address, event.kind, event.time, event.file]);
    }
    output.text(table)
}

fn json_details(row: &Row, conversation: &Conversation, stream: &Stream) -> Value {
    let mut value = json_row(row);
    let snapshot = &conversation.snapshot;
    let progress = stream.incomplete.as_ref().map(|incomplete| &incomplete.progress);
    value["commit"] = json!(snapshot.commit.id.to_string());
    value["tree"] = json!(snapshot.commit.tree.to_string());
    value["format"] = json!(snapshot.version.to_string());
    value["created_at"] = json!(snapshot.meta.created);
    value["labels"] = json!(snapshot.meta.labels);
    value["forked"] = match &snapshot.meta.forked {
        Some(forked) => json!({"from": forked.from, "commit": forked.commit}),
        None => Value::Null,
    };
    value["pending"] = progress.map_or(Value::Null, json_pending);
    let stream = events(conversation, stream).map(|event| {
        let (number, kind) = (event.number, event.kind);
        json!({"address": number, "file": event.file, "type": kind, "timestamp": event.time, "turn": event.turn})
    });
    value["stream"] = stream.collect();
    let problems = conversation.problems.iter().map(ToString::to_string);
    value["problems"] = problems.collect();
    let (_, fixes) = conversation.sanitized();
    value["fixes"] = fixes.iter().map(ToString::to_string).collect();
    value
}

fn json_pending(progress: &Progress) -> Value {
    let calls = progress.pending_calls().iter();
    let questions = progress.open_questions().iter();
    json!({
        "missing": progress.pending().map(|pending| pending.to_string()),
        "calls": calls.map(|call| json!({"id": call.id, "tool": call.tool, "attempts": call.attempts})).collect::<Vec<_>>(),
        "questions": questions.map(|question| json!({"id": question.id, "tool": question.tool, "call": question.call})).collect::<Vec<_>>(),
    })
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
