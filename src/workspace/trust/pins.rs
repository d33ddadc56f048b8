//! All that the user trusted: one file for each workspace, outside of it.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{Pin, files::hexadecimal};
use crate::{
    env::Env,
    fsutil::{self, AtPath, FsError},
};

/// Where what the user trusted is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pins {
    directory: PathBuf,
}

impl Pins {
    /// Those of the user; `None` without a home: then nothing can be trusted.
    pub fn of(env: &Env) -> Option<Self> {
        env.data_dir().map(|data| Self { directory: data.join("trust") })
    }

    /// What was trusted in this directory. A file that does not read counts as none.
    pub fn find(&self, root: &Path) -> Result<Option<Pin>, FsError> {
        let path = self.file(root);
        match fs::read(&path) {
            Ok(bytes) => Ok(Pin::decode(&bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FsError::new("read", path, error)),
        }
    }

    /// Everything that was trusted, by its directory.
    pub fn all(&self) -> Result<Vec<Pin>, FsError> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(FsError::new("list", &self.directory, error)),
        };
        let mut pins = Vec::new();
        for entry in entries {
            let path = entry.at("list", &self.directory)?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let bytes = fs::read(&path).at("read", &path)?;
                pins.extend(Pin::decode(&bytes));
            }
        }
        pins.sort_by(|one, other| one.root.cmp(&other.root));
        Ok(pins)
    }

    /// Keeps what the user trusts in this directory.
    pub fn keep(&self, root: &Path, pin: &Pin) -> Result<(), FsError> {
        fsutil::create_dir_private(&self.directory)?;
        fsutil::write_private(&self.file(root), &pin.encode())
    }

    /// Forgets what was trusted in this directory, and says whether anything was.
    pub fn revoke(&self, root: &Path) -> Result<bool, FsError> {
        let path = self.file(root);
        match fs::remove_file(&path) {
            Ok(()) => fsutil::sync_dir(&self.directory).map(|()| true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(FsError::new("remove", path, error)),
        }
    }

    fn file(&self, root: &Path) -> PathBuf {
        let hash = hexadecimal(&Sha256::digest(root.as_os_str().as_encoded_bytes()));
        self.directory.join(format!("{}.json", &hash[..32]))
    }
}
