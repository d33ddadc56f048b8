//! A whole conversation as JSON; `docs/json.md` describes it.

use serde_json::{Value, json};

use super::event::{event, table};
use crate::{
    cli::commands::fsck::json_problem,
    model::Entry,
    plan::{Listed, TreePath},
    workspace::{Conversation, Queued},
};

/// A conversation with all its events, decoded.
pub fn conversation(
    conversation: &Conversation,
    status: &str,
    config: Option<&toml::Table>,
    queue: &[Queued],
) -> Value {
    let snapshot = &conversation.snapshot;
    let (stream, meta) = (conversation.stream(), &snapshot.meta);
    // The events of the stream come in the order in which they are listed.
    let path = |listed: &Listed| TreePath::event_in(listed.run.as_ref(), &listed.name);
    let mut listed = conversation.listed.iter().filter(|listed| listed.event.is_some());
    let mut events = |entries: &[Entry]| -> Vec<Value> {
        let files = listed.by_ref().take(entries.len());
        files.zip(entries).map(|(listed, entry)| event(&path(listed), &entry.event)).collect()
    };
    let mut turns = Vec::new();
    for turn in &stream.turns {
        let events = events(&turn.entries);
        turns.push(json!({"turn": turn.number, "complete": true, "events": events}));
    }
    if let Some(incomplete) = &stream.incomplete {
        let missing = incomplete.pending().to_string();
        let turn = &incomplete.turn;
        let events = events(&turn.entries);
        turns.push(
            json!({"turn": turn.number, "complete": false, "missing": missing, "events": events}),
        );
    }
    let waiting = events(&stream.waiting);
    let forked = meta.forked.as_ref();
    let queued = queue.iter().map(queued);
    json!({
        "id": conversation.id,
        "commit": snapshot.commit.id.to_string(),
        "tree": snapshot.commit.tree.to_string(),
        "format": snapshot.version.to_string(),
        "status": status,
        "meta": {
            "title": meta.title,
            "created_at": meta.created,
            "labels": meta.labels,
            "forked": forked.map(|forked| json!({"from": forked.from, "commit": forked.commit})),
            "other": table(&meta.extra),
        },
        "config": config.map(table),
        "turns": turns,
        "waiting": waiting,
        "queue": queued.collect::<Vec<_>>(),
        "problems": conversation.problems.iter().map(json_problem).collect::<Vec<_>>(),
    })
}

/// A request that waits, with its file.
pub fn queued(queued: &Queued) -> Value {
    event(&TreePath::queued(&queued.name), &queued.event)
}
