//! A fork to ask in.

use std::num::NonZeroU64;

use super::super::tell_notes;
use crate::{
    cli::{error::CommandError, output::Output},
    env::Env,
    history::{self, Keep, Moment, fork},
    workspace::{Guard, Handle, Workspace},
};

/// What becomes of a turn that is not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// It stays behind: nothing can be asked after it.
    Left,
    /// It is gone on with.
    Taken,
}

/// Forks a conversation to ask in the fork, without the lock of the original: somebody else may be
/// writing it. `None` if nothing of it is left.
pub fn fork_to_ask(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    handle: &Handle,
    last: Option<NonZeroU64>,
    unfinished: Unfinished,
) -> Result<Option<Guard>, CommandError> {
    // As it is now: the other one may have gone on meanwhile.
    let source = workspace.select(&handle.id().to_string())?;
    let conversation = workspace.load(&source)?;
    let leaves = unfinished == Unfinished::Left && conversation.progress().is_incomplete();
    let turns = conversation.stream().begun();
    let Some(keep) = keep(turns, last.map(NonZeroU64::get), leaves) else {
        let id = source.id();
        output.say(format_args!("{id} has no complete turn yet: this is a new conversation"));
        return Ok(None);
    };
    let history::Fork { id, mut guard, remarks, .. } =
        fork(workspace, &source, &keep, None, env.now())?;
    output.warn_all(remarks);
    tell_notes(output, &mut guard);
    let without = if leaves { ", without the turn that is not complete" } else { "" };
    output.say(format_args!("Forked {} as {id}{without}", source.id()));
    Ok(Some(guard))
}

/// What a fork keeps of so many turns: all, or as many from the end; the last one may stay behind.
fn keep(turns: u64, last: Option<u64>, leaves_last: bool) -> Option<Keep> {
    if !leaves_last {
        return Some(last.map_or(Keep::All, Keep::Last));
    }
    let left = turns.checked_sub(1).filter(|left| *left > 0)?;
    Some(last.map_or(Keep::First(left), |last| {
        let from = left.saturating_sub(last);
        Keep::Between(Some(Moment::Turn(from)), Some(Moment::Turn(left - 1)))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_that_is_not_complete_stays_behind() {
        let turn = |turn| Some(Moment::Turn(turn));
        assert_eq!(keep(3, None, false), Some(Keep::All));
        assert_eq!(keep(3, Some(2), false), Some(Keep::Last(2)));
        assert_eq!(keep(3, None, true), Some(Keep::First(2)));
        assert_eq!(keep(3, Some(1), true), Some(Keep::Between(turn(1), turn(1))));
        assert_eq!(keep(3, Some(9), true), Some(Keep::Between(turn(0), turn(1))));
        assert_eq!(keep(1, None, true), None);
        assert_eq!(keep(0, None, true), None);
        assert_eq!(keep(0, None, false), Some(Keep::All));
    }
}
