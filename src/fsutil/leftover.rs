//! Socket files that nobody listens on.
//!
//! The kernel leaves the file of a socket behind when its process ends. Whoever asks here has the
//! lock of its directory, and so has everybody who makes such a file: else one could be removed that
//! came a moment later.

use std::{fs, io, os::unix::fs::FileTypeExt, path::Path};

use rustix::{
    io::Errno,
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with},
};

use super::DirectoryLock;

/// What is at the path of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// Nothing, or nothing any more.
    Nothing,
    /// A socket that somebody listens on.
    Living,
    /// Something that is not a socket of this user.
    Foreign,
}

impl Leftover {
    /// Removes a socket file of this user that nobody listens on, and says what is there then.
    pub fn clear(path: &Path, lock: &DirectoryLock) -> io::Result<Self> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Nothing),
            Err(error) => return Err(error),
            Ok(found) if !found.file_type().is_socket() || !is_own(&found) => {
                return Ok(Self::Foreign);
            }
            Ok(_) => {}
        }
        if !lock.is_held() || is_listened_on(path)? {
            return Ok(Self::Living);
        }
        fs::remove_file(path)?;
        Ok(Self::Nothing)
    }
}

/// Whether something belongs to this user.
pub fn is_own(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

/// Whether somebody listens on a socket. This never waits: somebody with a long queue listens.
fn is_listened_on(path: &Path) -> io::Result<bool> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    match connect(&socket, &SocketAddrUnix::new(path)?) {
        Err(Errno::CONNREFUSED) => Ok(false),
        Ok(()) | Err(Errno::AGAIN) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn only_a_socket_that_nobody_listens_on_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let lock = DirectoryLock::take(directory.path());
        let path = directory.path().join("s");
        assert_eq!(Leftover::clear(&path, &lock).unwrap(), Leftover::Nothing);
        let listener = UnixListener::bind(&path).unwrap();
        assert_eq!(Leftover::clear(&path, &lock).unwrap(), Leftover::Living);
        drop(listener);
        assert!(path.exists());
        assert_eq!(Leftover::clear(&path, &lock).unwrap(), Leftover::Nothing);
        assert!(!path.exists());
    }

    #[test]
    fn somebody_with_a_full_queue_listens() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let flags = SocketFlags::CLOEXEC;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
        rustix::net::bind(&socket, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        rustix::net::listen(&socket, 0).unwrap();
        let _queued = UnixStream::connect(&path).unwrap();
        let lock = DirectoryLock::take(directory.path());
        assert_eq!(Leftover::clear(&path, &lock).unwrap(), Leftover::Living);
    }

    #[test]
    fn what_is_no_socket_or_cannot_be_claimed_stays() {
        let directory = tempfile::tempdir().unwrap();
        let (path, link) = (directory.path().join("s"), directory.path().join("link"));
        drop(UnixListener::bind(&path).unwrap());
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let lock = DirectoryLock::take(directory.path());
        assert_eq!(Leftover::clear(&link, &lock).unwrap(), Leftover::Foreign);
        let without = DirectoryLock::try_take(directory.path());
        assert_eq!(Leftover::clear(&path, &without).unwrap(), Leftover::Living);
        assert!(path.exists() && link.is_symlink());
    }
}
