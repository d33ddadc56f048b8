//! A directory that is read from within, so that no name can lead out of it.

use std::{
    fs::File,
    io::{self, Read},
    os::fd::OwnedFd,
    path::Path,
};

use rustix::fs::{Mode, OFlags, open, openat};

use super::{Files, ImportError, problems::Problems};
use crate::{fsutil::FsError, workspace::place::Place};

/// A directory that stays the same one while it is read, whatever happens to its name.
pub(super) struct Source {
    top: OwnedFd,
}

/// How directories are opened: never through a symbolic link.
pub(super) const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// How files are opened: never through a symbolic link, and without waiting for anybody.
const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Source {
    /// Opens a directory by the name that the user gave, which may be a symbolic link.
    pub(super) fn open(path: &Path, shown: &Path) -> Result<Self, ImportError> {
        match open(path, DIRECTORY.difference(OFlags::NOFOLLOW), Mode::empty()) {
            Ok(top) => Ok(Self { top }),
            Err(rustix::io::Errno::NOTDIR) => Err(ImportError::NotADirectory(shown.to_owned())),
            Err(error) => Err(FsError::new("open", shown, error.into()).into()),
        }
    }

    /// The directory itself.
    pub(super) fn top(&self) -> &OwnedFd {
        &self.top
    }

    /// Reads files that had these sizes when they were looked at.
    pub(super) fn read_all(
        &self,
        sizes: impl IntoIterator<Item = (Place, u64)>,
        problems: &mut Problems,
    ) -> Files {
        let mut files = Files::new();
        for (place, size) in sizes {
            match self.read(&place, size) {
                Ok(bytes) => drop(files.insert(place, bytes)),
                Err(error) => problems.unreadable(place.path(), &error),
            }
        }
        files
    }

    fn read(&self, place: &Place, size: u64) -> io::Result<Vec<u8>> {
        let changed = || io::Error::other("it changed while it was read");
        let file = self.open_file(place)?;
        let status = file.metadata()?;
        if !status.is_file() || status.len() != size {
            return Err(changed());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        file.take(size.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == size { Ok(bytes) } else { Err(changed()) }
    }

    fn open_file(&self, place: &Place) -> io::Result<File> {
        let path = place.path();
        let mut inner = None;
        for part in path.directory().into_iter().flat_map(|directory| directory.split('/')) {
            let outer = inner.as_ref().unwrap_or(&self.top);
            inner = Some(openat(outer, part, DIRECTORY, Mode::empty())?);
        }
        let directory = inner.as_ref().unwrap_or(&self.top);
        Ok(openat(directory, path.name(), FILE, Mode::empty())?.into())
    }
}
