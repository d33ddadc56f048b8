//! A way to stop what another thread is doing.

use std::sync::{Arc, Mutex, PoisonError};

/// A way to stop a query or a tool from another thread; clones stop the same thing.
#[derive(Clone, Default)]
pub struct Cancel {
    shared: Arc<Mutex<Shared>>,
}

type Action = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Shared {
    cancelled: bool,
    actions: Vec<Action>,
}

impl Cancel {
    /// Nothing is cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels, and does what was asked for in this case. Doing it twice changes nothing.
    pub fn cancel(&self) {
        let actions = {
            let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.cancelled = true;
            std::mem::take(&mut shared.actions)
        };
        for action in actions {
            action();
        }
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).cancelled
    }

    /// Does something when it is cancelled, at once if it has been already: ends a blocked read,
    /// kills a child.
    pub fn on_cancel(&self, action: impl FnOnce() + Send + 'static) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if !shared.cancelled {
            shared.actions.push(Box::new(action));
            return;
        }
        drop(shared);
        action();
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
}
