//! Where the workspace is, and where its conversations are kept.

use std::path::{Path, PathBuf};

use super::{ConfigFiles, WorkspaceError};
use crate::{
    config::{Scope, store_path},
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
        match marked(env)? {
            Some(root) => Self::at(env, root),
            None => Self::personal(env),
        }
    }

    /// The workspace at a place where it was before.
    pub(super) fn known(env: &Env, root: PathBuf) -> Result<Self, WorkspaceError> {
        let personal = Self::personal(env)?;
        if personal.root == root { Ok(personal) } else { Self::at(env, root) }
    }

    fn personal(env: &Env) -> Result<Self, WorkspaceError> {
        let root = env.data_dir().ok_or(WorkspaceError::NoHome)?.join("personal");
        let store = match configured_store(env)? {
            Some(path) => path,
            None => root.join(MARK).join("store"),
        };
        Ok(Self { root, store, personal: true })
    }

    pub(super) fn at(env: &Env, root: PathBuf) -> Result<Self, WorkspaceError> {
        let own = root.join(MARK).join("store");
        let store = if let Some(path) = configured_store(env)? {
            path
        } else if exists(&own)? {
            within(&root, own)?
        } else if let Some(common) = git_common_dir(&root) {
            common.join("jp")
        } else {
            own
        };
        Ok(Self { root, store, personal: false })
    }
}

/// A store of a workspace, if it is in it: a link could lead to that of another workspace.
fn within(root: &Path, store: PathBuf) -> Result<PathBuf, WorkspaceError> {
    let real = |path: &Path| path.canonicalize().at("resolve", path);
    let (root, target) = (real(root)?, real(&store)?);
    if target.starts_with(root) {
        Ok(store)
    } else {
        Err(WorkspaceError::StoreLink { store, target })
    }
}

/// The nearest directory upward that is a workspace.
pub(super) fn marked(env: &Env) -> Result<Option<PathBuf>, FsError> {
    for directory in env.cwd().ancestors() {
        if exists(&directory.join(MARK))? && directory.join(MARK).is_dir() {
            return Ok(Some(directory.to_owned()));
        }
    }
    Ok(None)
}

/// Whether something is there; that we may not look is not the same as nothing.
pub(super) fn exists(path: &Path) -> Result<bool, FsError> {
    path.try_exists().at("look for", path)
}

/// The store that the user's own configuration names.
fn configured_store(env: &Env) -> Result<Option<PathBuf>, WorkspaceError> {
    let files = ConfigFiles::of_user(env);
    let Some((path, text)) = files.read(Scope::User)? else { return Ok(None) };
    Ok(store_path(&path, &text, env.home().as_deref())?)
}
