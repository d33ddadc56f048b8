//! What can go wrong with a ref, classed by what to do about it.

use std::path::PathBuf;

use gix::ObjectId;

use super::RefName;
use crate::fsutil::FsError;

/// Why a ref could not be read or moved.
#[derive(Debug, thiserror::Error)]
pub enum RefError {
    /// Not a name for a ref.
    #[error("`{name}` is not a valid ref name: {reason}")]
    Name {
        /// What was given.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The ref is not where it was read: read again and retry.
    #[error("`{name}` moved: expected {}, found {}", show(expected), show(actual))]
    Moved {
        /// The ref.
        name: RefName,
        /// What the caller had read.
        expected: Option<ObjectId>,
        /// What is there now.
        actual: Option<ObjectId>,
    },
    /// Somebody else keeps the lock file.
    #[error("`{}` is in use by another process", path.display())]
    Busy {
        /// The lock file.
        path: PathBuf,
    },
    /// Our lock file was taken away while we held it.
    #[error("`{}` was removed by another process", path.display())]
    Stolen {
        /// The lock file.
        path: PathBuf,
    },
    /// The ref points to another ref.
    #[error("`{name}` is a symbolic ref to `{target}`")]
    Symbolic {
        /// The ref.
        name: RefName,
        /// What it points to.
        target: String,
    },
    /// The loose file does not hold an object id.
    #[error("`{}` does not hold an object id{}", path.display(), in_packed(packed))]
    Damaged {
        /// The ref.
        name: RefName,
        /// Its file.
        path: PathBuf,
        /// The value in `packed-refs`, which may be older.
        packed: Option<ObjectId>,
    },
    /// A line of `packed-refs` does not read.
    #[error("`{}` is damaged at line {line}", path.display())]
    PackedDamaged {
        /// The file.
        path: PathBuf,
        /// The first line that does not read.
        line: usize,
    },
    /// The system refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

fn show(id: &Option<ObjectId>) -> String {
    id.map_or_else(|| "no such ref".to_owned(), |id| id.to_string())
}

fn in_packed(packed: &Option<ObjectId>) -> String {
    packed.map_or_else(String::new, |id| format!(" (`packed-refs` has {id})"))
}
