//! What is done to the queue of a conversation by the query that is at it.

use crate::{
    format::encode,
    model::{Address, Event},
    plan::{Draft, QueueError},
    turn::{Filed, FollowUp, Waiting},
    workspace::{Guard, Operation, QueuedFile, Workspace, WriteFailure},
};

/// Changes the queue, as a part of the operation that the turn is; what was done is on disk.
pub fn queue(
    workspace: &Workspace,
    guard: &mut Guard,
    operation: &mut Operation,
    follow_up: &FollowUp,
) -> Result<Filed, String> {
    match follow_up {
        FollowUp::Ask(request) => {
            let name = workspace.enqueue_in(guard, operation, &draft(request)?);
            Ok(Filed::Queued(name.map_err(|error| error.to_string())?.address().number()))
        }
        FollowUp::Drop(waiting) => {
            let file = find(workspace, guard, waiting)?;
            workspace.unqueue_in(guard, operation, &file).map_err(|error| told(waiting, &error))?;
            Ok(Filed::Dropped(waiting.number))
        }
        FollowUp::Change(waiting, request) => {
            let (file, draft) = (find(workspace, guard, waiting)?, draft(request)?);
            let changed = workspace.requeue_in(guard, operation, &file, &draft);
            changed.map_err(|error| told(waiting, &error))?;
            Ok(Filed::Changed(waiting.number))
        }
    }
}

fn draft(request: &Event) -> Result<Draft, String> {
    let bytes = encode(request).map_err(|error| error.to_string())?;
    Ok(Draft { event: request.clone(), bytes })
}

/// The file that waits under a number; whether it says what somebody has read is checked with the
/// change itself.
fn find(workspace: &Workspace, guard: &Guard, waiting: &Waiting) -> Result<QueuedFile, String> {
    let Ok(blob) = waiting.blob.parse() else {
        return Err(format!("`{}` is not the id of a file", waiting.blob));
    };
    let address = Address::new(waiting.number).ok_or_else(|| absent(waiting))?;
    let file = workspace.queued_at(guard, address).map_err(|error| error.to_string())?;
    let name = file.ok_or_else(|| absent(waiting))?.name;
    Ok(QueuedFile { name, blob })
}

fn told(waiting: &Waiting, error: &WriteFailure) -> String {
    match error {
        WriteFailure::Queue { source: QueueError::Absent(_), .. } => absent(waiting),
        error => error.to_string(),
    }
}

/// By now it was asked, or somebody else was faster.
fn absent(waiting: &Waiting) -> String {
    format!("`{}` is not queued any more: it was asked or taken out", waiting.number)
}
