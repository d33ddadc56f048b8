//! The conversation as it was: a moment, found in its history.

use jiff::Timestamp;

use super::{
    moment::Moment,
    operation::operations,
    tally::Progresses,
    walk::{records, walk},
};
use crate::{
    model::{Address, ConversationId, counted},
    store::ObjectId,
    workspace::{Handle, LoadError, Workspace},
};

/// Why a conversation has no such version.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum AtError {
    #[error("conversation {id} has no commit that begins with `{given}`")]
    NoCommit { id: ConversationId, given: String },
    #[error("`{given}` begins several commits of conversation {id}: {}", list(found))]
    Ambiguous { id: ConversationId, given: String, found: Vec<ObjectId> },
    #[error("conversation {id} never had a turn {turn}: {}", turns(*begun))]
    NoTurn { id: ConversationId, turn: u64, begun: u64 },
    #[error("conversation {id} goes back {}, no further", counted(*found, "operation"))]
    TooFarBack { id: ConversationId, found: u64 },
    #[error("conversation {id} did not exist at {time}")]
    TooEarly { id: ConversationId, time: Timestamp },
    #[error("an event is not a version of conversation {id}: `{address}`")]
    Event { id: ConversationId, address: Address },
    #[error(transparent)]
    Load(#[from] LoadError),
}

fn list(ids: &[ObjectId]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

pub(super) fn turns(begun: u64) -> String {
    match begun {
        0 => "no turn has begun".to_owned(),
        1 => "there is only turn 0".to_owned(),
        count => format!("there are turns 0 to {}", count - 1),
    }
}

/// The version of a conversation at a moment.
pub fn resolve(workspace: &Workspace, handle: &Handle, moment: &Moment) -> Result<Handle, AtError> {
    let id = handle.id();
    match moment {
        Moment::Commit(given) => commit(workspace, handle, given),
        Moment::Turn(turn) => end_of_turn(workspace, handle, *turn),
        Moment::Operations(count) => operations_ago(workspace, handle, *count),
        Moment::Time(time) => {
            for record in walk(workspace, handle) {
                let record = record?;
                // Commits count whole seconds.
                if record.committed.seconds() <= time.as_second() {
                    return Ok(handle.at(record.id));
                }
            }
            Err(AtError::TooEarly { id, time: *time })
        }
        Moment::Event(address) => Err(AtError::Event { id, address: *address }),
    }
}

/// The version from before the last so many operations.
fn operations_ago(workspace: &Workspace, handle: &Handle, count: u64) -> Result<Handle, AtError> {
    let mut found = 0;
    let mut version = Some(handle.commit());
    let mut operations = operations(workspace, handle);
    while found < count {
        let Some(operation) = operations.next().transpose()? else { break };
        version = operation.before();
        found += 1;
    }
    match version.filter(|_| found == count) {
        Some(commit) => Ok(handle.at(commit)),
        None => Err(AtError::TooFarBack { id: handle.id(), found }),
    }
}

fn commit(workspace: &Workspace, handle: &Handle, given: &str) -> Result<Handle, AtError> {
    let mut found = Vec::new();
    for record in records(workspace, handle) {
        let commit = record?.id;
        if commit.to_string().starts_with(given) {
            found.push(commit);
        }
    }
    let (id, given) = (handle.id(), given.to_owned());
    match found[..] {
        [] => Err(AtError::NoCommit { id, given }),
        [commit] => Ok(handle.at(commit)),
        _ => Err(AtError::Ambiguous { id, given, found }),
    }
}

/// The newest version in which a turn is the last one.
fn end_of_turn(workspace: &Workspace, handle: &Handle, turn: u64) -> Result<Handle, AtError> {
    let mut most = 0;
    let mut with_more = None;
    let mut progresses = Progresses::default();
    for record in walk(workspace, handle) {
        let record = record?;
        let version = handle.at(record.id);
        let progress = progresses.of(workspace, &version, &record);
        let begun = progress.turns();
        match (begun == turn.saturating_add(1), &with_more) {
            (true, _) if progress.current_turn() == Some(turn) => return Ok(version),
            // It holds what waits for the next turn as well: perhaps one before it does not.
            (true, None) => with_more = Some(version),
            (true, Some(_)) => {}
            (false, Some(version)) => return Ok(version.clone()),
            (false, None) => most = most.max(begun),
        }
    }
    if let Some(version) = with_more {
        return Ok(version);
    }
    Err(AtError::NoTurn { id: handle.id(), turn, begun: most })
}
