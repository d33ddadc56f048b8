//! Discarding a turn that is not complete: one commit, which undo takes back.

use crate::{
    cli::{commands::tell_notes, error::CommandError, output::Output},
    model::counted,
    workspace::{Guard, Retracted, Workspace},
};

/// Takes the last turn out of a conversation, and tells how to bring it back.
pub fn discard(
    output: &mut Output,
    workspace: &Workspace,
    guard: &mut Guard,
) -> Result<(), CommandError> {
    let Retracted { addresses, remarks, .. } = workspace.discard_turn(guard)?;
    tell_notes(output, guard);
    if addresses.is_empty() {
        return Ok(());
    }
    output.warn_all(remarks);
    let (id, events) = (guard.id(), counted(addresses.len() as u64, "event"));
    output.done(format_args!("discarded the incomplete turn of {id}"));
    output.say(format_args!("Discarded the incomplete turn of {id} ({events})"));
    output.hint(format_args!("`jp conversation undo {id}` brings it back"));
    Ok(())
}
