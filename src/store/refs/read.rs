//! Reads one ref: the loose file first, then `packed-refs`.

use std::fs;
use std::io;
use std::path::Path;

use gix::ObjectId;

use super::{RefError, RefName, packed};
use crate::fsutil::FsError;

/// Where the ref points, or `None` if there is no such ref.
pub fn read(store: &Path, name: &RefName) -> Result<Option<ObjectId>, RefError> {
    if let Some(id) = read_loose(store, name)? {
        return Ok(Some(id));
    }
    if let Some(id) = packed::find(store, name)? {
        return Ok(Some(id));
    }
    // Between the two looks it may have been written loose for the first time.
    read_loose(store, name)
}

/// What a loose file says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Loose {
    Id(ObjectId),
    Symbolic(String),
    Damaged,
}

/// The value of the loose file, if there is one.
pub(super) fn read_loose(store: &Path, name: &RefName) -> Result<Option<ObjectId>, RefError> {
    let path = name.path(store);
    let Some(bytes) = read_file(&path)? else {
        return Ok(None);
    };
    match parse(&bytes) {
        Loose::Id(id) => Ok(Some(id)),
        Loose::Symbolic(target) => Err(RefError::Symbolic { name: name.clone(), target }),
        Loose::Damaged => {
            let packed = packed::find(store, name).ok().flatten();
            Err(RefError::Damaged { name: name.clone(), path, packed })
        }
    }
}

/// The contents of a file that may be missing, or be a directory of longer names.
pub(super) fn read_file(path: &Path) -> Result<Option<Vec<u8>>, FsError> {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | IsADirectory) => Ok(None),
        Err(error) => Err(FsError::new("read", path, error)),
    }
}

/// Reads a loose file as git does: an id, and after it nothing or white space.
pub(super) fn parse(bytes: &[u8]) -> Loose {
    if let Some(target) = bytes.strip_prefix(b"ref:") {
        return Loose::Symbolic(String::from_utf8_lossy(target.trim_ascii()).into_owned());
    }
    let (Some(hex), rest) = (bytes.get(..40), bytes.get(40..).unwrap_or_default()) else {
        return Loose::Damaged;
    };
    match ObjectId::from_hex(hex) {
        Ok(id) if !id.is_null() && rest.first().is_none_or(u8::is_ascii_whitespace) => {
            Loose::Id(id)
        }
        _ => Loose::Damaged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loose_files_are_read_as_git_reads_them() {
        let hex = "a".repeat(40);
        let id = ObjectId::from_hex(hex.as_bytes()).unwrap();
        assert_eq!(parse(hex.as_bytes()), Loose::Id(id));
        assert_eq!(parse(format!("{hex}\n").as_bytes()), Loose::Id(id));
        assert_eq!(parse(b"ref: refs/heads/a\n"), Loose::Symbolic("refs/heads/a".to_owned()));
        let zeros = "0".repeat(40);
        for bad in ["", "\n", "abc", &hex[1..], &format!("{hex}0"), &zeros, &"\0".repeat(41)] {
            assert_eq!(parse(bad.as_bytes()), Loose::Damaged, "{bad:?}");
        }
    }
}
