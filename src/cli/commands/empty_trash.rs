//! `jp store empty-trash`

use serde_json::json;

use super::{DONE, Outcome, locking, ls::json_row, now};
use crate::{
    cli::{args::FormatArg, error::CommandError, output::Output},
    env::Env,
    history::parse_age,
    store::Purged,
    ui::{self, Table},
    workspace::{Trash, Trashed, Workspace},
};

/// Whether to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Ask.
    Ask,
    /// It was given.
    Given,
    /// Only show.
    ShowOnly,
}

pub fn run(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    older_than: &str,
    consent: Consent,
    format: &FormatArg,
) -> Outcome {
    let before = parse_age(older_than, &now(env)).map_err(CommandError::usage)?;
    let (mut old, mut unknown) = (Vec::new(), 0);
    let Trash { conversations, problems } = workspace.trash()?;
    output.warn_all(problems);
    for trashed in conversations {
        match trashed.since {
            Some(since) if since.instant() <= before => old.push(trashed),
            Some(_) => {}
            None => unknown += 1,
        }
    }
    if unknown > 0 {
        output.warn(format_args!(
            "{unknown} in the trash stay: since when they are there is not known"
        ));
    }
    if format.is_json() && consent != Consent::Given {
        output.json(&report(&old, consent))?;
        return Ok(DONE);
    }
    if old.is_empty() && !format.is_json() {
        output.say("Nothing in the trash is that old");
    }
    if old.is_empty() && consent != Consent::Given {
        return Ok(DONE);
    }
    if !format.is_json() && !old.is_empty() {
        output.text(table(&old))?;
    }
    match consent {
        Consent::ShowOnly => return Ok(DONE),
        Consent::Given => {}
        Consent::Ask => {
            let (count, them) = match old.len() {
                1 => ("this conversation".to_owned(), "It"),
                count => (format!("these {count} conversations"), "They"),
            };
            let question =
                format!("Delete {count} for good? {them} cannot be brought back. [y/N] ");
            output.flush()?;
            match ui::confirm(&question) {
                Ok(true) => {}
                Ok(false) => {
                    output.say("Nothing was deleted");
                    return Ok(DONE);
                }
                Err(_no_terminal) => {
                    let message = "nothing was deleted: there is no terminal to ask at";
                    return Err(
                        CommandError::failure(message).hint("`--yes` deletes without asking")
                    );
                }
            }
        }
    }
    let (mut failures, mut interrupted) = (Vec::new(), None);
    old.retain(|trashed| {
        if interrupted.is_some() {
            return false;
        }
        match forget(env, output, workspace, trashed) {
            Ok(()) => return true,
            Err(error) if error.is_by_signal() => interrupted = Some(error),
            Err(error) => failures.push(error.message()),
        }
        false
    });
    if !old.is_empty() {
        output.done(format_args!("{} deleted", old.len()));
    }
    if format.is_json() {
        output.json(&report(&old, consent))?;
    } else if !old.is_empty() {
        output.line(format_args!("{} deleted", old.len()))?;
    }
    if let Some(error) = interrupted {
        return Err(error);
    }
    // Also when nothing went now: an earlier run may have been cut short.
    if let Purged::Kept(reasons) = workspace.purge()? {
        for why in reasons {
            output.warn(format_args!("what was deleted is still in the store: {why}"));
        }
        output.hint(format_args!(
            "`jp store empty-trash --older-than {older_than} --yes` tries again"
        ));
        return Err(CommandError::silent(1));
    }
    if failures.is_empty() { Ok(DONE) } else { Err(CommandError::failures(failures)) }
}

fn forget(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    trashed: &Trashed,
) -> Result<(), CommandError> {
    let hold = locking::hold(env, output, workspace, &trashed.row.handle())?;
    Ok(workspace.forget(hold, trashed.row.commit)?)
}

fn table(old: &[Trashed]) -> Table<4> {
    let mut table = Table::new(["ID", "TITLE", "EVENTS", "IN THE TRASH SINCE"]);
    for Trashed { row, since } in old {
        let title = row.heading.title.clone().unwrap_or_else(|| "-".to_owned());
        let since = since.map_or_else(|| "-".to_owned(), |since| since.to_string());
        table.push([row.id.to_string(), title, row.events.to_string(), since]);
    }
    table
}

fn report(old: &[Trashed], consent: Consent) -> serde_json::Value {
    let conversations = old.iter().map(|trashed| {
        let mut value = json_row(&trashed.row, None, &[]);
        value["trashed_at"] = json!(trashed.since);
        value
    });
    let deleted = consent == Consent::Given;
    json!({"deleted": deleted, "conversations": conversations.collect::<Vec<_>>()})
}
