//! The log of a ref, in git's format: who moved it when. jp writes one when a conversation is put
//! away or brought back, so that the time of that is known.

use std::{
    fs::{self, OpenOptions},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use gix::ObjectId;

use super::RefName;
use crate::{
    fsutil::{AtPath, FsError, create_dir_durable},
    model::Timestamp,
};

/// A line of a log.
#[derive(Clone, Debug)]
pub struct LogLine {
    /// Who moved the ref and when, as commits write it.
    pub signature: String,
    /// Why.
    pub message: String,
}

/// Adds a line to the log of a ref, which may have had another name before.
pub fn add(
    store: &Path,
    former: &RefName,
    name: &RefName,
    commit: ObjectId,
    line: &LogLine,
) -> Result<(), FsError> {
    let path = log_path(store, name);
    if let Some(parent) = path.parent() {
        create_dir_durable(parent)?;
    }
    let old = log_path(store, former);
    match fs::rename(&old, &path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(FsError::new("rename", old, error));
        }
        _ => {}
    }
    let mut file = OpenOptions::new().append(true).create(true).open(&path).at("open", &path)?;
    let text = format!("{commit} {commit} {}\t{}\n", line.signature, line.message);
    file.write_all(text.as_bytes()).at("write", &path)?;
    file.sync_all().at("sync", &path)
}

/// Removes the log of a ref.
pub fn remove(store: &Path, name: &RefName) -> Result<(), FsError> {
    let path = log_path(store, name);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(FsError::new("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// When a ref last moved, if its log tells.
pub fn last_moved(store: &Path, name: &RefName) -> Option<Timestamp> {
    let text = fs::read(log_path(store, name)).ok()?;
    let text = String::from_utf8_lossy(&text);
    let (signature, _) = text.lines().next_back()?.split_once('\t')?;
    let seconds = signature.rsplit(' ').nth(1)?.parse().ok()?;
    Some(Timestamp::from_seconds(seconds))
}

/// What the last line of the log of a ref says.
pub fn last_message(store: &Path, name: &RefName) -> Option<String> {
    let text = fs::read(log_path(store, name)).ok()?;
    let text = String::from_utf8_lossy(&text);
    Some(text.lines().next_back()?.split_once('\t')?.1.to_owned())
}

fn log_path(store: &Path, name: &RefName) -> PathBuf {
    store.join("logs").join(name.as_str())
}
