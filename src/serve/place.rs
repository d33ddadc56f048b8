//! Where sockets are: a directory that only this user can enter, checked before each use.
//!
//! The directory keeps others out, also in the moment before a socket has permissions of its own. It
//! is never trusted for its name: one in `/tmp` can have been made by somebody else before.

use std::{
    fs::{self, DirBuilder, Metadata, Permissions},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, MetadataExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    net::sockopt::socket_peercred,
    process::geteuid,
};
use sha2::{Digest, Sha256};

use crate::{
    env::Env,
    fsutil::{AtPath, DirectoryLock, FsError, Leftover, is_own},
    model::ConversationId,
    store::{Handful, Share, WorkspaceId},
};

/// The variable that names another directory to use, checked as `XDG_RUNTIME_DIR` is.
pub const VARIABLE: &str = "JP_RUNTIME_DIR";

/// Bytes that the path of a socket may have: the kernel takes one more, a zero.
const LONGEST: usize = 107;
/// Bytes of the longest name of a socket.
const NAME: usize = 25;

/// How much of the directory is looked at when something is cleared away.
const SHARE: Share = Share { names: 4096, files: 8, time: Duration::from_micros(300) };
/// Who made a socket so recently may be about to listen.
const YOUNG: Duration = Duration::from_secs(60);

/// Why there is no place for a socket.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum PlaceError {
    #[error("`{VARIABLE}` is `{}`, which is not an absolute path", .0.display())]
    NotAbsolute(PathBuf),
    #[error("`{}` cannot hold sockets: it is not a directory", .0.display())]
    NotADirectory(PathBuf),
    #[error("`{}` cannot hold sockets: it belongs to user {owner}", path.display())]
    NotOwn { path: PathBuf, owner: u32 },
    #[error("`{}` cannot hold sockets: others can enter it (mode {mode:o})", path.display())]
    Open { path: PathBuf, mode: u32 },
    #[error(
        "`{}` cannot hold sockets: their paths would have {} bytes, and {LONGEST} are allowed",
        .0.display(), length(.0)
    )]
    TooLong(PathBuf),
    #[error("somebody listens on `{}` already", .0.display())]
    Taken(PathBuf),
    #[error("`{}` is in the way: it is not a socket of yours", .0.display())]
    InTheWay(PathBuf),
    #[error("another process keeps `{}` locked", .0.display())]
    Busy(PathBuf),
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl From<PlaceError> for io::Error {
    fn from(error: PlaceError) -> Self {
        Self::other(error)
    }
}

/// The directory for sockets, made if it is missing: in `$JP_RUNTIME_DIR`, else in
/// `$XDG_RUNTIME_DIR` if that is fit for it, else in `/tmp`.
pub fn directory(env: &Env) -> Result<PathBuf, PlaceError> {
    let directory = match env.var(VARIABLE).map(PathBuf::from) {
        Some(named) if !named.is_absolute() => return Err(PlaceError::NotAbsolute(named)),
        Some(named) => {
            check(&named)?;
            named.join("jp")
        }
        None => env.absolute_path("XDG_RUNTIME_DIR").and_then(inside).unwrap_or_else(shared),
    };
    if length(&directory) > LONGEST {
        return Err(PlaceError::TooLong(directory));
    }
    make(&directory)?;
    Ok(directory)
}

/// The socket of a conversation. In what [`directory`] gives, its path is short enough.
pub fn socket_path(directory: &Path, workspace: &WorkspaceId, id: ConversationId) -> PathBuf {
    let hash = Sha256::digest(format!("{workspace} {id}"));
    let digits: String = hash.iter().take(10).map(|byte| format!("{byte:02x}")).collect();
    directory.join(format!("{digits}.sock"))
}

/// A socket for two who meet once.
pub fn rendezvous(directory: &Path, random: u64) -> PathBuf {
    directory.join(format!("r-{random:016x}.sock"))
}

/// Listens at a path that only this user can reach. What nobody listens on any more is replaced.
pub fn listen(path: &Path) -> Result<UnixListener, PlaceError> {
    let directory = parent(path);
    check(directory)?;
    let lock = DirectoryLock::take(directory);
    if !lock.is_held() {
        return Err(PlaceError::Busy(directory.to_owned()));
    }
    match Leftover::clear(path, &lock).at("look at", path)? {
        Leftover::Nothing => {}
        Leftover::Living => return Err(PlaceError::Taken(path.to_owned())),
        Leftover::Foreign => return Err(PlaceError::InTheWay(path.to_owned())),
    }
    let listener = UnixListener::bind(path).at("listen on", path)?;
    fs::set_permissions(path, Permissions::from_mode(0o600)).at("protect", path)?;
    Ok(listener)
}

