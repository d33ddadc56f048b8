//! The files of a checkout on disk, each opened from within its directory and never through a
//! symbolic link.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    thread,
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat},
    io::Errno,
};

use super::record::Stat;
use crate::fsutil::{self, AtPath, FsError};

/// From how many files on they are looked at side by side.
const MANY: usize = 500;

/// How many threads do that.
const MOST_THREADS: usize = 4;

/// A directory of files.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    opened: OwnedFd,
}

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// A plain file.
    File(Stat),
    /// Nothing.
    Nothing,
    /// Something that is no plain file.
    Other,
}

impl Folder {
    /// Opens a directory.
    pub(super) fn open(path: &Path) -> Result<Self, FsError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(path, flags, Mode::empty()).map_err(io::Error::from);
        Ok(Self { path: path.to_owned(), opened: opened.at("open", path)? })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What stands under a name.
    pub(super) fn look(&self, name: &str) -> Result<Standing, FsError> {
        match statat(&self.opened, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(status) if FileType::from_raw_mode(status.st_mode) == FileType::RegularFile => {
                Ok(Standing::File(stat(&status)))
            }
            Ok(_) => Ok(Standing::Other),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(Standing::Nothing),
            Err(error) => Err(FsError::new("look at", self.path.join(name), error.into())),
        }
    }

    /// What stands under each of many names. Each costs a call of the system, so that many are looked
    /// at side by side.
    pub(super) fn look_at_all(&self, names: &[&str]) -> Result<Vec<Standing>, FsError> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = if names.len() < MANY { 1 } else { cores.min(MOST_THREADS) };
        let (own, others) = names.split_at(names.len().div_ceil(threads));
        thread::scope(|scope| {
            let parts = others.chunks(own.len().max(1));
            let others: Vec<_> =
                parts.map(|part| scope.spawn(|| self.look_at_each(part))).collect();
            let mut standings = self.look_at_each(own)?;
            for other in others {
                standings.extend(other.join().expect("looking does not panic")?);
            }
            Ok(standings)
        })
    }

    fn look_at_each(&self, names: &[&str]) -> Result<Vec<Standing>, FsError> {
        names.iter().map(|name| self.look(name)).collect()
    }

    /// The content of a file, up to a limit and a byte more.
    pub(super) fn read(&self, name: &str, limit: u64) -> Result<Vec<u8>, FsError> {
        let path = self.path.join(name);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = openat(&self.opened, name, flags, Mode::empty()).map_err(io::Error::from);
        let file = File::from(opened.at("open", &path)?);
        // The size saves reading bit by bit; the file may have grown since.
        let size = file.metadata().at("look at", &path)?.len().min(limit);
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        file.take(limit + 1).read_to_end(&mut bytes).at("read", &path)?;
        Ok(bytes)
    }

    /// Makes a file that is not there yet. It need not survive a power cut: what it holds is in the
    /// store.
    pub(super) fn create(&self, name: &str, bytes: &[u8]) -> Result<Stat, FsError> {
        let path = self.path.join(name);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let opened = openat(&self.opened, name, flags, mode).map_err(io::Error::from);
        let mut file = File::from(opened.at("create", &path)?);
        file.write_all(bytes).at("write", &path)?;
        let status = fstat(&file).map_err(io::Error::from).at("look at", &path)?;
        Ok(stat(&status))
    }

    /// Puts a file in the place of another, durably.
    pub(super) fn replace(&self, name: &str, bytes: &[u8]) -> Result<Stat, FsError> {
        let path = self.path.join(name);
        fsutil::write_atomic(&path, bytes)?;
        match self.look(name)? {
            Standing::File(stat) => Ok(stat),
            Standing::Nothing | Standing::Other => {
                let error = io::Error::from(io::ErrorKind::NotFound);
                Err(FsError::new("look at", path, error))
            }
        }
    }

    /// Puts a file in the place of another as a whole. It need not survive a power cut: what it
    /// holds is in the store.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> Result<Stat, FsError> {
        if self.look(name)? == Standing::Nothing {
            return self.create(name, bytes);
        }
        let aside = format!(".jp-{name}");
        if self.look(&aside)? != Standing::Nothing {
            self.remove(&aside)?;
        }
        let stat = self.create(&aside, bytes)?;
        self.rename(&aside, name)?;
        match self.look(name)? {
            Standing::File(stat) => Ok(stat),
            Standing::Nothing | Standing::Other => Ok(stat),
        }
    }

    /// Puts bytes behind those of a file. They need not survive a power cut: what they tell is in the
    /// store.
    pub(super) fn append(&self, name: &str, bytes: &[u8]) -> Result<Stat, FsError> {
        let path = self.path.join(name);
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(&self.opened, name, flags, Mode::empty()).map_err(io::Error::from);
        let mut file = File::from(opened.at("open", &path)?);
        file.write_all(bytes).at("write", &path)?;
        let status = fstat(&file).map_err(io::Error::from).at("look at", &path)?;
        Ok(stat(&status))
    }

    /// Gives something that stands in the way another name, and says which.
    pub(super) fn set_aside(&self, name: &str) -> Result<String, FsError> {
        let mut number = 1_u64;
        loop {
            let aside = match number {
                1 => format!("{name}.yours"),
                number => format!("{name}.yours-{number}"),
            };
            if self.look(&aside)? == Standing::Nothing {
                self.rename(name, &aside)?;
                return Ok(aside);
            }
            number += 1;
        }
    }

    /// Gives a file another name.
    pub(super) fn rename(&self, from: &str, to: &str) -> Result<(), FsError> {
        let (from, to) = (self.path.join(from), self.path.join(to));
        std::fs::rename(&from, to).at("rename", &from)
    }

    /// Gives a file a second name, which nothing has.
    pub(super) fn link(&self, from: &str, to: &str) -> Result<(), FsError> {
        let (from, to) = (self.path.join(from), self.path.join(to));
        std::fs::hard_link(&from, to).at("link", &from)?;
        fsutil::sync_dir(&self.path)
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> Result<(), FsError> {
        let path = self.path.join(name);
        std::fs::remove_file(&path).at("remove", &path)
    }

    /// The names of all that is in it, in no order.
    pub(super) fn names(&self) -> Result<Vec<String>, FsError> {
        let entries = std::fs::read_dir(&self.path).at("read", &self.path)?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.at("read", &self.path)?;
            names.extend(entry.file_name().into_string());
        }
        Ok(names)
    }
}

fn stat(status: &rustix::fs::Stat) -> Stat {
    let nanos = |seconds: i64, nanos: u64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    #[expect(clippy::useless_conversion, reason = "the types differ from system to system")]
    Stat {
        modified: nanos(status.st_mtime.into(), status.st_mtime_nsec.into()),
        changed: nanos(status.st_ctime.into(), status.st_ctime_nsec.into()),
        inode: status.st_ino.into(),
        size: u64::try_from(status.st_size).unwrap_or(u64::MAX),
    }
}
