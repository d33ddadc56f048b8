//! Where a workspace was last worked with, so that it is found again from a directory elsewhere.

use std::path::{Path, PathBuf};

use super::{Location, Workspace, WorkspaceError};
use crate::{
    env::Env,
    fsutil::{self, FsError},
    store::{Store, WorkspaceId},
};

const FILE: &str = "home";

impl Workspace {
    /// Remembers where this workspace is, in the state of the user.
    pub fn remember_home(&self) -> Result<(), WorkspaceError> {
        let state = self.state_dir()?;
        fsutil::create_dir_private(&state)?;
        let root = self.location.root.as_os_str().as_encoded_bytes();
        let path = state.join(FILE);
        if std::fs::read(&path).is_ok_and(|known| known == root) {
            return Ok(());
        }
        Ok(fsutil::write_private(&path, root)?)
    }

    /// Opens the workspace with an id: that of the current directory, else where it was last worked
    /// with. `None` if it is not there.
    pub fn open_by_id(env: &Env, id: &WorkspaceId) -> Result<Option<Self>, WorkspaceError> {
        if let Some(workspace) = Self::open(env)?.filter(|workspace| workspace.store.id() == id) {
            return Ok(Some(workspace));
        }
        let data = env.data_dir().ok_or(WorkspaceError::NoHome)?;
        let path = data.join("workspace").join(id.as_str()).join(FILE);
        let Some(root) = read(&path)? else { return Ok(None) };
        let location = Location::known(env, root)?;
        if !location.store.join("config").is_file() {
            return Ok(None);
        }
        let store = Store::open(&location.store)?;
        let workspace = Self { location, store, env: env.clone(), doing: None };
        Ok(Some(workspace).filter(|workspace| workspace.store.id() == id))
    }
}

fn read(path: &Path) -> Result<Option<PathBuf>, WorkspaceError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(path_of(bytes))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FsError::new("read", path, error).into()),
    }
}

fn path_of(bytes: Vec<u8>) -> PathBuf {
    #[cfg(unix)]
    {
        PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes))
    }
    #[cfg(not(unix))]
    {
        PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
    }
}
