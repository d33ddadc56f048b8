//! When each conversation was last turned to by this user, in whatever terminal.
//!
//! It stays on this machine: nothing in a conversation changes because somebody looked at it. One
//! that is not in the register counts by the time of its last commit.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use serde_json::{Value, json};

use super::{
    activations::{Activations, HISTORY},
    file::read_bytes,
};
use crate::{
    fsutil,
    model::{ConversationId, Timestamp},
    store::{Commit, RefError},
    workspace::{Handle, SessionError, Workspace, WorkspaceError},
};

/// How many conversations are remembered. Those before count by the time of their last commit.
const REMEMBERED: usize = 1000;

const FILE: &str = "activated.json";

impl Workspace {
    fn register_path(&self) -> Result<PathBuf, WorkspaceError> {
        Ok(self.state_dir()?.join(FILE))
    }

    /// What is registered. A register that cannot be read is as good as none: it is written anew.
    fn registered(&self) -> Activations {
        let read = || {
            let bytes = read_bytes(&self.register_path().ok()?).ok()??;
            let file: Value = serde_json::from_slice(&bytes).ok()?;
            Activations::decode(file.get(HISTORY)?)
        };
        read().unwrap_or_default()
    }

    /// Registers that somebody turned to a conversation; whoever does it has locked the sessions.
    pub(super) fn register_activation(&self, id: ConversationId) -> Result<(), SessionError> {
        let mut register = self.registered();
        register.activate(id, self.env.now(), REMEMBERED);
        let text = format!("{}\n", json!({ HISTORY: register.encode() }));
        Ok(fsutil::write_private(&self.register_path()?, text.as_bytes())?)
    }

    /// When this user last turned to conversations, of which that is known.
    pub fn activations(&self) -> BTreeMap<ConversationId, Timestamp> {
        let register = self.registered();
        register.all().iter().map(|known| (known.id, known.activated_at)).collect()
    }

    /// The active conversation that this user turned to last; `None` if there is none.
    pub fn last_activated(&self) -> Result<Option<Handle>, RefError> {
        let known = self.activations();
        // The order of the register counts, not its times: a clock may have been wrong.
        let there: BTreeSet<_> = self.ids()?.into_iter().map(|(id, _)| id).collect();
        let register = self.registered();
        let last = register.all().iter().find(|known| there.contains(&known.id));
        let now = self.env.now().instant();
        let mut buffer = Vec::new();
        self.newest(|id, commit| match known.contains_key(&id) {
            true => last.filter(|last| last.id == id).map(|last| {
                let is_registered = true;
                (last.activated_at.instant().min(now), is_registered)
            }),
            false => {
                let read = Commit::read(self.store.objects(), commit, &mut buffer);
                read.ok().map(|read| (read.committed.instant().min(now), false))
            }
        })
    }
}
