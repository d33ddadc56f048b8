//! What is written down about a process that serves a conversation.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::{
    env::Process,
    fsutil::{FsError, is_own},
    model::{ConversationId, Timestamp},
    store::WorkspaceId,
};

/// More bytes than any entry has.
const LARGEST: u64 = 1 << 16;

/// A process that serves a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessEntry {
    /// The conversation.
    pub conversation: ConversationId,
    /// The workspace that it belongs to.
    pub workspace: WorkspaceId,
    /// The process.
    pub process: Process,
    /// When it registered.
    pub started_at: Timestamp,
    /// Where it listens.
    pub socket: PathBuf,
}

/// An entry as it is written.
#[derive(Serialize, Deserialize)]
struct Written {
    conversation: String,
    workspace: String,
    pid: u32,
    started: u64,
    realm: String,
    started_at: String,
    socket: String,
}

impl ProcessEntry {
    /// The bytes of its file.
    pub(super) fn encode(&self) -> Result<Vec<u8>, FsError> {
        let socket =
            self.socket.to_str().filter(|_| self.socket.is_absolute()).ok_or_else(|| {
                let cause = io::Error::other("it is not an absolute path in UTF-8");
                FsError::new("register", &self.socket, cause)
            })?;
        let Process { pid, started, realm } = self.process.clone();
        let written = Written {
            conversation: self.conversation.to_string(),
            workspace: self.workspace.to_string(),
            pid,
            started,
            realm,
            started_at: self.started_at.to_string(),
            socket: socket.to_owned(),
        };
        let mut bytes = serde_json::to_vec_pretty(&written).expect("texts and numbers are JSON");
        bytes.push(b'\n');
        Ok(bytes)
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let written: Written = serde_json::from_slice(bytes).ok()?;
        let Written { pid, started, realm, .. } = written;
        Some(Self {
            conversation: written.conversation.parse().ok()?,
            workspace: written.workspace.parse().ok()?,
            process: Process { pid, started, realm },
            started_at: written.started_at.parse().ok()?,
            socket: Some(PathBuf::from(written.socket)).filter(|path| path.is_absolute())?,
        })
    }
}

/// Reads an entry. What does not read, is a link, is huge, or was written by somebody else counts as
/// none.
pub(super) fn read(path: &Path) -> Option<ProcessEntry> {
    // A pipe would wait for its other end.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    let file: File = options.read(true).custom_flags(flags.bits().cast_signed()).open(path).ok()?;
    let found = file.metadata().ok()?;
    let is_ours = found.is_file() && is_own(&found) && found.mode() & 0o022 == 0;
    if !is_ours || found.len() > LARGEST {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    ProcessEntry::decode(&bytes)
}
