//! Some of the files of a directory, others each time: for work that is done a little at a time.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// How much may be done at a time.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// How many names of a directory are read.
    pub names: usize,
    /// How many of its files are looked at.
    pub files: usize,
    /// After how long no other file is looked at.
    pub time: Duration,
}

/// Some of the files of a directory. There is always time for the first one, so that whoever comes
/// again and again gets to all of them.
#[derive(Debug)]
pub struct Handful {
    directory: PathBuf,
    names: std::vec::IntoIter<OsString>,
    until: Instant,
    has_begun: bool,
}

impl Handful {
    /// Takes some of the files, from a random place on. There are none if nobody can look.
    pub fn of(directory: &Path, share: Share, random: usize) -> Self {
        let entries = std::fs::read_dir(directory).into_iter().flatten().take(share.names);
        let mut names: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
        if names.len() > share.files {
            let first = random % names.len();
            names.rotate_left(first);
            names.truncate(share.files);
        }
        let (directory, names) = (directory.to_owned(), names.into_iter());
        // To list them takes as long as it takes.
        let until = Instant::now() + share.time;
        Self { directory, names, until, has_begun: false }
    }
}

impl Iterator for Handful {
    type Item = PathBuf;

    fn next(&mut self) -> Option<PathBuf> {
        if self.has_begun && Instant::now() >= self.until {
            return None;
        }
        self.has_begun = true;
        Some(self.directory.join(self.names.next()?))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_handful_is_small_and_many_of_them_are_everything() {
        let directory = tempfile::tempdir().unwrap();
        for number in 0..50 {
            std::fs::write(directory.path().join(number.to_string()), "").unwrap();
        }
        let share = Share { names: 1000, files: 8, time: Duration::from_secs(3600) };
        let taken = |share, random| Handful::of(directory.path(), share, random).count();
        assert_eq!(taken(share, 7), 8);
        let all = (0..50).flat_map(|random| Handful::of(directory.path(), share, random));
        assert_eq!(all.collect::<BTreeSet<_>>().len(), 50);
        assert_eq!(taken(Share { names: 5, ..share }, 7), 5);
        assert_eq!(taken(Share { time: Duration::ZERO, ..share }, 7), 1);
        assert_eq!(Handful::of(&directory.path().join("none"), share, 7).count(), 0);
    }
}
