//! A conversation that the person at the terminal chooses from a list.

mod stacks;

use std::{cmp::Reverse, collections::BTreeMap};

use self::stacks::Stacks;
use super::{BY_SIGNAL, ls};
use crate::{
    cli::{error::CommandError, output::Output},
    env::Env,
    ui::{self, Item, Picked, Signal, minute},
    workspace::{Handle, Row, Session, Workspace},
};

/// Lets the person at the terminal choose one of these conversations: first those of this session,
/// then all others, the last used first. Whoever calls it knows that there is a terminal.
pub fn pick(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    session: Option<&Session>,
    rows: Vec<Row>,
) -> Result<Handle, CommandError> {
    let rows = own_first(rows, workspace, session);
    let zone = env.time_zone();
    let running = workspace.all_running();
    let item = |(row, is_own): &(Row, bool)| Item {
        id: row.id.to_string(),
        title: row.heading.title.clone(),
        time: minute(row.updated, &zone),
        status: ls::standing(row, running.get(&row.id)),
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
        // As it is now: somebody may have put it away meanwhile.
        Ok(Picked::Chosen(place)) => Ok(workspace.select(&handles[place].id().to_string())?),
        Ok(Picked::Left) => Err(CommandError::silent(BY_SIGNAL + Signal::Interrupt.number())),
        Ok(Picked::Stopped(signal)) => Err(CommandError::silent(BY_SIGNAL + signal.number())),
        Err(error) => Err(CommandError::failure(format!("the terminal cannot be used: {error}"))),
    }
}

/// The conversations of a session in the order of its history, each marked as its own, and then the
/// others, the last used first.
fn own_first(rows: Vec<Row>, workspace: &Workspace, session: Option<&Session>) -> Vec<(Row, bool)> {
    // A mapping that does not read is told by who goes by it; here it is only an order.
    let mapping = session.map(|session| workspace.session_mapping(session).0);
    let history = mapping.iter().flat_map(|mapping| mapping.history());
    let places: BTreeMap<_, _> =
        history.enumerate().map(|(place, activation)| (activation.id, place)).collect();
    let place = |row: &Row| places.get(&row.id).copied();
    let mut rows: Vec<_> = rows.into_iter().map(|row| (place(&row), row)).collect();
    let activations = workspace.activations();
    rows.sort_by_cached_key(|(place, row)| {
        let used = activations.get(&row.id).copied().unwrap_or(row.updated);
        (place.unwrap_or(usize::MAX), Reverse(used.instant()))
    });
    rows.into_iter().map(|(place, row)| (row, place.is_some())).collect()
}

#[cfg(test)]
mod tests;
