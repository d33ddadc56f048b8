//! `jp conversation edit ID ADDRESS`: one event in the editor.

use super::{
    super::{DONE, Outcome},
    tale::{Told, report},
};
use crate::{
    cli::{args::EditHow, error::CommandError, output::Output},
    edit::{ApplyError, Earnest, EventSheet, apply},
    env::Env,
    model::Address,
    plan::{Fault, Layout, Tally, Wish},
    ui::lend_terminal,
    workspace::{Guard, LoadError, Workspace},
};

/// Lets the user edit one event, and commits what comes of it.
pub fn run(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    guard: &mut Guard,
    address: Address,
    how: &EditHow,
) -> Outcome {
    let id = guard.id();
    let snapshot = workspace.snapshot(id, guard.commit())?;
    let located = snapshot.order.iter().find(|located| located.name.address() == address);
    if located.is_none() {
        return Err(LoadError::NoEvent { id, address }.into());
    }
    let found = workspace.file_at(guard, address)?;
    let bytes = workspace.read_blob(id, &found.blob)?;
    let sheet = EventSheet::create(env, &workspace.state_dir()?, &found.name, &bytes);
    let mut sheet = sheet.map_err(CommandError::failure)?;
    loop {
        let written = sheet.edit(env, lend_terminal).map_err(CommandError::failure)?;
        let kept = format!("what you wrote is in `{}`", sheet.path().display());
        let earnest = if how.change.dry_run { Earnest::DryRun } else { Earnest::Commit };
        let position = |layout: &Layout| {
            let at = layout.stream.iter().position(|listed| listed.name == found.name);
            let at = at.ok_or(LoadError::NoEvent { id, address })?;
            // Something else than jp may have changed it meanwhile.
            match sheet.is_of(layout.stream[at].event.as_ref(), env.now()) {
                true => Ok(at),
                false => Err(CommandError::failure(format!(
                    "{} was changed in the conversation meanwhile",
                    found.name
                ))),
            }
        };
        let applied = match sheet.read(&written, env.now()) {
            Err(faults) => Err(ApplyError::<CommandError>::Faults(faults)),
            Ok(None) => {
                sheet.discard().map_err(CommandError::failure)?;
                let told = Told { tally: &Tally::default(), remarks: &[], stray: &[] };
                report(output, guard, None, how.change.dry_run, &told, &how.change.format)?;
                return Ok(DONE);
            }
            Ok(Some(draft)) => apply(workspace, guard, "edit", earnest, |layout| {
                let mut wish = Wish::unchanged(layout);
                wish.edited.insert(position(layout)?, draft.clone());
                Ok(wish)
            }),
        };
        let faults: Vec<Fault> = match applied {
            Ok(applied) => {
                match how.change.dry_run {
                    true => output.hint(kept),
                    false => sheet.discard().map_err(CommandError::failure)?,
                }
                let (tally, remarks) = (&applied.tally, &applied.remarks);
                let told = Told { tally, remarks, stray: &[] };
                report(
                    output,
                    guard,
                    applied.commit,
                    how.change.dry_run,
                    &told,
                    &how.change.format,
                )?;
                return Ok(DONE);
            }
            Err(ApplyError::Wish(error)) => return Err(error.hint(kept)),
            Err(ApplyError::Checkout(error)) => return Err(CommandError::from(error).hint(kept)),
            Err(ApplyError::Faults(faults)) => faults,
        };
        // An editor that leaves the errors where they are would be opened for ever.
        let annotated = sheet.annotate(&written, &faults).map_err(CommandError::failure);
        if !annotated.map_err(|error| error.hint(&kept))? {
            return Err(super::faults(&faults, "").hint(kept));
        }
    }
}
