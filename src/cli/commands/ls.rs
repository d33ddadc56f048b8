//! `jp conversation ls`

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::{DONE, Next, Outcome, label, pending, warn_of_dropped};
use crate::{
    cli::{
        args::{Ls, Sort},
        error::CommandError,
        output::Output,
    },
    env::Env,
    history::{Twig, family_tree},
    model::{Event, Status},
    store::Space,
    ui::{Size, Table, escape, shorten},
    workspace::{Questions, Row, Running, Workspace},
};

pub fn run(env: &Env, output: &mut Output, args: &Ls) -> Outcome {
    let space = match (args.archived, args.trash) {
        (true, _) => Space::Archive,
        (_, true) => Space::Trash,
        _ => Space::Heads,
    };
    let wanted: Result<Vec<_>, _> = args.label.iter().map(|label| wanted(label)).collect();
    let wanted = wanted?;
    let workspace = Workspace::open(env)?;
    let (mut rows, problems) = match &workspace {
        Some(workspace) => {
            let overview = workspace.overview(space)?;
            (overview.rows, overview.problems)
        }
        None => (Vec::new(), Vec::new()),
    };
    rows.retain(|row| wanted.iter().all(|label| has(row, label)));
    sort(&mut rows, args.sort);
    if args.reverse {
        rows.reverse();
    }
    rows.truncate(args.limit.unwrap_or(usize::MAX));
    let twigs: Vec<Twig> = match args.tree {
        true => family_tree(rows),
        false => rows.into_iter().map(|row| Twig { branch: String::new(), row }).collect(),
    };
    let running = workspace.as_ref().map(Workspace::all_running).unwrap_or_default();
    if args.format.is_json() {
        let rows = twigs.iter().map(|Twig { row, .. }| {
            let questions = questions(output, workspace.as_ref(), row);
            json_row(row, running.get(&row.id), &questions)
        });
        let rows = Value::Array(rows.collect());
        output.json(&rows)?;
    } else if twigs.is_empty() {
        output.say(nothing(space, !wanted.is_empty() || args.limit == Some(0)));
    } else {
        let mut table = Table::new(["ID", "TITLE", "STATUS", "TURNS", "EVENTS", "LAST ACTIVITY"]);
        let room = title_room(env, output);
        for Twig { branch, row } in &twigs {
            table.push([
                format!("{branch}{}", row.id),
                shorten(&escape(row.heading.title.as_deref().unwrap_or("-")), room).into_owned(),
                standing(row, running.get(&row.id)),
                row.turns.to_string(),
                row.events.to_string(),
                row.updated.to_string(),
            ]);
        }
        output.text(table)?;
        let waits = |twig: &Twig| matches!(twig.row.status, Ok(Status::WaitingForInput(_)));
        if output.is_terminal() && twigs.iter().any(waits) {
            output.hint("`jp conversation answer ID` answers, `jp conversation attach ID` asks you and goes on");
        }
        for Twig { row, .. } in &twigs {
            if let Err(problem) = &row.status {
                output.warn(format_args!(
                    "{}: {problem} (`jp conversation fsck {}` tells more)",
                    row.id, row.id
                ));
            }
        }
    }
    output.warn_all(problems);
    if let Some(workspace) = workspace {
        let rows = twigs.iter().map(|twig| &twig.row);
        for row in rows.filter(|row| row.by_hand && row.status.is_ok()) {
            warn_of_dropped(output, &workspace, &row.handle(), Next::Reads);
        }
    }
    Ok(DONE)
}

/// Columns that a title may take: as many as the others leave on a terminal, all of them elsewhere.
fn title_room(env: &Env, output: &Output) -> usize {
    const OTHERS: usize = 76;
    match output.is_terminal() {
        true => Size::of_stdout(env).columns.saturating_sub(OTHERS).max(24),
        false => usize::MAX,
    }
}

fn nothing(space: Space, filtered: bool) -> &'static str {
    match space {
        _ if filtered => "No conversation is left to be listed",
        Space::Heads => "No conversations yet: `jp conversation append --new FILE` starts one",
        Space::Archive => "No conversation is archived",
        Space::Trash => "The trash is empty",
    }
}

/// Reads a label to look for: a key, perhaps with the value that it must have.
fn wanted(text: &str) -> Result<(String, Option<String>), CommandError> {
    let (key, value) = label::parse(text)?;
    Ok((key, text.contains('=').then_some(value)))
}

fn has(row: &Row, (key, value): &(String, Option<String>)) -> bool {
    let own = row.heading.labels.get(key);
    own.is_some_and(|own| value.as_ref().is_none_or(|value| value == own))
}

fn sort(rows: &mut [Row], sort: Sort) {
    match sort {
        // They come so.
        Sort::Updated => {}
        Sort::Created => rows.sort_by_key(|row| Reverse(row.id)),
        Sort::Title => rows.sort_by_cached_key(|row| {
            let title = row.heading.title.as_ref().map(|title| title.to_lowercase());
            (title.is_none(), title)
        }),
        Sort::Turns => rows.sort_by_key(|row| Reverse(row.turns)),
        Sort::Events => rows.sort_by_key(|row| Reverse(row.events)),
    }
}

/// The status in words, as it is stored; what cannot be read is `damaged`.
pub fn status(row: &Row) -> String {
    row.status.as_ref().map_or_else(|_| "damaged".to_owned(), ToString::to_string)
}

/// The same at this moment: whoever is at a conversation is told of, unless it waits for an answer,
/// which somebody has to give in any case.
pub fn standing(row: &Row, running: Option<&Running>) -> String {
    match (&row.status, running) {
        (Ok(Status::Idle | Status::Interrupted(_)), Some(Running { pid, .. })) => {
            format!("running (pid {pid})")
        }
        _ => status(row),
    }
}

/// What every program gets to know about a conversation, with those of its open questions in full
/// that are given.
pub fn json_row(row: &Row, running: Option<&Running>, questions: &[Event]) -> Value {
    let mut value = json_heading(row, running);
    pending::put(&mut value, pending::of_progress(&row.progress, questions.iter()), running);
    value
}

/// The same, without what a turn under way waits for.
pub fn json_heading(row: &Row, running: Option<&Running>) -> Value {
    let mut value = json!({
        "id": row.id,
        "title": row.heading.title,
        "space": row.space.name(),
        "labels": row.heading.labels,
        "forked_from": row.heading.forked,
        "status": standing(row, running),
        "turns": row.turns,
        "events": row.events,
        "updated_at": row.updated,
        "process": running.map(|Running { pid, socket }| json!({"pid": pid, "socket": socket})),
    });
    if let Err(problem) = &row.status {
        value["problem"] = json!(problem);
    }
    value
}

/// The questions that a conversation waits for. All else that is listed is in its last commit.
fn questions(output: &mut Output, workspace: Option<&Workspace>, row: &Row) -> Vec<Event> {
    let found = workspace.map(|workspace| workspace.questions(row)).transpose();
    let Questions { events, problems } = match found {
        Ok(found) => found.unwrap_or_default(),
        Err(error) => {
            output.warn(error);
            Questions::default()
        }
    };
    output.warn_all(problems.iter().map(|problem| format!("{}: {problem}", row.id)));
    events
}
