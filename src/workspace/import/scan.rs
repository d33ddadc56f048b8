//! Looking at a directory that is to be imported: names, kinds and sizes, but no contents.
//!
//! It may come from anywhere. Every name is opened from within its directory and never through a
//! symbolic link, and what has no place in a conversation is told, not read.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{CStr, CString},
    io,
    os::fd::{AsFd, OwnedFd},
};

use rustix::fs::{AtFlags, Dir, FileType, Mode, openat, statat};

use super::{problems::Problems, source::DIRECTORY};
use crate::{
    format::{
        BriefingFile, CONFIG_FILE, FileName, MANIFEST_FILE, META_DIR, META_FILE, QUEUE_DIR,
        RunName, limits,
    },
    plan::TreePath,
    store::{CASE_TWIN, ProblemKind},
    workspace::place::{BESIDE, Place},
};

/// What a directory holds.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The files that have a place, with their sizes.
    pub(super) files: BTreeMap<Place, u64>,
    /// The directories of sealed runs.
    pub(super) runs: BTreeSet<RunName>,
    /// What has no place.
    pub(super) problems: Problems,
    /// Whether there is more than may be read.
    pub(super) too_much: bool,
    entries: usize,
}

/// What git needs for an entry of a tree beside its name.
const TREE_ENTRY: u64 = 28;

/// A directory of a conversation.
#[derive(Clone, Debug)]
enum Inside {
    Top,
    Run(RunName),
    Meta,
    Queue,
}

/// What a name stands for.
enum Kind {
    File(u64),
    Directory,
    Other(&'static str),
}

impl Scan {
    /// Looks at a directory.
    pub(super) fn of(top: &OwnedFd) -> io::Result<Self> {
        let mut scan = Self::default();
        scan.walk(openat(top, c".", DIRECTORY, Mode::empty())?, &Inside::Top)?;
        scan.weigh();
        Ok(scan)
    }

    fn walk(&mut self, directory: OwnedFd, inside: &Inside) -> io::Result<()> {
        let Some(names) = self.names(&directory, inside)? else { return Ok(()) };
        let mut folded = BTreeSet::new();
        for name in names {
            let Ok(text) = name.to_str() else {
                self.refuse(inside, &name.to_string_lossy(), "its name is not UTF-8");
                continue;
            };
            // Refused, but there: a manifest that lists it is not to blame.
            if !folded.insert(text.to_lowercase()) {
                self.refuse(inside, text, CASE_TWIN);
            }
            match kind(&directory, &name) {
                Err(error) => self.problems.unreadable(inside.found(text), &error),
                Ok(Kind::Other(why)) => self.refuse(inside, text, why),
                Ok(Kind::File(size)) => match inside.file(text) {
                    Some(place) => drop(self.files.insert(place, size)),
                    None => self.refuse(inside, text, "a file of this name has no place"),
                },
                Ok(Kind::Directory) => match inside.directory(text) {
                    Some(inner) => self.enter(&directory, &name, text, inside, &inner),
                    None => self.refuse(inside, text, "a directory of this name has no place"),
                },
            }
            if self.too_much {
                break;
            }
        }
        Ok(())
    }

    fn enter(
        &mut self,
        directory: &OwnedFd,
        name: &CStr,
        text: &str,
        inside: &Inside,
        inner: &Inside,
    ) {
        if let Inside::Run(run) = inner {
            self.runs.insert(run.clone());
            if self.runs.len() > limits::RUNS {
                return self.stop(inside, format!("there are more than {} runs", limits::RUNS));
            }
        }
        let opened = openat(directory, name, DIRECTORY, Mode::empty()).map_err(io::Error::from);
        if let Err(error) = opened.and_then(|opened| self.walk(opened, inner)) {
            self.problems.unreadable(inside.found(text), &error);
        }
    }

    /// The names in a directory, in order, unless they are too many.
    fn names(&mut self, directory: &OwnedFd, inside: &Inside) -> io::Result<Option<Vec<CString>>> {
        let mut names = Vec::new();
        let mut bytes = 0;
        for entry in Dir::read_from(directory)? {
            let entry = entry?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            bytes += name.count_bytes() as u64 + TREE_ENTRY;
            names.push(name.to_owned());
            self.entries += 1;
            let limit = limits::DIRECTORY_ENTRIES;
            if names.len() > limit || bytes > limits::TREE_OBJECT {
                self.stop(inside, format!("it has more names than fit (at most {limit})"));
                return Ok(None);
            }
            if self.entries > limits::EVENT_FILES {
                self.stop(inside, format!("there are more than {} files", limits::EVENT_FILES));
                return Ok(None);
            }
        }
        names.sort();
        Ok(Some(names))
    }

