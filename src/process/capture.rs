//! One output of a program: the beginning in memory, all of it in a file if it is long.

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
};

use super::{Captured, Spawn};
use crate::fsutil;

/// An output that is being read.
pub(super) struct Capture<'a> {
    name: &'static str,
    kept: usize,
    limit: u64,
    overflow: Option<&'a Path>,
    file: Option<File>,
    captured: Captured,
}

impl Captured {
    /// What somebody said who is no program, kept as the output of one: the first bytes, and a
    /// file in a directory, made if it is missing, if there are more.
    pub fn of(said: &[u8], kept: usize, name: &'static str, directory: &Path) -> Self {
        // Without a directory the rest is only counted, as it is on a full disk.
        let made = said.len() <= kept || fsutil::create_dir_private(directory).is_ok();
        let overflow = made.then_some(directory);
        let limit = u64::MAX;
        let captured = Self::default();
        let mut capture = Capture { name, kept, limit, overflow, file: None, captured };
        capture.take(said);
        capture.finish()
    }
}

impl<'a> Capture<'a> {
    pub(super) fn new(name: &'static str, spawn: &'a Spawn) -> Self {
        Self {
            name,
            kept: spawn.kept,
            limit: spawn.saved,
            overflow: spawn.overflow.as_deref(),
            file: None,
            captured: Captured::default(),
        }
    }

    /// Takes what was read.
    pub(super) fn take(&mut self, read: &[u8]) {
        self.captured.total += read.len() as u64;
        let room = self.kept.saturating_sub(self.captured.bytes.len());
        let (begins, rest) = read.split_at(room.min(read.len()));
        self.captured.bytes.extend_from_slice(begins);
        if self.file.is_none() {
            self.captured.saved = self.captured.saved.max(self.captured.bytes.len() as u64);
        }
        if !rest.is_empty() {
            self.save(rest);
        }
    }

    pub(super) fn finish(self) -> Captured {
        self.captured
    }

    /// Saves what does not fit into memory. A full disk must not take the program down: what was
    /// saved until then stays, and the count says how much that is.
    fn save(&mut self, rest: &[u8]) {
        if self.file.is_none() && !self.begin() {
            return;
        }
        let Some(file) = &mut self.file else { return };
        let room = self.limit.saturating_sub(self.captured.saved);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let (rest, dropped) = rest.split_at(room.min(rest.len()));
        let written = file.write_all(rest);
        if written.is_ok() {
            self.captured.saved += rest.len() as u64;
        }
        if written.is_err() || !dropped.is_empty() {
            self.overflow = None;
            self.file = None;
        }
    }

    /// Makes the file and gives it what is in memory already.
    fn begin(&mut self) -> bool {
        let Some(directory) = self.overflow.take() else { return false };
        let made = create(directory, self.name);
        let begun = made.and_then(|(mut file, path)| {
            file.write_all(&self.captured.bytes).ok()?;
            Some((file, path))
        });
        let Some((file, path)) = begun else { return false };
        self.file = Some(file);
        self.captured.rest = Some(path);
        true
    }
}

fn create(directory: &Path, name: &str) -> Option<(File, PathBuf)> {
    fsutil::create_private_in(directory, &format!("{name}-"), ".txt").ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spawn(kept: usize, saved: u64, overflow: Option<&Path>) -> Spawn {
        let mut spawn = Spawn::new(["true"], "/");
        (spawn.kept, spawn.saved) = (kept, saved);
        spawn.overflow = overflow.map(Path::to_owned);
        spawn
    }

    fn capture(spawn: &Spawn, pieces: &[&str]) -> Captured {
        let mut capture = Capture::new("stdout", spawn);
        pieces.iter().for_each(|piece| capture.take(piece.as_bytes()));
        capture.finish()
    }

    #[test]
    fn what_fits_is_kept_and_makes_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let captured = capture(&spawn(6, 100, Some(directory.path())), &["abc", "def"]);
        assert!(captured.is_whole());
        let bytes = b"abcdef".to_vec();
        assert_eq!(captured, Captured { bytes, total: 6, rest: None, saved: 6 });
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_does_not_fit_is_in_the_file_from_the_first_byte_on() {
        let directory = tempfile::tempdir().unwrap();
        let captured = capture(&spawn(4, 100, Some(directory.path())), &["abc", "def", "gh"]);
        assert!(!captured.is_whole());
        assert_eq!((captured.bytes.as_slice(), captured.total), (&b"abcd"[..], 8));
        assert_eq!(captured.saved, 8);
        assert_eq!(std::fs::read(captured.rest.unwrap()).unwrap(), b"abcdefgh");
    }

    #[test]
    fn the_file_has_its_own_limit() {
        let directory = tempfile::tempdir().unwrap();
        let captured = capture(&spawn(4, 7, Some(directory.path())), &["abc", "defg", "hi", "j"]);
        assert_eq!((captured.total, captured.saved), (10, 7));
        assert_eq!(std::fs::read(captured.rest.unwrap()).unwrap(), b"abcdefg");
    }

    #[test]
    fn without_a_place_for_it_the_rest_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let nowhere = directory.path().join("missing");
        for overflow in [None, Some(nowhere.as_path())] {
            let captured = capture(&spawn(4, 100, overflow), &["abc", "def", "ghi"]);
            let expected = Captured { bytes: b"abcd".to_vec(), total: 9, rest: None, saved: 4 };
            assert_eq!(captured, expected);
        }
    }
}
