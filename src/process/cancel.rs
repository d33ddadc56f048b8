//! A request to stop, heard by whoever is at work.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A request to stop: made once, from any thread, and never taken back.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    cancelled: bool,
    next: u64,
    listeners: BTreeMap<u64, Act>,
}

type Act = Box<dyn FnOnce() + Send>;

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("cancelled", &self.cancelled).finish_non_exhaustive()
    }
}

/// Somebody who is told about a [`Cancel`] for as long as this lives.
#[must_use = "nobody listens once this is dropped"]
#[derive(Debug)]
pub struct Listener {
    cancel: Cancel,
    number: u64,
}

impl Cancel {
    /// Nothing has been cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everybody to stop, and returns without waiting for it.
    pub fn cancel(&self) {
        let listeners = {
            let mut state = self.state();
            state.cancelled = true;
            std::mem::take(&mut state.listeners)
        };
        for act in listeners.into_values() {
            act();
        }
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.state().cancelled
    }

    /// Does something when it is asked to stop, on the thread that asks; at once if it was already.
    pub fn on_cancel(&self, act: impl FnOnce() + Send + 'static) -> Listener {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        if state.cancelled {
            drop(state);
            act();
        } else {
            state.listeners.insert(number, Box::new(act));
        }
        Listener { cancel: self.clone(), number }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that panics runs under the lock, and a flag is never half set.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let act = self.cancel.state().listeners.remove(&self.number);
        drop(act);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn everybody_who_still_listens_is_told_once() {
        let cancel = Cancel::new();
        let (sender, told) = mpsc::channel();
        let listen = |name: &'static str| {
            let sender = sender.clone();
            cancel.on_cancel(move || sender.send(name).unwrap())
        };
        let _one = listen("one");
        drop(listen("gone"));
        assert!(!cancel.is_cancelled());
        cancel.clone().cancel();
        cancel.cancel();
        assert!(cancel.is_cancelled());
        let _late = listen("late");
        assert_eq!(told.try_iter().collect::<Vec<_>>(), ["one", "late"]);
    }
}
