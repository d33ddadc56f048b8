//! Taking the lock of a conversation: at once, or when it becomes free.
//!
//! The kernel gives the lock back when its holder ends, however it ends. So there is nothing to
//! break here, and nothing is decided from what the holder wrote: whoever waits tries again.

use std::{
    ops::Deref,
    time::{Duration, Instant},
};

use super::{Handle, LoadError, Session, Workspace, WriteFailure};
use crate::{
    model::ConversationId,
    store::{Holder, Lock, LockError, Space},
};

/// Proof that nobody else has a conversation, wherever it is kept: enough to move it.
#[must_use = "the conversation is locked until this is dropped"]
#[derive(Debug)]
pub struct Hold {
    pub(super) handle: Handle,
    pub(super) lock: Lock,
}

impl Deref for Hold {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.handle
    }
}

/// A lock that somebody else has had for a while.
#[derive(Clone, Copy, Debug)]
pub struct Waiting<'a> {
    /// Who has it, as the file says.
    pub holder: Option<&'a Holder>,
    /// How long it has been waited for.
    pub waited: Duration,
    /// How long to do something else before the next look.
    pub pause: Duration,
}

/// How waiting for a lock ended.
#[derive(Debug)]
pub enum Waited<S> {
    /// The lock is taken.
    Held(Hold),
    /// Whoever waited wants something else.
    Stopped(S),
}

/// What to do before the next look at a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meanwhile<S> {
    /// Look again: the pause is over.
    LookAgain,
    /// Wait no longer.
    Stop(S),
}

/// The first pause, and the longest: a short wait costs little time, a long one little work.
const SHORTEST: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_millis(250);

/// How long to pause after so many looks at a lock, or `None` if the patience is over. The last
/// look is taken when it ends.
fn pause(looks: u32, waited: Duration, patience: Duration) -> Option<Duration> {
    let left = patience.checked_sub(waited).filter(|left| !left.is_zero())?;
    let pause = SHORTEST.saturating_mul(2_u32.saturating_pow(looks)).min(LONGEST);
    Some(pause.min(left))
}

/// How much of a session others are told: its name may be as long as anybody likes.
const MOST_OF_A_SESSION: usize = 100;

impl Workspace {
    /// Takes the lock of a conversation wherever it is kept, or says at once who has it.
    pub fn hold(&self, handle: &Handle) -> Result<Hold, WriteFailure> {
        let lock = self.lock_of(handle.id())?;
        // Whoever had the lock before may have moved it.
        Ok(Hold { handle: self.present(handle)?, lock })
    }

