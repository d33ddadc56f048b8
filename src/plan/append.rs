//! Adding events at the end.

use super::{Change, Outline, TreePath, seal};
use crate::{
    format::{FileName, limits},
    model::{Address, Event, EventKind, Refusal},
};

/// An event and the bytes of its file, ready to be added.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What the bytes say.
    pub event: Event,
    /// The file as it will be stored.
    pub bytes: Vec<u8>,
}

/// One event added: one commit.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The name of the event.
    pub name: FileName,
    /// The turn that it belongs to.
    pub turn: u64,
    /// The change set.
    pub changes: Vec<Change>,
}

impl Step {
    /// The address of the event.
    pub fn address(&self) -> Address {
        self.name.address()
    }
}

/// Why an event cannot be added.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// It cannot stand at the end.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Nobody could load it any more.
    #[error("the conversation would be larger than {} bytes", limits::CONVERSATION)]
    TooLarge,
    /// There are no numbers left.
    #[error("the conversation has used up its {} addresses", Address::MAX)]
    Full,
}

/// Adds an event to an outline, and tells what that changes in the tree.
pub fn append(outline: &mut Outline, draft: Draft) -> Result<Step, AppendError> {
    let Draft { event, bytes } = draft;
    outline.progress.admit(&event)?;
    let total = outline.bytes.saturating_add(bytes.len() as u64);
    if total > limits::CONVERSATION {
        return Err(AppendError::TooLarge);
    }
    let address = outline.next.ok_or(AppendError::Full)?;
    let name = FileName::new(address, &event, tool_of(outline, &event).as_deref());
    let begins_turn = outline.progress.begins_turn(&event);

    outline.progress.push(&event);
    let turn = outline.progress.current_turn().expect("an event belongs to a turn");
    outline.manifest.push(name.clone(), begins_turn.then_some(turn));
    outline.next = address.next();
    outline.events = outline.events.saturating_add(1);
    outline.bytes = total;

    let mut changes = vec![Change::Put(TreePath::event(&name), bytes)];
    changes.extend(seal(&mut outline.manifest, &mut outline.runs));
    changes.push(Change::Put(TreePath::manifest(), outline.manifest.to_bytes()));
    Ok(Step { name, turn, changes })
}

/// Keeps an event that has no place in the stream: as a file of its own number, listed nowhere.
pub fn set_aside(outline: &mut Outline, draft: Draft) -> Result<Step, AppendError> {
    let Draft { event, bytes } = draft;
    let address = outline.next.ok_or(AppendError::Full)?;
    let name = FileName::new(address, &event, None);
    outline.next = address.next();
    let turn = outline.progress.current_turn().unwrap_or(0);
    let changes = vec![Change::Put(TreePath::event(&name), bytes)];
    Ok(Step { name, turn, changes })
}

/// The tool of a result that does not name it.
fn tool_of(outline: &Outline, event: &Event) -> Option<String> {
    let EventKind::ToolResult(result) = &event.kind else {
        return None;
    };
    let call = outline.progress.pending_calls().iter().find(|call| call.id == result.id);
    call.map(|call| call.tool.to_string())
}
