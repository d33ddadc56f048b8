//! A conversation that the person at the terminal chooses from a list.

mod stacks;

use std::collections::BTreeMap;

use self::stacks::Stacks;
use super::{BY_SIGNAL, ls};
use crate::{
    cli::{error::CommandError, output::Output},
    env::Env,
    store::Space,
    ui::{self, Item, Picked, Signal, minute},
    workspace::{Handle, Overview, Row, Session, Workspace},
};

/// Lets the person at the terminal choose a conversation: first those of this session, then all
/// others, the last ones first. Whoever calls it knows that there is a terminal.
pub fn pick(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    session: Option<&Session>,
) -> Result<Handle, CommandError> {
    let Overview { rows, problems } = workspace.overview(Space::Heads)?;
    output.warn_all(problems);
    let rows = own_first(rows, workspace, session);
    if rows.is_empty() {
        return Err(nothing_yet());
    }
    let zone = env.time_zone();
    let item = |(row, is_own): &(Row, bool)| Item {
        id: row.id.to_string(),
        title: row.heading.title.clone(),
        time: minute(row.updated, &zone),
        status: ls::status(row),
        is_own: *is_own,
    };
    let items = rows.iter().map(item).collect();
    let handles: Vec<_> = rows.iter().map(|(row, _)| row.handle()).collect();
    let stacks = {
        let env = env.clone();
        move || Stacks::open(&env, rows.into_iter().map(|(row, _)| row).collect())
    };
    output.flush()?;
    match ui::pick(env, items, stacks) {
        Ok(Picked::Chosen(place)) => handles.into_iter().nth(place).ok_or_else(no_target),
        Ok(Picked::Left) => Err(CommandError::silent(BY_SIGNAL + Signal::Interrupt.number())),
        Ok(Picked::Stopped(signal)) => Err(CommandError::silent(BY_SIGNAL + signal.number())),
        Err(error) => Err(CommandError::failure(format!("the terminal cannot be used: {error}"))),
    }
}

/// Nobody has said which conversation is meant, and nobody can be asked.
pub fn no_target() -> CommandError {
    CommandError::failure("no conversation was chosen, and nobody can be asked which one is meant")
        .hint("`jp query --id=ID \"…\"` continues one; `jp conversation ls` lists them")
        .hint("`jp query --id=last \"…\"` continues the one that was used last")
        .hint("`jp query --new \"…\"` begins one")
        .hint("scripts that set `JP_SESSION` to the same text share a conversation")
}

/// There is nothing to choose from.
pub fn nothing_yet() -> CommandError {
    CommandError::failure("there is no conversation yet")
        .hint("`jp query --new \"…\"` begins a conversation")
}

/// The conversations of a session in the order of its history, each marked as its own, and then the
/// others in the order that they have.
fn own_first(rows: Vec<Row>, workspace: &Workspace, session: Option<&Session>) -> Vec<(Row, bool)> {
    // A mapping that does not read is told by who goes by it; here it is only an order.
    let mapping = session.map(|session| workspace.session_mapping(session).0);
    let history = mapping.iter().flat_map(|mapping| mapping.history());
    let places: BTreeMap<_, _> =
        history.enumerate().map(|(place, activation)| (activation.id, place)).collect();
    let place = |row: &Row| places.get(&row.id).copied();
    let mut rows: Vec<_> = rows.into_iter().map(|row| (place(&row), row)).collect();
    rows.sort_by_key(|(place, _)| place.unwrap_or(usize::MAX));
    rows.into_iter().map(|(place, row)| (row, place.is_some())).collect()
}

#[cfg(test)]
mod tests;