    /// Takes the lock of a conversation wherever it is kept, as soon as it is free. Between two
    /// looks the caller spends the pause, and may want to stop. When the patience is over, this
    /// says who has it.
    pub fn hold_within<S>(
        &self,
        handle: &Handle,
        patience: Duration,
        mut meanwhile: impl FnMut(Waiting<'_>) -> Meanwhile<S>,
    ) -> Result<Waited<S>, WriteFailure> {
        let begun = Instant::now();
        let mut looks = 0;
        loop {
            let holder = match self.hold(handle) {
                Ok(hold) => return Ok(Waited::Held(hold)),
                Err(WriteFailure::Locked { holder, .. }) => holder,
                Err(error) => return Err(error),
            };
            let waited = begun.elapsed();
            let Some(pause) = pause(looks, waited, patience) else {
                let id = handle.id();
                return Err(WriteFailure::Locked { id, holder, waited: patience });
            };
            let waiting = Waiting { holder: holder.as_deref(), waited, pause };
            if let Meanwhile::Stop(stop) = meanwhile(waiting) {
                return Ok(Waited::Stopped(stop));
            }
            looks += 1;
        }
    }

    fn lock_of(&self, id: ConversationId) -> Result<Lock, WriteFailure> {
        self.store.lock(id, &self.holder()).map_err(|source| match source {
            LockError::Held { holder, .. } => {
                WriteFailure::Locked { id, holder: holder.map(Box::new), waited: Duration::ZERO }
            }
            source => WriteFailure::Lock(source),
        })
    }

    /// Who we are, for whoever finds a conversation locked.
    pub(super) fn holder(&self) -> Holder {
        let session = Session::of(&self.env).map(|session| session.to_string());
        let session = session.map(|session| session.chars().take(MOST_OF_A_SESSION).collect());
        let acquired_at = self.env.now().to_string();
        let doing = self.doing.map(str::to_owned);
        Holder { pid: std::process::id(), session, acquired_at, doing }
    }

    /// The same conversation as it is now, wherever that is.
    fn present(&self, handle: &Handle) -> Result<Handle, WriteFailure> {
        let id = handle.id();
        for space in [handle.space(), Space::Heads, Space::Archive, Space::Trash] {
            if let Some(commit) = self.store.tip(space, id)? {
                return Ok(Handle::new(id, space, commit));
            }
        }
        Err(LoadError::Gone(id).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{env::Env, model::Meta, model::Timestamp};

    #[test]
    fn pauses_grow_and_the_last_one_ends_with_the_patience() {
        let millis = Duration::from_millis;
        let forever = Duration::MAX;
        let pauses: Vec<_> = (0..8).filter_map(|looks| pause(looks, millis(0), forever)).collect();
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 250, 250].map(millis));
        assert_eq!(pause(u32::MAX, millis(0), forever), Some(millis(250)));
        assert_eq!(pause(9, millis(900), millis(1000)), Some(millis(100)));
        assert_eq!(pause(9, millis(1000), millis(1000)), None);
        assert_eq!(pause(9, millis(2000), millis(1000)), None);
        assert_eq!(pause(0, millis(0), millis(0)), None);
    }

    fn workspace(directory: &tempfile::TempDir) -> (Workspace, Handle) {
        let home = directory.path().join("home").into_os_string();
        let vars = [("HOME".into(), home), ("JP_SESSION".into(), "one".into())];
        let now = Timestamp::from_seconds(1_790_000_000);
        let env = Env::fixed(vars, directory.path().to_owned(), now);
        let workspace = Workspace::open_or_create(&env).unwrap().doing("query");
        let (guard, _) = workspace.create(&Meta::default(), &[]).unwrap();
        let handle = guard.clone();
        (workspace, handle)
    }

    #[test]
    fn a_lock_is_taken_when_its_holder_lets_go() {
        let directory = tempfile::tempdir().unwrap();
        let (workspace, handle) = workspace(&directory);
        let mut holder = Some(workspace.lock(handle.clone()).unwrap());
        let mut seen = Vec::new();
        let waited = workspace.hold_within(&handle, Duration::MAX, |waiting| {
            let who = waiting.holder.unwrap();
            assert_eq!(
                (who.session.as_deref(), who.doing.as_deref()),
                (Some("one"), Some("query"))
            );
            seen.push(waiting.pause);
            if seen.len() == 3 {
                holder.take();
            }
            Meanwhile::<()>::LookAgain
        });
        let Waited::Held(hold) = waited.unwrap() else { panic!("nobody stopped it") };
        assert_eq!(seen, [5, 10, 20].map(Duration::from_millis));
        drop(workspace.guard(hold).unwrap());
    }

    #[test]
    fn whoever_waits_can_stop_and_patience_ends() {
        let directory = tempfile::tempdir().unwrap();
        let (workspace, handle) = workspace(&directory);
        let _holder = workspace.lock(handle.clone()).unwrap();
        let patience = Duration::from_secs(3600);
        let stopped = workspace.hold_within(&handle, patience, |_| Meanwhile::Stop("enough"));
        assert!(matches!(stopped, Ok(Waited::Stopped("enough"))));
        let mut looks = 0;
        let patience = Duration::from_millis(1);
        let late = workspace.hold_within(&handle, patience, |_| {
            looks += 1;
            Meanwhile::<()>::LookAgain
        });
        let Err(WriteFailure::Locked { holder, waited, .. }) = late else { panic!("{late:?}") };
        assert_eq!((holder.unwrap().pid, waited), (std::process::id(), patience));
        let at_once = workspace.hold_within(&handle, Duration::ZERO, |_| {
            looks = usize::MAX;
            Meanwhile::<()>::LookAgain
        });
        assert!(matches!(at_once, Err(WriteFailure::Locked { .. })));
        assert_ne!(looks, usize::MAX, "nobody waits without patience");
    }

    #[test]
    fn what_was_put_away_while_somebody_waited_is_found_where_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let (workspace, handle) = workspace(&directory);
        workspace.shelve(workspace.hold(&handle).unwrap(), Space::Archive).unwrap();
        assert_eq!(workspace.hold(&handle).unwrap().space(), Space::Archive);
        let refused = workspace.lock(handle).unwrap_err();
        assert!(matches!(refused, WriteFailure::PutAway { space: Space::Archive, .. }));
    }
}
