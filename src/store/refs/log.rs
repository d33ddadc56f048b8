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
    fsutil::{AtPath, FsError, create_dir_durable, sync_dir},
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
    let directory = path.parent().unwrap_or(store);
    create_dir_durable(directory)?;
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
    file.sync_all().at("sync", &path)?;
    sync_dir(directory)
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
    let LogLine { signature, .. } = last_line(store, name)?;
    let seconds = signature.rsplit(' ').nth(1)?.parse().ok()?;
    Some(Timestamp::from_seconds(seconds))
}

/// Why a ref last moved, if its log tells.
pub fn last_message(store: &Path, name: &RefName) -> Option<String> {
    last_line(store, name).map(|line| line.message)
}

fn last_line(store: &Path, name: &RefName) -> Option<LogLine> {
    let bytes = fs::read(log_path(store, name)).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (moved, message) = text.lines().next_back()?.split_once('\t')?;
    // The commits from and to which it moved stand first.
    let signature = moved.splitn(3, ' ').nth(2)?;
    Some(LogLine { signature: signature.to_owned(), message: message.to_owned() })
}

fn log_path(store: &Path, name: &RefName) -> PathBuf {
    store.join("logs").join(name.as_str())
}
