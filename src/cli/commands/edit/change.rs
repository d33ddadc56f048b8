//! An edit by a command: made, or thought through, and told.

use super::{
    super::{DONE, Outcome},
    tale::{Told, faults, report},
};
use crate::{
    cli::{args::ChangeHow, error::CommandError, output::Output},
    edit::{ApplyError, Earnest, apply},
    plan::{Layout, Wish},
    workspace::{Guard, Workspace},
};

/// Makes a conversation what a function wants of its present version, and tells.
pub fn change(
    output: &mut Output,
    workspace: &Workspace,
    guard: &mut Guard,
    verb: &str,
    how: &ChangeHow,
    wish_of: impl Fn(&Layout) -> Result<Wish, CommandError>,
) -> Outcome {
    let earnest = if how.dry_run { Earnest::DryRun } else { Earnest::Commit };
    let applied = apply(workspace, guard, verb, earnest, wish_of).map_err(error)?;
    let told = Told { tally: &applied.tally, remarks: &applied.remarks, stray: &[] };
    report(output, guard, applied.commit, how.dry_run, &told, &how.format)?;
    Ok(DONE)
}

fn error(error: ApplyError<CommandError>) -> CommandError {
    match error {
        ApplyError::Wish(error) => error,
        ApplyError::Checkout(error) => error.into(),
        ApplyError::Faults(found) => faults(&found, "")
            .hint("nothing was changed; what belongs together has to go or move together"),
    }
}
