//! What an argument stands for.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{AttachError, pattern::Pattern};
use crate::fsutil::FsError;

/// What an argument stands for.
#[derive(Clone, Debug)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// An address.
    Address(String),
    /// A file, or anything else that can be read.
    File(PathBuf),
    /// Every file below a directory.
    Directory(PathBuf),
    /// Every file that matches.
    Pattern(Pattern),
}

impl Source {
    /// Finds out what an argument stands for. What is there goes before what could be a pattern.
    pub fn find(argument: &OsStr, directory: &Path) -> Result<Self, AttachError> {
        if argument == "-" {
            return Ok(Self::Stdin);
        }
        let text = argument.to_str();
        if let Some(address) = text.filter(|text| is_address(text)) {
            return Ok(Self::Address(address.to_owned()));
        }
        let path = directory.join(argument);
        match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => Ok(Self::Directory(path)),
            Ok(_) => Ok(Self::File(path)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                match text.filter(|text| Pattern::is_one(text)) {
                    Some(text) => Ok(Self::Pattern(Pattern::parse(text)?)),
                    None => Err(AttachError::Missing(shown(argument))),
                }
            }
            Err(error) => Err(FsError::new("read", argument, error).into()),
        }
    }
}

/// Whether an argument is an address.
fn is_address(text: &str) -> bool {
    let begins = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    begins("http://") || begins("https://")
}

/// An argument as it is told.
pub fn shown(argument: &OsStr) -> String {
    argument.to_string_lossy().into_owned()
}
