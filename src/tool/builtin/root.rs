//! The workspace as a directory that is open, and everything else opened from within it.
//!
//! What is named by a path is found in two steps. First the links in it are followed by reading
//! them, which gives a path without links, and tells what rules have to look at. Then that path is
//! opened, and no link is followed any more: by the kernel's own rule (`openat2`, beneath and
//! without links), or name by name where the system has no such call. So what is opened is what was
//! resolved, or nothing, whoever changes the directories meanwhile.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStringExt,
    },
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, open, openat, readlinkat, statat},
    io::Errno,
};

use super::{
    path::{Guarded, Inside},
    problem::Problem,
};

/// The most links that one path may lead through, as the system has it.
const LINKS: usize = 40;

/// How a directory is opened: never through a link in its place.
const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// How a file is opened: never through a link in its place, and without waiting for anybody.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The root of the workspace.
#[derive(Debug)]
pub(super) struct Root {
    path: PathBuf,
    real: PathBuf,
    directory: Result<OwnedFd, String>,
    kept: Vec<Inside>,
    way: Way,
}

/// How directories are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// With one call that the kernel guards, where it has it.
    Kernel,
    /// Name by name.
    Steps,
}

impl Root {
    /// Opens a workspace, in which `kept` are directories of which nothing is read or written.
    pub(super) fn new(path: &Path, kept: &[PathBuf]) -> Self {
        let directory = open(path, DIRECTORY.difference(OFlags::NOFOLLOW), Mode::empty());
        let directory = directory.map_err(|error| {
            format!("`{}`: {}", path.display(), crate::fsutil::cause(&error.into()))
        });
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let inside = |kept: &PathBuf| {
            let kept = kept.canonicalize().unwrap_or_else(|_| kept.clone());
            let relative = kept.strip_prefix(&real).ok()?;
            // A workspace inside of a store is strange, and not forbidden by this.
            Inside::fold(relative.components()).filter(|kept| kept.split().is_some())
        };
        let kept = kept.iter().filter_map(inside).collect();
        let way = if cfg!(target_os = "linux") { Way::Kernel } else { Way::Steps };
        Self { path: path.to_owned(), real, directory, kept, way }
    }

