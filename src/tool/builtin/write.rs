//! Files of the workspace are replaced as a whole, or not at all.
//!
//! The new contents are written beside the file, under a name that nobody had, and synced. Then the
//! two change places, and only if what came out is what was read before, it stays so. No link is
//! ever followed, and everything happens in the directory that was opened first.

use std::{
    ffi::OsStr,
    fs::File,
    io::{Read, Write},
    os::fd::OwnedFd,
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::{
    fs::{
        AtFlags, FileType, Mode, OFlags, RenameFlags, Stat, fchmod, fstat, fsync, mkdirat, openat,
        renameat, renameat_with, statat, unlinkat,
    },
    io::Errno,
};

use super::{
    path::Inside,
    problem::Problem,
    root::{Root, kind_of, open_file_in},
};

/// The largest file that is changed.
pub(super) const LARGEST: u64 = 16 << 20;

/// A file as it was when it was read.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    /// What was in it.
    pub(super) bytes: Vec<u8>,
    found: Stat,
}

impl Root {
    /// Reads a file that is to be changed; none if there is none.
    pub(super) fn snapshot(&self, path: &Inside) -> Result<Option<Snapshot>, Problem> {
        self.check_write(path)?;
        let Some((above, name)) = path.split() else {
            return Err(Problem::Directory(path.clone()));
        };
        match self.open_directory(&above).and_then(|above| snapshot_in(&above, name, path)) {
            Ok(snapshot) => Ok(Some(snapshot)),
            Err(Problem::Missing(_)) => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    /// Replaces a file by one with these contents, if it is still what was read, or makes it, with
    /// the directories that are missing, if there was none.
    pub(super) fn replace(
        &self,
        path: &Inside,
        before: Option<&Snapshot>,
        bytes: &[u8],
    ) -> Result<(), Problem> {
        self.check_write(path)?;
        let Some((above, name)) = path.split() else {
            return Err(Problem::Directory(path.clone()));
        };
        let above = match before {
            Some(_) => self.open_directory(&above)?,
            None => self.make_directories(&above)?,
        };
        let temporary = Temporary::create(&above, path)?;
        // A program that acts as somebody else does not do so with other contents.
        temporary.fill(
            bytes,
            before.map(|before| Mode::from_raw_mode(before.found.st_mode & 0o777)),
            path,
        )?;
        match before {
            Some(before) => temporary.take_place_of(name, before, path)?,
            None => temporary.take_place(name, path)?,
        }
        fsync(&above).map_err(|error| Problem::system("sync", path, error))
    }

    /// Opens a directory, and makes what is missing of it.
    fn make_directories(&self, path: &Inside) -> Result<OwnedFd, Problem> {
        match self.open_directory(path) {
            Err(Problem::Missing(_)) => {}
            opened => return opened,
        }
        let Some((above, name)) = path.split() else {
            return Err(Problem::Missing(path.clone()));
        };
        let above_opened = self.make_directories(&above)?;
        match mkdirat(&above_opened, name, Mode::from_raw_mode(0o777)) {
            // Somebody else was faster.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(Problem::system("make", path, error)),
        }
        fsync(&above_opened).map_err(|error| Problem::system("sync", &above, error))?;
        self.open_directory(path)
    }
}

fn snapshot_in(above: &OwnedFd, name: &OsStr, path: &Inside) -> Result<Snapshot, Problem> {
    let found = statat(above, name, AtFlags::SYMLINK_NOFOLLOW);
    let found = found.map_err(|error| Problem::system("open", path, error))?;
    if kind_of(&found) == FileType::Symlink {
        return Err(Problem::Link { path: path.clone(), link: path.clone() });
    }
    let (file, found) = open_file_in(above, name, path)?;
    let size = u64::try_from(found.st_size).unwrap_or(u64::MAX);
    let too_large = |size| Problem::TooLarge { path: path.clone(), size, limit: LARGEST };
    if size > LARGEST {
        return Err(too_large(size));
    }
    let mut bytes = Vec::new();
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Problem::system("read", path, error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(Snapshot { bytes, found })
}

/// Whether they are about one file of the system.
fn is_one(one: &Stat, other: &Stat) -> bool {
    one.st_dev == other.st_dev && one.st_ino == other.st_ino
}

/// A file beside the one that is to be written, which is gone again unless it takes its place.
#[must_use = "it is removed when this is dropped"]
struct Temporary<'a> {
    above: &'a OwnedFd,
    name: String,
    file: File,
    stays: std::cell::Cell<bool>,
}

/// Numbers for temporary files of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl<'a> Temporary<'a> {
    fn create(above: &'a OwnedFd, path: &Inside) -> Result<Self, Problem> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let pid = rustix::process::getpid().as_raw_nonzero();
        loop {
            let name = format!(".jp-{pid}-{}", NEXT.fetch_add(1, Ordering::Relaxed));
            match openat(above, name.as_str(), flags, Mode::from_raw_mode(0o644)) {
                Ok(file) => {
                    let stays = std::cell::Cell::new(false);
                    return Ok(Self { above, name, file: file.into(), stays });
                }
                // What a process of the same number left behind.
                Err(Errno::EXIST) => {}
                Err(error) => return Err(Problem::system("write", path, error)),
            }
        }
    }

    fn fill(&self, bytes: &[u8], mode: Option<Mode>, path: &Inside) -> Result<(), Problem> {
        let failed = |error: std::io::Error| Problem::system("write", path, error);
        if let Some(mode) = mode {
            fchmod(&self.file, mode).map_err(|error| failed(error.into()))?;
        }
        (&self.file).write_all(bytes).map_err(failed)?;
        self.file.sync_all().map_err(|error| Problem::system("sync", path, error))
    }

    /// Becomes the file, if there is still none.
    fn take_place(self, name: &OsStr, path: &Inside) -> Result<(), Problem> {
        let exists = || Problem::Changed(path.clone());
        let failed = |error| Problem::system("write", path, error);
        match renameat_with(self.above, &*self.name, self.above, name, RenameFlags::NOREPLACE) {
            Ok(()) => self.stays.set(true),
            Err(Errno::EXIST) => return Err(exists()),
            // A second name for the same file is never put in place of another one.
            Err(Errno::INVAL | Errno::NOSYS) => {
                let flags = AtFlags::empty();
                match rustix::fs::linkat(self.above, &*self.name, self.above, name, flags) {
                    Ok(()) => {}
                    Err(Errno::EXIST) => return Err(exists()),
                    Err(error) => return Err(failed(error)),
                }
            }
            Err(error) => return Err(failed(error)),
        }
        Ok(())
    }

    /// Becomes the file, if that is still what it was.
    fn take_place_of(self, name: &OsStr, before: &Snapshot, path: &Inside) -> Result<(), Problem> {
        let failed = |error| Problem::system("replace", path, error);
        let is_same = |name: &OsStr| {
            let found = snapshot_in(self.above, name, path);
            found.is_ok_and(|now| is_one(&now.found, &before.found) && now.bytes == before.bytes)
        };
        if !is_same(name) {
            return Err(Problem::Changed(path.clone()));
        }
        let exchange = |flags| renameat_with(self.above, &*self.name, self.above, name, flags);
        match exchange(RenameFlags::EXCHANGE) {
            Ok(()) => {
                // Somebody who wrote between the look and the exchange wrote to what is now here.
                if !is_same(OsStr::new(&self.name)) {
                    exchange(RenameFlags::EXCHANGE).map_err(failed)?;
                    let own = fstat(&self.file).map_err(failed)?;
                    let back = statat(self.above, &*self.name, AtFlags::SYMLINK_NOFOLLOW);
                    // What a third one put there in between is not ours to remove.
                    self.stays.set(!back.is_ok_and(|back| is_one(&back, &own)));
                    return Err(Problem::Changed(path.clone()));
                }
            }
            Err(Errno::INVAL | Errno::NOSYS) => {
                renameat(self.above, &*self.name, self.above, name).map_err(failed)?;
                self.stays.set(true);
            }
            Err(Errno::NOENT) => return Err(Problem::Changed(path.clone())),
            Err(error) => return Err(failed(error)),
        }
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.stays.get() {
            // What cannot be removed is harmless, and its name says whose it is.
            let _left = unlinkat(self.above, &*self.name, AtFlags::empty());
        }
    }
}
