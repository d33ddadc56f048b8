//! Which conversations somebody is at: a process that serves one, or a query that holds its lock.

use std::{collections::BTreeMap, path::PathBuf};

use super::{ProcessEntry, Workspace};
use crate::{model::ConversationId, store::Holder};

/// What a query writes down as what it does.
pub const QUERY: &str = "query";

/// Somebody who is at a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// The process.
    pub pid: u32,
    /// Where it listens, if it serves the conversation.
    pub socket: Option<PathBuf>,
}

impl Running {
    fn of_entry(entry: ProcessEntry) -> Self {
        Self { pid: entry.process.pid, socket: Some(entry.socket) }
    }

    /// Who edits, or moves a conversation, is not at it in this sense.
    fn of_holder(holder: &Holder) -> Option<Self> {
        let is_query = holder.doing.as_deref() == Some(QUERY);
        is_query.then_some(Self { pid: holder.pid, socket: None })
    }
}

impl Workspace {
    /// Who is at a conversation.
    pub fn running(&self, id: ConversationId) -> Option<Running> {
        let served = self.process_of(id).map(Running::of_entry);
        served.or_else(|| Running::of_holder(&self.store.holder(id)?))
    }

    /// Who is at which conversation.
    pub fn all_running(&self) -> BTreeMap<ConversationId, Running> {
        let holders = self.store.holders();
        let holders =
            holders.iter().filter_map(|(id, holder)| Some((*id, Running::of_holder(holder)?)));
        let mut all: BTreeMap<_, _> = holders.collect();
        let served = self.processes().into_iter();
        all.extend(served.map(|entry| (entry.conversation, Running::of_entry(entry))));
        all
    }
}
