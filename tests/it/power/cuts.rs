//! The power goes at every step of a recording, and what is left is looked at.

use std::{
    collections::HashSet,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{
    disk::{Dice, Disk, Survivor},
    recording::{FileSystem, Recording, Step},
};
use crate::support::{Jp, Output};

/// A recording whose power goes.
pub struct Cuts<'a> {
    pub recording: &'a Recording,
    pub file_system: FileSystem,
    /// How many survivors are looked at.
    pub sample: usize,
}

impl Cuts<'_> {
    /// Looks at what is left, each time in a world of its own, and returns what went wrong. The
    /// check is told what had been printed.
    pub fn check(&self, check: impl Fn(&Jp, &Output) -> Result<(), String> + Sync) -> Vec<String> {
        self.check_until(check, |_| false)
    }

    /// Looks at what is left until something goes wrong as expected; otherwise says what did.
    pub fn catch(
        &self,
        expected: &str,
        check: impl Fn(&Jp, &Output) -> Result<(), String> + Sync,
    ) -> Result<(), Vec<String>> {
        let is_expected = |failure: &str| failure.contains(expected);
        let failures = self.check_until(check, is_expected);
        if failures.iter().any(|failure| is_expected(failure)) { Ok(()) } else { Err(failures) }
    }

    fn check_until(
        &self,
        check: impl Fn(&Jp, &Output) -> Result<(), String> + Sync,
        is_enough: impl Fn(&str) -> bool + Sync,
    ) -> Vec<String> {
        let chosen = self.choose();
        let next = AtomicUsize::new(0);
        let failures = Mutex::new(Vec::new());
        let look = || {
            while let Some(&(cut, survivor)) = chosen.get(next.fetch_add(1, Ordering::SeqCst)) {
                let disk = Disk::cut(self.recording, self.file_system, cut);
                let jp = Jp::new().with_var("JP_SESSION", "one");
                disk.image(survivor).write(&jp.world());
                let (stdout, bytes) = (disk.printed(), disk.printed().into_bytes());
                let told = Output { stdout, bytes, stderr: String::new(), code: 137 };
                let Err(failure) = check(&jp, &told) else { continue };
                if is_enough(&failure) {
                    next.store(chosen.len(), Ordering::SeqCst);
                }
                let (kind, last) = (self.file_system, self.recording.tell(cut));
                let place = format!("{kind:?}, {survivor:?}, {cut} steps up to `{last}`");
                failures.lock().unwrap().push(format!("{place}: {failure}"));
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(look))));
        failures.into_inner().unwrap()
    }

    /// The survivors that are looked at: of those that are equal one, and a sample of these. Those
    /// that have lost everything when something was just told come first.
    fn choose(&self) -> Vec<(usize, Survivor)> {
        let steps = &self.recording.steps;
        let mut seen = HashSet::new();
        let (mut told, mut others) = (Vec::new(), Vec::new());
        for cut in self.recording.certain..=steps.len() {
            let disk = Disk::cut(self.recording, self.file_system, cut);
            let has_told = cut > 0 && matches!(steps[cut - 1], Step::Print(_));
            for survivor in Survivor::all(cut) {
                if seen.insert(disk.fingerprint(survivor)) {
                    let is_first = has_told && survivor == Survivor::NOTHING;
                    if is_first { &mut told } else { &mut others }.push((cut, survivor));
                }
            }
        }
        shuffle(&mut told);
        shuffle(&mut others);
        told.truncate(self.sample / 3);
        told.extend(others);
        told.truncate(self.sample);
        told
    }
}

/// How many are tried: so many, or these if somebody wants everything to be tried.
pub fn few_or(few: usize, all: usize) -> usize {
    let wants_all = std::env::vars().any(|(name, value)| name == "JP_POWER_ALL" && value == "1");
    if wants_all { all } else { few }
}

fn shuffle<T>(items: &mut [T]) {
    let mut dice = Dice(7);
    for at in (1..items.len()).rev() {
        items.swap(at, dice.below(at + 1));
    }
}
