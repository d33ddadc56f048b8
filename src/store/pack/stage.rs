//! Writes a finished pack: first beside the place where it will live, then by rename into it.
//!
//! It refuses to make a name visible whose contents were not synced: `install` follows `sync_with`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::BuiltPack;
use crate::fsutil::{AtPath, FsError, create_dir_durable, sync_dir, sync_together};

/// A pack and its index beside the place where they will live; removed when dropped.
#[must_use = "the files are removed when this is dropped"]
pub(in crate::store) struct Staged {
    pack: (PathBuf, File),
    index: (PathBuf, File),
}

impl Staged {
    /// Writes both files. They are not synced yet.
    pub(in crate::store) fn write(
        stage: &Path,
        key: &str,
        built: &BuiltPack,
    ) -> Result<Staged, FsError> {
        let path = stage.join(format!("{key}.pack"));
        let file = match create(&path) {
            Err(error) if error.source_kind() == io::ErrorKind::NotFound => {
                create_dir_durable(stage)?;
                create(&path)?
            }
            other => other?,
        };
        let pack = (path, file);
        let path = stage.join(format!("{key}.idx"));
        let index = match create(&path) {
            Ok(file) => (path, file),
            Err(error) => {
                let _ = fs::remove_file(&pack.0);
                return Err(error);
            }
        };
        let mut staged = Staged { pack, index };
        staged.pack.1.write_all(&built.pack).at("write", &staged.pack.0)?;
        staged.index.1.write_all(&built.index).at("write", &staged.index.0)?;
        Ok(staged)
    }

    /// Takes over a pack and its index that git has written.
    pub(in crate::store) fn adopt(pack: PathBuf, index: PathBuf) -> Result<Staged, FsError> {
        let pack_file = File::open(&pack).at("open", &pack)?;
        let index_file = File::open(&index).at("open", &index)?;
        Ok(Staged { pack: (pack, pack_file), index: (index, index_file) })
    }

    /// Syncs both files, and others with them.
    pub(in crate::store) fn sync_with(&self, others: &[(&Path, &File)]) -> Result<(), FsError> {
        let mut files: Vec<(&Path, &File)> =
            vec![(&self.pack.0, &self.pack.1), (&self.index.0, &self.index.1)];
        files.extend(others);
        sync_together(&files)
    }

    /// Renames both into the directory of packs and syncs it.
    pub(in crate::store) fn install(
        self,
        packs: &Path,
        checksum: &ObjectId,
    ) -> Result<(), FsError> {
        self.rename_into(packs, checksum)?;
        sync_dir(packs)
    }

    /// Renames both into the directory of packs, the index last. They replace files of the same
    /// name: those have the same contents, or are damaged. The directory is not synced yet.
    pub(in crate::store) fn rename_into(
        self,
        packs: &Path,
        checksum: &ObjectId,
    ) -> Result<(), FsError> {
        let target = |extension| packs.join(format!("pack-{checksum}.{extension}"));
        let (pack, index) = (target("pack"), target("idx"));
        fs::rename(&self.pack.0, &pack).at("replace", &pack)?;
        fs::rename(&self.index.0, &index).at("replace", &index)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // After `install` there is nothing left of these names.
        let _ = fs::remove_file(&self.pack.0);
        let _ = fs::remove_file(&self.index.0);
    }
}

/// Creates a read-only file, open for writing, in place of whatever a killed process left.
fn create(path: &Path) -> Result<File, FsError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o444);
    let created = options.open(path).or_else(|error| {
        if error.kind() != io::ErrorKind::AlreadyExists {
            return Err(error);
        }
        fs::remove_file(path)?;
        options.open(path)
    });
    created.at("create", path)
}
