//! The files below a directory, taken at one moment or put down somewhere.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// Everything below a directory, by path.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Image(pub BTreeMap<PathBuf, Thing>);

/// What a path is, with its permissions.
#[derive(Debug, PartialEq, Eq)]
pub enum Thing {
    Directory(u32),
    File(u32, Vec<u8>),
}

impl Image {
    /// Reads what is below a directory.
    pub fn read(directory: &Path) -> Self {
        let mut image = Self::default();
        let mut left = vec![directory.to_owned()];
        while let Some(path) = left.pop() {
            let metadata = fs::symlink_metadata(&path).unwrap();
            let mode = metadata.permissions().mode() & 0o7777;
            let thing = if metadata.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                Thing::Directory(mode)
            } else {
                assert!(metadata.is_file(), "{} is neither", path.display());
                Thing::File(mode, fs::read(&path).unwrap())
            };
            image.0.insert(path.strip_prefix(directory).unwrap().to_owned(), thing);
        }
        image
    }

    /// Makes a directory hold this and nothing else.
    pub fn write(&self, directory: &Path) {
        for entry in fs::read_dir(directory).unwrap() {
            fs::remove_dir_all(entry.unwrap().path()).unwrap();
        }
        let set = |path: &Path, mode: u32| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        for (path, thing) in &self.0 {
            let path = directory.join(path);
            match thing {
                Thing::Directory(_) if path.is_dir() => {}
                Thing::Directory(mode) => {
                    fs::create_dir(&path).unwrap();
                    set(&path, *mode);
                }
                Thing::File(mode, bytes) => {
                    fs::write(&path, bytes).unwrap();
                    set(&path, *mode);
                }
            }
        }
    }

    /// Where two of them differ.
    pub fn differences(&self, other: &Self) -> Vec<PathBuf> {
        let paths = self.0.keys().chain(other.0.keys());
        let mut paths: Vec<_> =
            paths.filter(|path| self.0.get(*path) != other.0.get(*path)).cloned().collect();
        paths.dedup();
        paths
    }
}