    /// The same workspace, opened in another way.
    #[cfg(test)]
    pub(super) fn by(mut self, way: Way) -> Self {
        self.way = way;
        self
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where it is behind all links.
    pub(super) fn real(&self) -> &Path {
        &self.real
    }

    /// The path that a model named.
    pub(super) fn parse(&self, text: &str) -> Result<Inside, Problem> {
        Inside::parse(text, &[&self.path, &self.real])
    }

    /// Whether this may be written.
    pub(super) fn check_write(&self, path: &Inside) -> Result<(), Problem> {
        self.refuse(path, path.guarded_from_writing())
    }

    /// Whether this may be read.
    pub(super) fn check_read(&self, path: &Inside) -> Result<(), Problem> {
        self.refuse(path, path.guarded_from_reading())
    }

    fn refuse(&self, path: &Inside, guarded: Option<Guarded>) -> Result<(), Problem> {
        let kept = || self.kept.iter().any(|kept| path.is_in(kept)).then_some(Guarded::Store);
        match guarded.or_else(kept) {
            Some(guarded) => Err(Problem::Guarded { path: path.clone(), guarded }),
            None => Ok(()),
        }
    }

    /// The path behind all links, as far as it exists. It never leads out.
    pub(super) fn resolve(&self, path: &Inside) -> Result<Inside, Problem> {
        let (mut links, mut link) = (0, Inside::default());
        let mut left: Vec<OsString> = path.names().map(OsStr::to_owned).collect();
        left.reverse();
        let (mut names, mut opened): (Vec<OsString>, Vec<OwnedFd>) = (Vec::new(), Vec::new());
        while let Some(name) = left.pop() {
            let above = match opened.last() {
                Some(directory) => directory.as_fd(),
                None => self.directory()?,
            };
            if name == ".." {
                // Only a link says so.
                if names.pop().is_none() {
                    return Err(Problem::LeadsOut { path: path.clone(), link });
                }
                opened.pop();
                continue;
            }
            let here = Inside::of(&names).join(&name);
            match readlinkat(above, name.as_os_str(), Vec::new()) {
                Ok(target) => {
                    links += 1;
                    if links > LINKS {
                        return Err(Problem::Circle(path.clone()));
                    }
                    link = here;
                    let target = OsString::from_vec(target.into_bytes());
                    let Some(steps) = steps(&target) else {
                        return Err(Problem::LeadsOut { path: path.clone(), link });
                    };
                    left.extend(steps.into_iter().rev());
                }
                Err(Errno::INVAL) if left.is_empty() => names.push(name),
                Err(Errno::INVAL) => {
                    match openat(above, name.as_os_str(), DIRECTORY, Mode::empty()) {
                        Ok(directory) => opened.push(directory),
                        Err(Errno::NOTDIR | Errno::LOOP) => return Err(Problem::NoDirectory(here)),
                        Err(error) => return Err(Problem::system("open", &here, error)),
                    }
                    names.push(name);
                }
                Err(Errno::NOENT) => {
                    // Below what is missing there is no link, and only a link has `..` in it.
                    let rest = left.iter().rev();
                    let all: PathBuf = names.iter().chain([&name]).chain(rest).collect();
                    let out = || Problem::LeadsOut { path: path.clone(), link };
                    return Inside::fold(all.components()).ok_or_else(out);
                }
                Err(Errno::NOTDIR) => return Err(Problem::NoDirectory(Inside::of(&names))),
                Err(error) => return Err(Problem::system("look at", &here, error)),
            }
        }
        Ok(Inside::of(&names))
    }

    /// Opens a directory, through no link.
    pub(super) fn open_directory(&self, path: &Inside) -> Result<OwnedFd, Problem> {
        let opened = match self.way {
            Way::Kernel => match open_beneath(self.directory()?, path) {
                // The kernel does not know the call, or a sandbox does not want it.
                Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => self.open_in_steps(path)?,
                opened => opened,
            },
            Way::Steps => self.open_in_steps(path)?,
        };
        opened.map_err(|error| match error {
            Errno::NOTDIR | Errno::LOOP => match self.first_link(path) {
                Some(link) => Problem::Link { path: path.clone(), link },
                None => Problem::NoDirectory(path.clone()),
            },
            error => Problem::system("open", path, error),
        })
    }

    fn open_in_steps(&self, path: &Inside) -> Result<Result<OwnedFd, Errno>, Problem> {
        let mut opened = openat(self.directory()?, c".", DIRECTORY, Mode::empty());
        for name in path.names() {
            opened = opened.and_then(|above| openat(&above, name, DIRECTORY, Mode::empty()));
        }
        Ok(opened)
    }

    /// The first name of a path that is a link.
    pub(super) fn first_link(&self, path: &Inside) -> Option<Inside> {
        let mut above = openat(self.directory().ok()?, c".", DIRECTORY, Mode::empty()).ok()?;
        let mut here = Inside::default();
        for name in path.names() {
            here = here.join(name);
            let found = statat(&above, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            if kind_of(&found) == FileType::Symlink {
                return Some(here);
            }
            above = openat(&above, name, DIRECTORY, Mode::empty()).ok()?;
        }
        None
    }

    /// Opens a file to read, through no link, if it is one that has an end.
    pub(super) fn open_file(&self, path: &Inside) -> Result<(File, Stat), Problem> {
        let Some((above, name)) = path.split() else {
            return Err(Problem::Directory(path.clone()));
        };
        open_file_in(&self.open_directory(&above)?, name, path)
    }

    fn directory(&self) -> Result<BorrowedFd<'_>, Problem> {
        match &self.directory {
            Ok(directory) => Ok(directory.as_fd()),
            Err(problem) => Err(Problem::NoWorkspace(problem.clone())),
        }
    }
}

/// Opens a file of a directory to read. Pipes and devices are not even opened.
pub(super) fn open_file_in(
    above: &OwnedFd,
    name: &OsStr,
    path: &Inside,
) -> Result<(File, Stat), Problem> {
    let failed = |error| Problem::system("open", path, error);
    check_file(&statat(above, name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?, path)?;
    let file = match openat(above, name, FILE, Mode::empty()) {
        Err(Errno::LOOP) => return Err(Problem::NoFile { path: path.clone(), kind: A_LINK }),
        opened => opened.map_err(failed)?,
    };
    // Somebody may have put another thing there since.
    let found = fstat(&file).map_err(failed)?;
    check_file(&found, path)?;
    Ok((file.into(), found))
}

/// What is at the place of a file.
pub(super) fn kind_of(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}

const A_LINK: &str = "a symbolic link";

fn check_file(found: &Stat, path: &Inside) -> Result<(), Problem> {
    let kind = match kind_of(found) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => return Err(Problem::Directory(path.clone())),
        FileType::Symlink => A_LINK,
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "of an unknown kind",
    };
    Err(Problem::NoFile { path: path.clone(), kind })
}

/// The steps that a link leads along, unless they begin at the top of the system.
fn steps(target: &OsStr) -> Option<Vec<OsString>> {
    let steps = Path::new(target).components().filter(|step| *step != Component::CurDir);
    let step = |step: Component<'_>| match step {
        Component::RootDir | Component::Prefix(_) => None,
        step => Some(step.as_os_str().to_owned()),
    };
    steps.map(step).collect()
}

#[cfg(target_os = "linux")]
fn open_beneath(root: BorrowedFd<'_>, path: &Inside) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    let path = match path.as_path().as_os_str().is_empty() {
        true => Path::new("."),
        false => path.as_path(),
    };
    openat2(root, path, DIRECTORY, Mode::empty(), resolve)
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(_root: BorrowedFd<'_>, _path: &Inside) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}
