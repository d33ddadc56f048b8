//! Whether a workspace is trusted as it is.

use std::path::Path;

use super::{Change, Pin, Pins, WorkspaceFile, WorkspaceFiles};
use crate::{config::ConfigErrors, fsutil::FsError};

/// What the user thinks of a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is trusted as it is.
    Trusted,
    /// It was trusted, and is different now.
    Changed,
    /// It was never trusted.
    Unknown,
}

/// The files of a workspace that could do harm, and whether they are trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trust {
    files: WorkspaceFiles,
    pin: Option<Pin>,
    standing: Standing,
}

impl Trust {
    /// Reads the files of a workspace and compares them with what was trusted.
    pub fn read(root: &Path, pins: Option<&Pins>) -> Result<Self, FsError> {
        let files = WorkspaceFiles::read(root)?;
        let pin = match pins {
            Some(pins) => pins.find(files.root())?,
            None => None,
        };
        let standing = match &pin {
            Some(pin) if pin.covers(&files) => Standing::Trusted,
            Some(_) => Standing::Changed,
            None => Standing::Unknown,
        };
        Ok(Self { files, pin, standing })
    }

    /// Whether it is trusted as it is.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// The files.
    pub fn files(&self) -> &WorkspaceFiles {
        &self.files
    }

    /// A file that counts only with trust, if it has that.
    pub fn trusted(&self, name: &str) -> Option<&WorkspaceFile> {
        self.files.named(name).filter(|_| self.standing == Standing::Trusted)
    }

    /// The files that need trust as a whole and do not have it.
    pub fn untrusted_files(&self) -> Vec<&'static str> {
        if self.standing == Standing::Trusted {
            return Vec::new();
        }
        let risky = self.files.all().iter().filter(|file| file.is_risky_as_a_whole());
        risky.map(|file| file.name).collect()
    }

    /// What would take effect with trust, beside what was trusted before.
    pub fn changes(&self) -> Result<Vec<Change>, ConfigErrors> {
        Change::all(&self.files, self.pin.as_ref())
    }

    /// The files that were trusted elsewhere than they are now: a link leads to another place.
    pub fn moved(&self) -> Vec<(&'static str, String)> {
        let Some(pin) = &self.pin else { return Vec::new() };
        let moved = self.files.all().iter().filter_map(|file| {
            let before = pin.path(file.name)?;
            (before != file.path.to_string_lossy()).then(|| (file.name, before.to_owned()))
        });
        moved.collect()
    }
}
