//! A way to stop what another thread is doing.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A way to stop a query or a tool from another thread; clones stop the same thing.
#[derive(Clone, Default)]
pub struct Cancel {
    shared: Arc<Mutex<Shared>>,
}

type Action = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Shared {
    cancelled: bool,
    next: u64,
    actions: BTreeMap<u64, Action>,
}

/// Something that is done when a [`Cancel`] is cancelled, for as long as this lives.
#[must_use = "nothing is done any more once this is dropped"]
pub struct Listener {
    cancel: Cancel,
    number: Option<u64>,
}

impl Cancel {
    /// Nothing is cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels, and does what was asked for in this case. Doing it twice changes nothing.
    pub fn cancel(&self) {
        let actions = {
            let mut shared = self.shared();
            shared.cancelled = true;
            std::mem::take(&mut shared.actions)
        };
        for action in actions.into_values() {
            action();
        }
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.shared().cancelled
    }

    /// Does something when it is cancelled, at once if it has been already: ends a blocked read,
    /// kills a child.
    pub fn on_cancel(&self, action: impl FnOnce() + Send + 'static) {
        self.register(Box::new(action));
    }

    /// Does something when it is cancelled, as [`Cancel::on_cancel`] does, until the listener is
    /// dropped.
    pub fn listen(&self, action: impl FnOnce() + Send + 'static) -> Listener {
        let number = self.register(Box::new(action));
        Listener { cancel: self.clone(), number }
    }

    fn register(&self, action: Action) -> Option<u64> {
        let mut shared = self.shared();
        if shared.cancelled {
            drop(shared);
            action();
            return None;
        }
        let number = shared.next;
        shared.next += 1;
        shared.actions.insert(number, action);
        Some(number)
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        // Nothing that panics runs under the lock, and a flag is never half set.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let action = self.number.and_then(|number| self.cancel.shared().actions.remove(&number));
        // What the action owns is dropped after the lock was given back.
        drop(action);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn an_action_is_done_once_whether_it_came_before_or_after() {
        let count = Arc::new(AtomicU32::new(0));
        let action = || {
            let count = count.clone();
            move || {
                count.fetch_add(1, Ordering::SeqCst);
            }
        };
        let cancel = Cancel::new();
        cancel.on_cancel(action());
        assert_eq!((cancel.is_cancelled(), count.load(Ordering::SeqCst)), (false, 0));
        cancel.clone().cancel();
        cancel.cancel();
        assert_eq!((cancel.is_cancelled(), count.load(Ordering::SeqCst)), (true, 1));
        cancel.on_cancel(action());
        assert_eq!(count.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn nobody_is_told_who_does_not_listen_any_more() {
        let (sender, told) = std::sync::mpsc::channel();
        let cancel = Cancel::new();
        let listen = |name: &'static str| {
            let sender = sender.clone();
            cancel.listen(move || sender.send(name).unwrap())
        };
        let _one = listen("one");
        drop(listen("gone"));
        cancel.cancel();
        let _late = listen("late");
        assert_eq!(told.try_iter().collect::<Vec<_>>(), ["one", "late"]);
    }
}