/// Whoever connects within this time.
pub fn accept_within(listener: &UnixListener, time: Duration) -> io::Result<Option<UnixStream>> {
    let time = Timespec::try_from(time).map_err(io::Error::other)?;
    let mut ready = [PollFd::new(listener, PollFlags::IN)];
    match poll(&mut ready, Some(&time)) {
        Ok(0) | Err(Errno::INTR) => Ok(None),
        Ok(_) => listener.accept().map(|(stream, _)| Some(stream)),
        Err(error) => Err(error.into()),
    }
}

/// Removes some of the socket files that killed processes left in a directory, and says how many.
/// What came within the last minute is left alone.
pub fn clear_leftovers(directory: &Path, random: usize) -> usize {
    if check(directory).is_err() {
        return 0;
    }
    let lock = DirectoryLock::try_take(directory);
    let is_old = |path: &PathBuf| {
        let changed = fs::symlink_metadata(path).and_then(|found| found.modified());
        changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age >= YOUNG))
    };
    let clear = |path: &PathBuf| {
        is_old(path) && Leftover::clear(path, &lock).is_ok_and(|left| left == Leftover::Nothing)
    };
    Handful::of(directory, SHARE, random).filter(clear).count()
}

/// Connects to whoever listens at a path that only this user can reach.
pub fn connect(path: &Path) -> io::Result<UnixStream> {
    check(parent(path))?;
    UnixStream::connect(path)
}

/// Whether whoever is at the other end belongs to this user.
pub fn is_same_user(stream: &UnixStream) -> io::Result<bool> {
    Ok(socket_peercred(stream)?.uid == geteuid())
}

/// The number of the process at the other end, as the system knows it.
pub fn peer_pid(stream: &UnixStream) -> io::Result<u32> {
    Ok(socket_peercred(stream)?.pid.as_raw_nonzero().get().unsigned_abs())
}

/// Our directory within that of the desktop, if that one is what it should be and short enough.
fn inside(runtime: PathBuf) -> Option<PathBuf> {
    let directory = runtime.join("jp");
    (check(&runtime).is_ok() && length(&directory) <= LONGEST).then_some(directory)
}

/// Our directory where everybody has theirs. `TMPDIR` is not asked: all processes of a user have to
/// find the same one.
fn shared() -> PathBuf {
    PathBuf::from(format!("/tmp/jp-{}", geteuid().as_raw()))
}

/// Bytes of the longest path of a socket in a directory.
fn length(directory: &Path) -> usize {
    directory.as_os_str().as_bytes().len() + 1 + NAME
}

/// Makes a directory for this user alone, whatever the umask, or checks the one that is there.
fn make(path: &Path) -> Result<(), PlaceError> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(FsError::new("create directory", path, error).into()),
    }
    let found = own_directory(path)?;
    // The umask may have taken something from us, or is about to be made up for by another process.
    if found.mode() & 0o777 != 0o700 && found.mode() & 0o077 == 0 {
        fs::set_permissions(path, Permissions::from_mode(0o700)).at("protect", path)?;
    }
    check(path)
}

/// Checks that a directory belongs to this user and lets nobody else in.
fn check(path: &Path) -> Result<(), PlaceError> {
    let mode = own_directory(path)?.mode() & 0o777;
    match mode {
        0o700 => Ok(()),
        mode => Err(PlaceError::Open { path: path.to_owned(), mode }),
    }
}

/// What is known of a directory of this user; a link to one is none.
fn own_directory(path: &Path) -> Result<Metadata, PlaceError> {
    let found = fs::symlink_metadata(path).at("look at", path)?;
    if !found.is_dir() {
        return Err(PlaceError::NotADirectory(path.to_owned()));
    }
    if !is_own(&found) {
        return Err(PlaceError::NotOwn { path: path.to_owned(), owner: found.uid() });
    }
    Ok(found)
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

#[cfg(test)]
mod tests;
