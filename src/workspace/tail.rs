//! The end of a conversation, for who wants to know what was said last and does not want to wait
//! for all of it.

use super::{Handle, LoadError, Workspace, load::decode_one};
use crate::{
    format::Flaw,
    model::{Event, EventKind, EventType},
    store::{Problem, ProblemKind, Snapshot},
};

/// How many events are looked at in search of the first request.
const OPENING: usize = 32;

/// A conversation that is read from its last event on.
///
/// Files whose names say that they hold results and attachments are passed over: they are large,
/// and nobody said them.
pub struct Tail<'a> {
    workspace: &'a Workspace,
    snapshot: Snapshot,
    /// How many events have not been read.
    left: usize,
}

impl Workspace {
    /// Begins to read a conversation from its end.
    pub fn tail(&self, handle: &Handle) -> Result<Tail<'_>, LoadError> {
        let snapshot = self.snapshot(handle.id(), handle.commit())?;
        if snapshot.is_foreign() {
            let problems = snapshot.problems;
            return Err(LoadError::Foreign { id: handle.id(), problems });
        }
        Ok(Tail { workspace: self, left: snapshot.order.len(), snapshot })
    }
}

impl Tail<'_> {
    /// The first request, wherever the reading is.
    pub fn opening(&self) -> Option<Event> {
        let first = (0..self.snapshot.order.len().min(OPENING)).filter(|at| !self.is_aside(*at));
        let mut events = first.filter_map(|at| self.read(at).ok()?);
        events.find(|event| matches!(event.kind, EventKind::Request(_)))
    }

    fn is_aside(&self, at: usize) -> bool {
        let hint = self.snapshot.order[at].name.hinted_type();
        matches!(hint, Some(EventType::ToolResult | EventType::Attachment | EventType::ToolStart))
    }

    /// The event at a place; `None` for a file that is missing.
    fn read(&self, at: usize) -> Result<Option<Event>, Problem> {
        let (located, commit) = (&self.snapshot.order[at], &self.snapshot.commit);
        let mut bytes = 0;
        let objects = self.workspace.store.objects();
        let read = decode_one(objects, located, commit.committed, &mut bytes);
        read.map_err(|flaws| {
            let flaw = flaws.into_iter().next().unwrap_or_else(|| Flaw::new("it does not read"));
            Problem { path: located.path(), flaw, kind: ProblemKind::Damage }
        })
    }
}

/// The events, the last one first, and what is wrong with those that cannot be read.
impl Iterator for Tail<'_> {
    type Item = Result<Event, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(at) = self.left.checked_sub(1) {
            self.left = at;
            if self.is_aside(at) {
                continue;
            }
            if let Some(read) = self.read(at).transpose() {
                return Some(read);
            }
        }
        None
    }
}
