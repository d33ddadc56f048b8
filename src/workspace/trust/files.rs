//! The files of a workspace that could do harm, each read once.

use std::{
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    config::{ConfigErrors, Effective, Scope, needing_trust},
    fsutil::{AtPath, FsError},
};

/// A file that is larger is not read.
const LIMIT: u64 = 1 << 20;

/// The configuration for everybody.
pub(in crate::workspace) const CONFIG: &str = ".jp/config.toml";
/// The configuration of one user.
pub(in crate::workspace) const LOCAL_CONFIG: &str = ".jp/config.local.toml";
/// The servers that programs of many kinds read.
pub(in crate::workspace) const MCP: &str = ".mcp.json";
/// What every assistant is told.
pub(in crate::workspace) const INSTRUCTIONS: &str = "AGENTS.md";

/// The files of a workspace that could do harm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceFiles {
    /// The directory of the workspace, without links.
    root: PathBuf,
    /// Those that exist.
    files: Vec<WorkspaceFile>,
}

/// A file of a workspace as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceFile {
    /// Its path within the workspace.
    pub name: &'static str,
    /// Where it is, without links: it may be elsewhere.
    pub path: PathBuf,
    /// What is in it.
    pub text: String,
}

impl WorkspaceFiles {
    /// Reads those of the workspace in a directory. Instructions are among them only if they are
    /// kept elsewhere: a link could lead to what nobody wants to tell a model.
    pub fn read(root: &Path) -> Result<Self, FsError> {
        let real = root.canonicalize().at("resolve", root)?;
        let mut files = Vec::new();
        for name in [CONFIG, LOCAL_CONFIG, MCP, INSTRUCTIONS] {
            let path = root.join(name);
            let Some(at) = resolved(&path)? else { continue };
            if name == INSTRUCTIONS && at.starts_with(&real) {
                continue;
            }
            if let Some(text) = read_text(&path, &at)? {
                files.push(WorkspaceFile { name, path: at, text });
            }
        }
        Ok(Self { root: real, files })
    }

    /// The directory of the workspace, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All of them.
    pub fn all(&self) -> &[WorkspaceFile] {
        &self.files
    }

    /// The one of this name, if it exists.
    pub fn named(&self, name: &str) -> Option<&WorkspaceFile> {
        self.files.iter().find(|file| file.name == name)
    }

    /// The hash of where the workspace is, where each file is, and of every byte in them.
    pub fn hash(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |part: &[u8]| {
            // With its length, so that no two lists of parts are the same text.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        };
        add(b"jp trust 1");
        add(self.root.as_os_str().as_encoded_bytes());
        for WorkspaceFile { name, path, text } in &self.files {
            add(name.as_bytes());
            add(path.as_os_str().as_encoded_bytes());
            add(text.as_bytes());
        }
        hexadecimal(&hash.finalize())
    }
}

impl WorkspaceFile {
    /// Whose configuration it is, if it is one.
    pub fn scope(&self) -> Option<Scope> {
        match self.name {
            CONFIG => Some(Scope::Workspace),
            LOCAL_CONFIG => Some(Scope::Local),
            _ => None,
        }
    }

    /// The settings in it that need trust.
    pub(super) fn settings(&self) -> Result<Vec<Effective>, ConfigErrors> {
        let Some(scope) = self.scope() else { return Ok(Vec::new()) };
        needing_trust(scope, &self.path, &self.text)
    }

    /// Whether all of it needs trust. One that names no server does nothing; one that cannot be
    /// read may do anything.
    pub(super) fn is_risky_as_a_whole(&self) -> bool {
        match self.name {
            MCP => {
                let text = self.text.trim_start_matches('\u{feff}');
                let is_empty =
                    |servers: &Value| servers.as_object().is_some_and(|all| all.is_empty());
                match serde_json::from_str::<Value>(text) {
                    Ok(Value::Object(file)) => !file.values().all(is_empty),
                    _ => !text.trim().is_empty(),
                }
            }
            INSTRUCTIONS => true,
            _ => false,
        }
    }
}

/// Bytes in hexadecimal digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where a file is without links; `None` if there is none.
pub(in crate::workspace) fn resolved(path: &Path) -> Result<Option<PathBuf>, FsError> {
    match path.canonicalize() {
        Ok(path) => Ok(Some(path)),
        // A link to nothing is nothing.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FsError::new("read", path, error)),
    }
}

/// The text of a file that is at another path, if it exists. A workspace may come from anywhere:
/// what is named so may be a device without an end, or a pipe that nobody writes to.
pub(in crate::workspace) fn read_text(path: &Path, at: &Path) -> Result<Option<String>, FsError> {
    let refuse = |kind, text| Err(FsError::new("read", path, io::Error::new(kind, text)));
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits() as i32);
    }
    match fs::metadata(at) {
        Ok(status) if status.is_file() => {}
        Ok(_) => return refuse(ErrorKind::InvalidInput, "it is not a file"),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FsError::new("read", path, error)),
    }
    let file = options.open(at).at("read", path)?;
    // It may have been replaced meanwhile.
    if !file.metadata().at("read", path)?.is_file() {
        return refuse(ErrorKind::InvalidInput, "it is not a file");
    }
    let mut bytes = Vec::new();
    let length = file.take(LIMIT + 1).read_to_end(&mut bytes).at("read", path)?;
    if length as u64 > LIMIT {
        return refuse(ErrorKind::InvalidData, "it is larger than 1 MiB");
    }
    let Ok(text) = String::from_utf8(bytes) else {
        return refuse(ErrorKind::InvalidData, "it is not UTF-8");
    };
    Ok(Some(text))
}
