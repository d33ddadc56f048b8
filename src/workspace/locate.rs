//! Where the workspace is, and where its conversations are kept.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::WorkspaceError;
use crate::{
    config::UserConfig,
    env::Env,
    fsutil::{AtPath, FsError},
    store::git_common_dir,
};

/// The directory that makes another one a workspace.
pub(super) const MARK: &str = ".jp";

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

    pub(super) fn at(env: &Env, root: PathBuf) -> Result<Self, WorkspaceError> {
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
pub(super) fn exists(path: &Path) -> Result<bool, FsError> {
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
