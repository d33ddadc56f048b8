//! File-system primitives for everything that writes outside git objects, and the syncs under them.
//!
//! What returns `Ok` here is on disk: contents are synced before a rename and the directory after
//! it. It refuses to follow a symlink in place of the file being replaced, and it never retries: a
//! failed sync may have dropped the pages, so the only honest answer is an error naming the path.

mod directory_lock;
mod leftover;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

pub use directory_lock::DirectoryLock;
pub use leftover::{Leftover, is_own};

/// What failed, on which path, and why.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} `{}`: {}", path.display(), cause(source))]
pub struct FsError {
    action: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl FsError {
    /// Names the action and the path of a failed system call.
    pub fn new(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        FsError { action, path, source }
    }

    /// The path the action was about.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The class of the cause.
    pub fn source_kind(&self) -> io::ErrorKind {
        self.source.kind()
    }

    /// The error number of the cause, if the system gave one.
    pub fn raw_os_error(&self) -> Option<i32> {
        self.source.raw_os_error()
    }
}

/// Attaches an action and a path to an I/O result.
pub trait AtPath<T> {
    /// Turns an I/O error into one that says what could not be done to `path`.
    fn at(self, action: &'static str, path: &Path) -> Result<T, FsError>;
}

impl<T> AtPath<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, FsError> {
        self.map_err(|source| FsError::new(action, path, source))
    }
}

/// Replaces `path` by a file with these bytes: after a crash it holds the old or the new contents.
///
/// The permissions of a file that is replaced are kept; a new file gets 0644 less the umask.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    let existing = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file);
    let temporary = beside(path, bytes, 0o644, existing.map(|existing| existing.permissions()))?;
    persist_durably(temporary, path)
}

/// Replaces `path` as [`write_atomic`] does, by a file that only its owner can read.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    persist_durably(beside(path, bytes, 0o600, None)?, path)
}

/// Replaces `path` as [`write_private`] does, but without a sync: for what means nothing any more
/// after a power cut.
pub fn write_fleeting(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    persist(beside(path, bytes, 0o600, None)?, path)
}

/// Opens a file to write at its end, for this user alone: a log, which need not survive a power
/// cut.
pub fn append_private(path: &Path) -> Result<File, FsError> {
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).at("open", path)
}