    /// Checks sizes, before anything is read.
    fn weigh(&mut self) {
        let (mut manifests, mut events) = (0, 0);
        for (place, size) in &self.files {
            if *size > place.limit() {
                let message = format!("the file is larger than {} bytes", place.limit());
                self.problems.push(place.path(), message, ProblemKind::Damage);
                self.too_much = true;
            }
            match place {
                Place::Manifest(_) => manifests += size,
                Place::Event(..) | Place::Queued(_) => events += size,
                Place::Meta | Place::Config | Place::Briefing(_) => {}
            }
        }
        for (what, size, limit) in [
            ("manifests", manifests, limits::MANIFESTS),
            ("event files", events, limits::CONVERSATION + BESIDE),
        ] {
            if size > limit {
                let message = format!("its {what} have more than {limit} bytes");
                self.stop(&Inside::Top, message);
            }
        }
    }

    fn stop(&mut self, inside: &Inside, message: String) {
        self.too_much = true;
        self.problems.push(inside.path(), message, ProblemKind::Foreign);
    }

    fn refuse(&mut self, inside: &Inside, name: &str, why: &str) {
        let why = leftover(name).unwrap_or(why);
        self.problems.push(inside.found(name), why, ProblemKind::Foreign);
    }
}

impl Inside {
    /// The place of a file with this name.
    fn file(&self, name: &str) -> Option<Place> {
        match (self, name) {
            (Self::Top, MANIFEST_FILE) => Some(Place::Manifest(None)),
            (Self::Run(run), MANIFEST_FILE) => Some(Place::Manifest(Some(run.clone()))),
            (Self::Meta, META_FILE) => Some(Place::Meta),
            (Self::Meta, CONFIG_FILE) => Some(Place::Config),
            (Self::Meta, name) => BriefingFile::find(name).map(Place::Briefing),
            (Self::Top, name) => Some(Place::Event(None, name.parse().ok()?)),
            (Self::Run(run), name) => Some(Place::Event(Some(run.clone()), name.parse().ok()?)),
            (Self::Queue, name) => Some(Place::Queued(name.parse::<FileName>().ok()?)),
        }
    }

    /// The directory of this name.
    fn directory(&self, name: &str) -> Option<Self> {
        match (self, name) {
            (Self::Top, META_DIR) => Some(Self::Meta),
            (Self::Top, name) => name.parse().ok().map(Self::Run),
            (Self::Meta, QUEUE_DIR) => Some(Self::Queue),
            (Self::Meta | Self::Run(_) | Self::Queue, _) => None,
        }
    }

    fn path(&self) -> TreePath {
        match self {
            Self::Top => TreePath::found(None, ".".to_owned()),
            Self::Run(run) => TreePath::found(None, run.to_string()),
            Self::Meta => TreePath::found(None, META_DIR.to_owned()),
            Self::Queue => TreePath::found(Some(META_DIR.to_owned()), QUEUE_DIR.to_owned()),
        }
    }

    /// The path of what was found here.
    fn found(&self, name: &str) -> TreePath {
        let directory = match self {
            Self::Top => None,
            Self::Run(_) | Self::Meta | Self::Queue => Some(self.path().to_string()),
        };
        TreePath::found(directory, name.to_owned())
    }
}

fn kind(directory: impl AsFd, name: &CStr) -> io::Result<Kind> {
    let status = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(match FileType::from_raw_mode(status.st_mode) {
        FileType::RegularFile => Kind::File(u64::try_from(status.st_size).unwrap_or(u64::MAX)),
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Other("it is a symbolic link"),
        _ => Kind::Other("it is neither a file nor a directory"),
    })
}

/// What other programs leave in a directory, and what to do about it.
fn leftover(name: &str) -> Option<&'static str> {
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if name == ".git" {
        Some("a git repository has no place in a conversation: import a copy without it")
    } else if name.starts_with(".#") || (name.starts_with('.') && ends(&[".swp", ".swo", ".swx"])) {
        Some("an editor has the file open: close the editor, or delete this")
    } else if ends(&["~", ".bak", ".orig"]) || (name.starts_with('#') && name.ends_with('#')) {
        Some("it is the backup of an editor: delete it")
    } else if [".DS_Store", "Thumbs.db", "desktop.ini"].contains(&name) {
        Some("a file browser left it behind: delete it")
    } else {
        None
    }
}
