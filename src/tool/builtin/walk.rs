//! Every file beneath a directory that somebody who lists or searches should see.
//!
//! Names are opened from within the directory that they stand in, and links are told of but never
//! followed. What belongs to git and to jp is left out, and so is what git ignores.

use std::{
    ffi::{OsStr, OsString},
    ops::ControlFlow,
    os::{
        fd::OwnedFd,
        unix::ffi::{OsStrExt, OsStringExt},
    },
};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, readlinkat, statat};

use super::{
    ignore::{self, Ignored},
    path::{Inside, guard},
    problem::Problem,
    root::{Root, kind_of},
};
use crate::cancel::Cancel;

/// The deepest directory, and so the most directories that are open at once.
const DEEPEST: usize = 128;

/// How to go through a directory.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    /// The workspace.
    pub(super) root: &'a Root,
    /// How many levels to go down; one are the entries of the directory itself.
    pub(super) depth: usize,
    /// Whether what git ignores is seen as well.
    pub(super) ignored: bool,
    /// Whether it is still wanted.
    pub(super) cancel: &'a Cancel,
}

/// Something in a directory.
pub(super) struct Entry<'a> {
    /// Where it is.
    pub(super) path: Inside,
    /// How many levels below the beginning.
    pub(super) level: usize,
    /// What it is.
    pub(super) kind: Kind,
    /// The directory that it stands in.
    pub(super) above: &'a OwnedFd,
    /// Its name there.
    pub(super) name: &'a OsStr,
}

/// What something in a directory is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A link, and where it leads.
    Link(OsString),
    /// A pipe, a device, a socket.
    Other,
}

/// What was not gone through.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Missed {
    /// Directories that could not be read, or are too deep.
    pub(super) directories: Vec<Inside>,
    /// How many entries were left out because git ignores them.
    pub(super) ignored: usize,
}

type Visit<'v> = dyn FnMut(Entry<'_>) -> ControlFlow<()> + 'v;

impl Walk<'_> {
    /// Shows everything beneath a directory, in the order of its names, each directory before what
    /// is in it.
    pub(super) fn go(&self, start: &Inside, visit: &mut Visit<'_>) -> Result<Missed, Problem> {
        let mut ignored = Ignored::above(self.root.real());
        let mut here = Inside::default();
        for name in start.names() {
            let directory = self.root.open_directory(&here)?;
            ignored = with_list(ignored, &directory, &here);
            here = here.join(name);
        }
        let directory = self.root.open_directory(start)?;
        let mut missed = Missed::default();
        let _stopped = self.enter(&directory, start, 1, &ignored, &mut missed, visit)?;
        Ok(missed)
    }

    fn enter(
        &self,
        directory: &OwnedFd,
        path: &Inside,
        level: usize,
        ignored: &Ignored,
        missed: &mut Missed,
        visit: &mut Visit<'_>,
    ) -> Result<ControlFlow<()>, Problem> {
        let Ok(names) = names(directory) else {
            missed.directories.push(path.clone());
            return Ok(ControlFlow::Continue(()));
        };
        let ignored = with_list(ignored.clone(), directory, path);
        for (name, kind) in names {
            if self.cancel.is_cancelled() {
                return Err(Problem::Cancelled);
            }
            let inside = path.join(&name);
            if guard(&name).is_some() || self.root.check_read(&inside).is_err() {
                continue;
            }
            // Whatever is gone by now was never there.
            let Some(kind) = kind.or_else(|| kind_at(directory, &name)) else { continue };
            let is_directory = kind == FileType::Directory;
            if !self.ignored && ignored.ignores(inside.as_path(), is_directory) {
                missed.ignored += 1;
                continue;
            }
            let kind = match kind {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Directory,
                FileType::Symlink => Kind::Link(target(directory, &name)),
                _ => Kind::Other,
            };
            let entry = Entry { path: inside.clone(), level, kind, above: directory, name: &name };
            if visit(entry).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            if !is_directory || level >= self.depth {
                continue;
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let opened = openat(directory, name.as_os_str(), flags, Mode::empty());
            let Some(opened) = opened.ok().filter(|_| level < DEEPEST) else {
                missed.directories.push(inside);
                continue;
            };
            if self.enter(&opened, &inside, level + 1, &ignored, missed, visit)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// The rules with those of a directory. A list that is there and cannot be read hides everything.
fn with_list(ignored: Ignored, directory: &OwnedFd, path: &Inside) -> Ignored {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // git does not follow a link there either.
    if kind_at(directory, OsStr::new(ignore::NAME)) != Some(FileType::RegularFile) {
        return ignored;
    }
    let opened = openat(directory, ignore::NAME, flags, Mode::empty()).ok();
    match opened.and_then(|file| ignore::read_list(file.into())) {
        Some(list) => ignored.with(path.as_path(), &list),
        None => ignored.with_everything(path.as_path()),
    }
}

/// The names in a directory, in order, and what they are if the directory says so.
fn names(directory: &OwnedFd) -> rustix::io::Result<Vec<(OsString, Option<FileType>)>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            let kind = Some(entry.file_type()).filter(|kind| *kind != FileType::Unknown);
            names.push((name.to_owned(), kind));
        }
    }
    names.sort_by(|one: &(OsString, _), other| one.0.cmp(&other.0));
    Ok(names)
}

fn kind_at(directory: &OwnedFd, name: &OsStr) -> Option<FileType> {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|found| kind_of(&found))
}

fn target(directory: &OwnedFd, name: &OsStr) -> OsString {
    let target = readlinkat(directory, name, Vec::new());
    OsString::from_vec(target.map(|target| target.into_bytes()).unwrap_or_default())
}