/// Writes what is to replace `path` into a file beside it, which goes if it is dropped.
fn beside(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    permissions: Option<fs::Permissions>,
) -> Result<NamedTempFile, FsError> {
    let directory = parent(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".jp-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    let mut temporary = builder.tempfile_in(directory).at("create a file in", directory)?;
    if let Some(permissions) = permissions {
        temporary.as_file().set_permissions(permissions).at("write", path)?;
    }
    temporary.write_all(bytes).at("write", path)?;
    Ok(temporary)
}

fn persist(temporary: NamedTempFile, path: &Path) -> Result<(), FsError> {
    // Dropping the `PersistError` removes the temporary file.
    temporary.persist(path).map_err(|error| FsError::new("replace", path, error.error))?;
    Ok(())
}

fn persist_durably(temporary: NamedTempFile, path: &Path) -> Result<(), FsError> {
    temporary.as_file().sync_all().at("sync", path)?;
    persist(temporary, path)?;
    sync_dir(parent(path))
}

/// Makes an empty file that only its owner can read, under a name that nobody had.
pub fn create_private_in(
    directory: &Path,
    prefix: &str,
    suffix: &str,
) -> Result<(File, PathBuf), FsError> {
    let mut builder = tempfile::Builder::new();
    let made = builder.prefix(prefix).suffix(suffix).tempfile_in(directory);
    let made = made.at("create a file in", directory)?;
    made.keep().map_err(|error| FsError::new("create a file in", directory, error.error))
}

/// Makes the entries of a directory durable.
pub fn sync_dir(path: &Path) -> Result<(), FsError> {
    #[cfg(unix)]
    File::open(path).and_then(|directory| directory.sync_all()).at("sync directory", path)?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Makes the name of a path durable, and those of all directories above it, whoever made them. It
/// ends where another file system begins, and at what we may not open and so did not make.
pub fn sync_names_above(path: &Path) -> Result<(), FsError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let path = path.canonicalize().at("resolve", path)?;
        let device = fs::metadata(&path).at("inspect", &path)?.dev();
        for above in path.ancestors().skip(1) {
            if fs::metadata(above).at("inspect", above)?.dev() != device {
                break;
            }
            match sync_dir(above) {
                Err(error) if error.source_kind() == io::ErrorKind::PermissionDenied => break,
                synced => synced?,
            }
            // The names of directories came before what is in them.
            if keeps_order_of_renames(&path) {
                break;
            }
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Creates a directory and its missing parents, each durable in its own parent.
///
/// One that is there is taken for durable, though whoever made it may have been killed before that.
pub fn create_dir_durable(path: &Path) -> Result<(), FsError> {
    create_dirs(path, &fs::DirBuilder::new())
}

/// Creates a directory and its missing parents as [`create_dir_durable`] does; what it creates only
/// its owner can enter.
///
/// What is put there is told of as safe, so directories that are there already are not taken for
/// durable: on a file system that may lose an older name than one that it keeps, theirs are synced.
pub fn create_dir_private(path: &Path) -> Result<(), FsError> {
    if let Some(there) = path.ancestors().find(|above| above.is_dir())
        && !keeps_order_of_renames(there)
    {
        sync_names_above(there)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    create_dirs(path, &builder)
}

fn create_dirs(path: &Path, builder: &fs::DirBuilder) -> Result<(), FsError> {
    if path.is_dir() {
        return Ok(());
    }
    let above = parent(path);
    if above != path {
        create_dirs(above, builder)?;
    }
    match builder.create(path) {
        Ok(()) => {}
        // Somebody else was faster; their entry may not be synced yet, so ours is not skipped.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
        Err(error) => return Err(FsError::new("create directory", path, error)),
    }
    sync_dir(above)
}

/// Syncs several files at once, so that the file system can put them into one journal commit.
pub fn sync_together(files: &[(&Path, &File)]) -> Result<(), FsError> {
    let sync = |(path, file): &(&Path, &File)| file.sync_all().at("sync", path);
    let Some((last, others)) = files.split_last() else {
        return Ok(());
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = others
            .iter()
            .map(|entry| {
                std::thread::Builder::new()
                    .spawn_scoped(scope, move || sync(entry))
                    // Out of threads is no reason to fail: sync here instead.
                    .map_err(|_error| entry)
            })
            .collect();
        let mut outcome = sync(last);
        for other in others {
            let result = match other {
                Ok(thread) => thread.join().expect("fsync does not panic"),
                Err(entry) => sync(entry),
            };
            outcome = outcome.and(result);
        }
        outcome
    })
}

/// Syncs several directories at once.
pub fn sync_dirs_together(directories: &[&Path]) -> Result<(), FsError> {
    let open = |path: &&Path| File::open(path).at("open", path);
    let files = directories.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let pairs: Vec<_> = directories.iter().copied().zip(&files).collect();
    sync_together(&pairs)
}

/// Whether the file system has one journal for all names, so that after a power cut no rename is
/// there without those before it. Of one that we do not know, we do not believe it.
pub fn keeps_order_of_renames(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        // The magic numbers of ext4 and XFS.
        rustix::fs::statfs(path)
            .is_ok_and(|status| status.f_type == 0xEF53 || status.f_type == 0x5846_5342)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        false
    }
}

/// The directory that holds `path`, as something that can be opened.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    }
}

/// The text of an error without the number that the standard library appends.
pub fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    // tempfile puts the path behind the number, and we name it ourselves.
    text.split(" (os error ").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_atomic_replaces_the_contents_and_leaves_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn write_atomic_keeps_the_permissions_of_the_file_it_replaces() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        fs::write(&path, "secret").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_private_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("a/b");
        create_dir_private(&inner).unwrap();
        assert_eq!((mode(inner.parent().unwrap()), mode(&inner)), (0o700, 0o700));
        let path = inner.join("file");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write_private(&path, b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"new".to_vec(), 0o600));
        write_fleeting(&path, b"newer").unwrap();
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"newer".to_vec(), 0o600));
        let (_, one) = create_private_in(&inner, "a-", ".txt").unwrap();
        let (_, other) = create_private_in(&inner, "a-", ".txt").unwrap();
        assert_ne!(one, other);
        assert_eq!((mode(&one), mode(&other)), (0o600, 0o600));
    }

    #[test]
    fn a_failed_write_leaves_no_temporary_file_and_names_path_and_cause() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("taken");
        fs::create_dir_all(path.join("inside")).unwrap();
        let error = write_atomic(&path, b"x").unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("cannot replace `{}`: Is a directory", path.display())
        );
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn create_dir_durable_creates_missing_parents_and_accepts_what_exists() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/b/c");
        create_dir_durable(&path).unwrap();
        create_dir_durable(&path).unwrap();
        assert!(path.is_dir());
        fs::write(path.join("file"), "").unwrap();
        assert!(create_dir_durable(&path.join("file")).is_err());
    }

    #[test]
    fn names_above_are_synced_for_what_exists_and_through_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/b");
        fs::create_dir_all(&path).unwrap();
        sync_names_above(&path).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&path, directory.path().join("link")).unwrap();
            sync_names_above(&directory.path().join("link")).unwrap();
        }
        assert!(sync_names_above(&path.join("none")).is_err());
    }

    #[test]
    fn sync_together_syncs_all_and_accepts_none() {
        let directory = tempfile::tempdir().unwrap();
        let paths: Vec<_> = (0..3).map(|n| directory.path().join(n.to_string())).collect();
        let files: Vec<_> = paths.iter().map(|path| File::create(path).unwrap()).collect();
        let pairs: Vec<_> = paths.iter().map(PathBuf::as_path).zip(&files).collect();
        sync_together(&pairs).unwrap();
        sync_together(&[]).unwrap();
    }
}
