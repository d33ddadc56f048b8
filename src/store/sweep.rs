//! Many objects read at once, on all cores.
//!
//! Each thread opens the object database for itself: what it remembers belongs to one thread.

use std::{
    num::NonZero,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{Objects, Store};

/// How often a thread comes back for more, about: rarely, because what stands together in a pack is
/// stored as differences from each other, and often enough that all end at the same time.
const ROUNDS: usize = 8;

/// Fewer items than this are not worth a thread.
const FEW: usize = 64;

/// More threads than this wait for each other.
const THREADS: usize = 8;

impl Store {
    /// Does some work for each item, on all cores, and returns what came of it, in the order of
    /// the items. The buffer is for the work to use again.
    pub fn sweep<I: Sync, T: Send>(
        &self,
        items: &[I],
        work: impl Fn(&Objects, &mut Vec<u8>, &I) -> T + Sync,
    ) -> Vec<T> {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get).min(THREADS);
        let helpers = (items.len() / FEW).min(cores - 1);
        let handful = items.len().div_ceil((helpers + 1) * ROUNDS).max(1);
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        let go = |objects: &Objects| {
            let mut buffer = Vec::new();
            loop {
                let start = next.fetch_add(handful, Ordering::Relaxed);
                let Some(rest) = items.get(start..).filter(|rest| !rest.is_empty()) else { break };
                let taken = &rest[..rest.len().min(handful)];
                let mut work = |item| work(objects, &mut buffer, item);
                let found: Vec<T> = taken.iter().map(&mut work).collect();
                done.lock().unwrap_or_else(PoisonError::into_inner).push((start, found));
            }
        };
        let directory = self.path().join("objects");
        std::thread::scope(|scope| {
            for _ in 0..helpers {
                // Whoever cannot open the database leaves the work to the others.
                scope.spawn(|| Objects::open(&directory).map(|objects| go(&objects)));
            }
            go(&self.objects);
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|(start, _)| *start);
        done.into_iter().flat_map(|(_, found)| found).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::WorkspaceId;

    #[test]
    fn what_comes_of_items_is_in_their_order() {
        let directory = tempfile::tempdir().unwrap();
        let id = WorkspaceId::from_random([7; 16]);
        let store = Store::init(&directory.path().join("store"), &id).unwrap();
        for count in [0, 1, ROUNDS, FEW, 10 * FEW + 1] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(store.sweep(&items, |_, _, item| *item), items);
        }
    }
}
