//! Forgetting sessions that are over, a few at a time.

use super::{
    Mapping, Source,
    file::{Found, read},
    key::is_file_name,
};
use crate::{
    env::Life,
    model::{ConversationId, Timestamp},
    store::{Handful, Share},
    workspace::{Workspace, tidy::is_abandoned},
};

/// How many conversations are looked up each time.
const LOOKUPS: usize = 128;
/// How long a session whose leader cannot be seen from here is remembered, in seconds.
const UNSEEN: i64 = 30 * 24 * 60 * 60;

impl Workspace {
    /// Removes the mapping files of some sessions that are over, and says of how many. What cannot
    /// be read or removed is left to be found by whoever needs it.
    pub(in crate::workspace) fn clear_stale_sessions(&self, share: Share, random: usize) -> usize {
        let Ok(sessions) = self.sessions() else { return 0 };
        let lock = sessions.try_lock();
        if !lock.is_held() {
            return 0;
        }
        let now = self.env.now();
        let mut lookups = 0;
        let mut exists = |id: ConversationId| {
            lookups += 1;
            // What was not looked up may be there.
            lookups > LOOKUPS || self.store.knows(id).unwrap_or(true)
        };
        let stale = Handful::of(&sessions.0, share, random).filter(|path| {
            if is_abandoned(path, now) {
                return true;
            }
            let name = path.file_name().and_then(|name| name.to_str());
            if !name.is_some_and(is_file_name) {
                return false;
            }
            match read(path) {
                Found::Mapping(mapping) => is_over(&mapping, now, &mut exists),
                Found::Nothing | Found::Damaged(_) => false,
            }
        });
        stale.filter(|path| std::fs::remove_file(path).is_ok()).count()
    }
}

/// Whether nobody can come back to a session: its leader is dead, or nothing of what it was about
/// is there. One whose leader cannot be seen from here, as on another machine with the same home,
/// is over after a month too.
fn is_over(
    mapping: &Mapping,
    now: Timestamp,
    exists: &mut impl FnMut(ConversationId) -> bool,
) -> bool {
    let mut nothing_is_left = || !mapping.history().iter().any(|activation| exists(activation.id));
    match mapping.source() {
        Source::Variable(_) => nothing_is_left(),
        Source::Leader(leader) => match leader.life() {
            Life::Alive => false,
            Life::Dead => true,
            Life::Unknown => {
                let newest = mapping.history().first().map(|newest| newest.activated_at);
                newest.is_none_or(|newest| now.seconds() - newest.seconds() > UNSEEN)
                    || nothing_is_left()
            }
        },
    }
}
