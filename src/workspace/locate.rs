//! Where the workspace is, and where its conversations are kept.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::{Workspace, WorkspaceError};
use crate::{
    config::UserConfig,
    env::Env,
    fsutil::{self, AtPath, FsError},
    store::{Store, WorkspaceId, git_common_dir},
};

/// The directory that makes another one a workspace.
const MARK: &str = ".jp";

/// Where a workspace is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The directory that holds `.jp`.
    pub root: PathBuf,
    /// The conversation repository, which may not exist yet.
    pub store: PathBuf,
    /// Whether this is the user's own workspace, used outside of any other.
    pub personal: bool,
}

/// What making a workspace changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialised {
    /// There was none before.
    New,
    /// Everything was there already.
    Already,
}

impl Location {
    /// The workspace around the current directory, else the user's own.
    pub fn find(env: &Env) -> Result<Self, WorkspaceError> {
        let mut marked = None;
        for directory in env.cwd().ancestors() {
            if exists(&directory.join(MARK))? && directory.join(MARK).is_dir() {
                marked = Some(directory);
                break;
            }
        }
        match marked {
            Some(root) => Self::at(env, root.to_owned()),
            None => {
                let root = env.data_dir().ok_or(WorkspaceError::NoHome)?.join("personal");
                let store = match user_config(env)?.store.path {
                    Some(path) => path,
                    None => root.join(MARK).join("store"),
                };
                Ok(Self { root, store, personal: true })
            }
        }
    }

    fn at(env: &Env, root: PathBuf) -> Result<Self, WorkspaceError> {
        let own = root.join(MARK).join("store");
        let store = if let Some(path) = user_config(env)?.store.path {
            path
        } else if exists(&own)? {
            own
        } else if let Some(common) = git_common_dir(&root) {
            common.join("jp")
        } else {
            own
        };
        Ok(Self { root, store, personal: false })
    }
}

/// Whether something is there; that we may not look is not the same as nothing.
fn exists(path: &Path) -> Result<bool, FsError> {
    path.try_exists().at("look for", path)
}

fn user_config(env: &Env) -> Result<UserConfig, WorkspaceError> {
    let Some(path) = env.config_home().map(|directory| directory.join("jp/config.toml")) else {
        return Ok(UserConfig::default());
    };
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(UserConfig::parse(&path, &text, env.home().as_deref())?),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(UserConfig::default()),
        Err(error) => Err(FsError::new("read", path, error).into()),
    }
}

impl Workspace {
    /// Opens the workspace of the current directory; `None` if it has no store yet.
    pub fn open(env: &Env) -> Result<Option<Self>, WorkspaceError> {
        let location = Location::find(env)?;
        if !exists(&location.store)? {
            return Ok(None);
        }
        let store = Store::open(&location.store)?;
        Ok(Some(Self { location, store, env: env.clone() }))
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
        Ok(Self { location, store, env: env.clone() })
    }
}
