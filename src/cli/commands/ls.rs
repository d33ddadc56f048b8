//! `jp conversation ls`

use serde_json::{Value, json};

use super::{DONE, Outcome};
use crate::{
    cli::{args::FormatArg, output::Output},
    env::Env,
    store::Space,
    ui::Table,
    workspace::{Row, Workspace},
};

pub fn run(env: &Env, output: &mut Output, format: &FormatArg) -> Outcome {
    let overview = match Workspace::open(env)? {
        Some(workspace) => Some(workspace.overview(Space::Heads)?),
        None => None,
    };
    let (rows, problems) = match overview {
        Some(overview) => (overview.rows, overview.problems),
        None => (Vec::new(), Vec::new()),
    };
    if format.is_json() {
        output.json(&Value::Array(rows.iter().map(json_row).collect()))?;
    } else if rows.is_empty() {
        output.say("No conversations yet: start one with `jp conversation append --new FILE`");
    } else {
        let mut table = Table::new(["ID", "TITLE", "STATUS", "TURNS", "EVENTS", "LAST ACTIVITY"]);
        for row in &rows {
            table.push([
                row.id.to_string(),
                row.heading.title.clone().unwrap_or_else(|| "-".to_owned()),
                status(row),
                row.turns.to_string(),
                row.events.to_string(),
                row.updated.to_string(),
            ]);
        }
        output.text(table)?;
    }
    if !format.is_json() {
        for row in &rows {
            if let Err(problem) = &row.status {
                output.warn(format_args!(
                    "{}: {problem} (`jp conversation fsck {}` tells more)",
                    row.id, row.id
                ));
            }
        }
    }
    for problem in problems {
        output.warn(problem);
    }
    Ok(DONE)
}

/// The status in words; what cannot be read is `damaged`.
pub fn status(row: &Row) -> String {
    row.status.as_ref().map_or_else(|_| "damaged".to_owned(), ToString::to_string)
}

/// What every program gets to know about a conversation.
pub fn json_row(row: &Row) -> Value {
    let mut value = json!({
        "id": row.id,
        "title": row.heading.title,
        "status": status(row),
        "turns": row.turns,
        "events": row.events,
        "updated_at": row.updated,
    });
    if let Err(problem) = &row.status {
        value["problem"] = json!(problem);
    }
    value
}
