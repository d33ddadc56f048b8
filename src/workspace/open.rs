//! Opening a workspace, and making one.

use std::path::Path;

use super::{
    Location, WorkspaceError,
    locate::{MARK, exists},
};
use crate::{
    env::Env,
    fsutil::{self, AtPath},
    store::{MaintenanceError, PackReport, Store, WorkspaceId},
};

/// A workspace that has been opened: a directory with conversations that belong to it.
pub struct Workspace {
    pub(super) location: Location,
    pub(super) store: Store,
    pub(super) env: Env,
    /// What it was opened for, in a word, for whoever finds a conversation locked.
    pub(super) doing: Option<&'static str>,
}

/// What making a workspace changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialised {
    /// There was none before.
    New,
    /// Everything was there already.
    Already,
}

impl Workspace {
    /// Where it is.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Its conversation repository.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The same, telling whoever finds a conversation locked what it was opened for.
    pub fn doing(self, what: &'static str) -> Self {
        Self { doing: Some(what), ..self }
    }

    /// Packs the store as small as it gets.
    pub fn pack(&self) -> Result<PackReport, MaintenanceError> {
        self.store.pack(&self.env, &self.holder())
    }

    /// Opens the workspace of the current directory; `None` if it has no store yet.
    pub fn open(env: &Env) -> Result<Option<Self>, WorkspaceError> {
        let location = Location::find(env)?;
        if !exists(&location.store)? {
            return Ok(None);
        }
        let store = Store::open(&location.store)?;
        Ok(Some(Self { location, store, env: env.clone(), doing: None }))
    }

    /// Opens the workspace of the current directory, and makes its store if there is none.
    pub fn open_or_create(env: &Env) -> Result<Self, WorkspaceError> {
        let location = Location::find(env)?;
        Self::with_store(env, location)
    }

    /// Makes a directory a workspace.
    pub fn init(env: &Env, directory: &Path) -> Result<(Self, Initialised), WorkspaceError> {
        let root = env.cwd().join(directory);
        if root.exists() && !root.is_dir() {
            return Err(WorkspaceError::NotADirectory(root));
        }
        fsutil::create_dir_durable(&root)?;
        let root = root.canonicalize().at("resolve", &root)?;
        let mark = root.join(MARK);
        let location = Location::at(env, root)?;
        let mut initialised = Initialised::Already;
        if !exists(&location.store)? {
            initialised = Initialised::New;
        }
        fsutil::create_dir_durable(&mark)?;
        for (name, text) in [
            ("config.toml", include_str!("../../templates/workspace-config.toml")),
            (".gitignore", include_str!("../../templates/workspace-gitignore")),
        ] {
            let path = mark.join(name);
            if !path.exists() {
                fsutil::write_atomic(&path, text.as_bytes())?;
                initialised = Initialised::New;
            }
        }
        Ok((Self::with_store(env, location)?, initialised))
    }

    fn with_store(env: &Env, location: Location) -> Result<Self, WorkspaceError> {
        let store = if exists(&location.store)? {
            Store::open(&location.store)?
        } else {
            let random = env.random().at("read random bytes for", &location.store)?;
            Store::init(&location.store, &WorkspaceId::from_random(random))?
        };
        Ok(Self { location, store, env: env.clone(), doing: None })
    }
}
