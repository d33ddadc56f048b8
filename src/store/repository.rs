//! The repository itself: making it, opening it, and the refs in it.

use std::{
    fmt,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use gix::ObjectId;

use super::{
    Commit, Holder, Lock, LockError, ObjectError, Objects, RefError, Space,
    config::Config,
    refs::{self, RefName, Refs},
};
use crate::{
    fsutil::{self, AtPath, FsError},
    model::ConversationId,
};

/// The random id of a store, which is the id of the workspace: worktrees share it, clones differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceId(String);

impl WorkspaceId {
    /// An id from random bytes.
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The id, safe as the name of a file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text that is not the id of a workspace.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is not the id of a workspace", .0.escape_debug())]
pub struct InvalidWorkspaceId(String);

impl std::str::FromStr for WorkspaceId {
    type Err = InvalidWorkspaceId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_safe = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        match text.len() == 32 && text.bytes().all(is_safe) {
            true => Ok(Self(text.to_owned())),
            false => Err(InvalidWorkspaceId(text.to_owned())),
        }
    }
}

impl fmt::Display for WorkspaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A store that has been opened.
pub struct Store {
    path: PathBuf,
    id: WorkspaceId,
    pub(super) objects: Objects,
}

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum StoreError {
    #[error("`{}` is not a store", .0.display())]
    NotAStore(PathBuf),
    #[error("`{}` has no workspace id in `jp.id`", .0.display())]
    NoId(PathBuf),
    #[error("`{}` cannot be read: {message}", path.display())]
    Config { path: PathBuf, message: String },
    #[error("`{}` uses `{key} = {value}`, which jp does not support", path.display())]
    Unsupported { path: PathBuf, key: &'static str, value: String },
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Store {
    /// Opens a store.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let config_path = path.join("config");
        let text = match std::fs::read(&config_path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(StoreError::NotAStore(path.to_owned()));
            }
            Err(error) => return Err(FsError::new("read", config_path, error).into()),
        };
        let config = Config::parse(&config_path, &text)?;
        for (section, key, supported) in
            [("extensions", "refStorage", "files"), ("extensions", "objectFormat", "sha1")]
        {
            if let Some(value) = config.get(section, key).filter(|value| value != supported) {
                let key = if key == "refStorage" {
                    "extensions.refStorage"
                } else {
                    "extensions.objectFormat"
                };
                return Err(StoreError::Unsupported { path: config_path, key, value });
            }
        }
        let is_id = |id: &String| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit());
        let id = config.get("jp", "id").filter(is_id);
        let id = id.map(WorkspaceId).ok_or(StoreError::NoId(config_path))?;
        let directory = path.join("objects");
        let objects = Objects::open(&directory).at("open", &directory)?;
        Ok(Self { path: path.to_owned(), id, objects })
    }

    /// Makes a store, unless one is there already; opens it either way.
    pub fn init(path: &Path, id: &WorkspaceId) -> Result<Self, StoreError> {
        match Self::open(path) {
            Err(StoreError::NotAStore(_)) => {}
            opened => return opened,
        }
        let parent = path.parent().ok_or_else(|| StoreError::NotAStore(path.to_owned()))?;
        fsutil::create_dir_durable(parent)?;
        // One at a time, so that what a killed process left aside can be told from what is in use.
        let directory = std::fs::File::open(parent).at("open", parent)?;
        if fs4::FileExt::lock(&directory).is_ok() {
            clear_aside(parent)?;
        }
        match Self::open(path) {
            Err(StoreError::NotAStore(_)) => {}
            opened => return opened,
        }
        // Built aside and renamed, so that nobody ever sees half a store. Somebody may see and use it
        // before its name is on disk, so it says so of itself.
        let aside = tempfile::Builder::new().prefix(ASIDE).tempdir_in(parent);
        let aside = aside.at("create a directory in", parent)?;
        for directory in ["objects/info", "objects/pack", "refs/heads", "stage", "locks"] {
            fsutil::create_dir_durable(&aside.path().join(directory))?;
        }
        let config = include_str!("../../templates/store-config").replace("{id}", id.as_str());
        let attributes = include_str!("../../templates/store-attributes");
        fsutil::create_dir_durable(&aside.path().join("info"))?;
        fsutil::write_atomic(&aside.path().join("info/attributes"), attributes.as_bytes())?;
        fsutil::write_atomic(&aside.path().join("HEAD"), b"ref: refs/heads/main\n")?;
        fsutil::write_atomic(&aside.path().join(UNSETTLED), b"")?;
        fsutil::write_atomic(&aside.path().join("config"), config.as_bytes())?;
        match std::fs::rename(aside.path(), path) {
            Ok(()) => {
                // The directory has moved: there is nothing left to clean up.
                let _moved = aside.keep();
                settle(path)?;
            }
            Err(error) if is_taken(&error) => {}
            Err(error) => return Err(FsError::new("create", path, error).into()),
        }
        Self::open(path)
    }

    /// Makes the store itself durable, if whoever made it was killed before that. Nothing in it is
    /// safe before.
    pub(super) fn settle(&self) -> Result<(), FsError> {
        let mark = self.path.join(UNSETTLED);
        match mark.try_exists().at("inspect", &mark)? {
            true => settle(&self.path),
            false => Ok(()),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its id.
    pub fn id(&self) -> &WorkspaceId {
        &self.id
    }

    /// Its objects as they are on disk now, whatever was read before.
    pub(super) fn objects_anew(&self) -> Result<Objects, FsError> {
        let directory = self.path.join("objects");
        Objects::open(&directory).at("open", &directory)
    }

    /// Its objects.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Where the lock of a conversation is.
    pub fn lock_path(&self, id: ConversationId) -> PathBuf {
        self.path.join("locks").join(format!("{id}.lock"))
    }

    /// Takes the lock of a conversation, or says who has it.
    pub fn lock(&self, id: ConversationId, holder: &Holder) -> Result<Lock, LockError> {
        Lock::try_acquire(&self.lock_path(id), holder)
    }

    /// The conversations of a space with their commits, and the refs that cannot be read.
    pub fn list(&self, space: Space) -> Result<Refs, RefError> {
        refs::list(&self.path, space.prefix())
    }

    /// The commit of a conversation.
    pub fn tip(&self, space: Space, id: ConversationId) -> Result<Option<ObjectId>, RefError> {
        refs::read(&self.path, &Self::ref_name(space, id))
    }

    /// Whether a conversation of this id is or was here.
    pub fn knows(&self, id: ConversationId) -> Result<bool, RefError> {
        for space in Space::ALL {
            if self.tip(space, id)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads a commit.
    pub fn commit(&self, id: ObjectId) -> Result<Commit, ObjectError> {
        Commit::read(&self.objects, id, &mut Vec::new())
    }

    pub(super) fn ref_name(space: Space, id: ConversationId) -> RefName {
        RefName::of(space, &id.to_string()).expect("the id of a conversation is a valid ref name")
    }
}

/// What the names of stores that are being made begin with.
const ASIDE: &str = ".jp-store-";

/// The file that says of a store that its own name may not be on disk yet.
const UNSETTLED: &str = "unsettled";

/// Makes the name of a store durable, and then forgets that it was not.
fn settle(path: &Path) -> Result<(), FsError> {
    fsutil::sync_names_above(path)?;
    let mark = path.join(UNSETTLED);
    match std::fs::remove_file(&mark) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(FsError::new("remove", mark, error))
        }
        // Not synced: if the file comes back, this is done once more.
        _ => Ok(()),
    }
}

/// Removes what killed processes left while they made a store.
fn clear_aside(parent: &Path) -> Result<(), FsError> {
    for entry in std::fs::read_dir(parent).at("list", parent)? {
        let entry = entry.at("list", parent)?;
        if entry.file_name().to_string_lossy().starts_with(ASIDE) {
            std::fs::remove_dir_all(entry.path()).at("remove", &entry.path())?;
        }
    }
    Ok(())
}

/// Whether another process made the directory first.
fn is_taken(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists)
}
