//! Writing a conversation out as the directory that it is.
//!
//! Every file is copied byte for byte, listed or not. The directory is built aside under a
//! temporary name and renamed when all of it is on disk, so that nobody ever sees half of one.

mod aside;

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use self::aside::Aside;
use super::{
    Conversation, Handle, LoadError, Workspace,
    place::{BESIDE, Place},
};
use crate::{
    format::{Flaw, limits},
    fsutil::{self, AtPath, FsError},
    store::{Problem, ProblemKind, ReadError},
};

/// A conversation that was written out.
#[derive(Debug)]
pub struct Exported {
    /// How many files were written.
    pub files: usize,
    /// What is wrong with the conversation.
    pub problems: Vec<Problem>,
    /// Files that could not be read, and so are not there.
    pub missing: Vec<Problem>,
}

/// Why a conversation was not written out.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ExportError {
    #[error("`{}` is not a directory", .0.display())]
    NotADirectory(PathBuf),
    #[error("`{}` is not empty", .0.display())]
    NotEmpty(PathBuf),
    #[error("`{}` is the current directory, which would be replaced", .0.display())]
    Current(PathBuf),
    #[error("`{}` is inside the store, which holds nothing but conversations", .0.display())]
    InStore(PathBuf),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Fs(#[from] FsError),
}

/// How many files are synced at once.
const BATCH: usize = 32;

impl Workspace {
    /// Writes all files of a conversation into a directory that is not there yet, or is empty.
    pub fn export(&self, handle: &Handle, directory: &Path) -> Result<Exported, ExportError> {
        let conversation = self.load(handle)?;
        let mut exported = (0, Vec::new());
        self.build_directory(directory, |aside| {
            exported = self.write_all(handle, &conversation, aside, directory)?;
            Ok::<(), ExportError>(())
        })?;
        let (files, missing) = exported;
        Ok(Exported { files, problems: conversation.problems, missing })
    }

    /// Builds a directory that is not there yet, or is empty: aside, so that nobody ever sees half
    /// of it. Returns where it is.
    pub fn build_directory<E: From<ExportError>>(
        &self,
        directory: &Path,
        build: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<PathBuf, E> {
        let target = Target::find(self.env.cwd(), directory)?;
        let store = self.store.path();
        let store = store.canonicalize().at("resolve", store).map_err(ExportError::from)?;
        if target.path.starts_with(store) {
            return Err(ExportError::InStore(directory.to_owned()).into());
        }
        let aside = Aside::make(&target.parent).map_err(ExportError::from)?;
        build(aside.path())?;
        target.take_name(aside, directory)?;
        Ok(target.path)
    }

    /// Writes all files of a conversation; how many, and which could not be read.
    fn write_all(
        &self,
        handle: &Handle,
        conversation: &Conversation,
        aside: &Path,
        directory: &Path,
    ) -> Result<(usize, Vec<Problem>), ExportError> {
        let snapshot = &conversation.snapshot;
        let mut writer = Writer::new(aside, directory);
        let mut missing = Vec::new();
        let mut bytes_of_events = 0;
        for (place, blob) in Place::all(snapshot) {
            let bytes = match self.store.objects().blob(&blob, place.limit()) {
                Ok(bytes) => bytes,
                Err(error) => {
                    let flaw = Flaw::new(error.to_string());
                    let kind = ProblemKind::Damage;
                    missing.push(Problem { path: place.path(), flaw, kind });
                    continue;
                }
            };
            if matches!(place, Place::Event(..) | Place::Queued(_)) {
                bytes_of_events += bytes.len() as u64;
            }
            // A small tree can name the same large file very often.
            if bytes_of_events > limits::CONVERSATION + BESIDE {
                let (id, source) = (handle.id(), ReadError::TooLarge);
                return Err(LoadError::Read { id, source }.into());
            }
            writer.write(&place, &bytes)?;
        }
        Ok((writer.finish()?, missing))
    }
}

/// The directory that is asked for.
struct Target {
    path: PathBuf,
    parent: PathBuf,
    permissions: Option<fs::Permissions>,
}

impl Target {
    /// Looks at what is there already.
    fn find(cwd: &Path, directory: &Path) -> Result<Self, ExportError> {
        let path = cwd.join(directory);
        let found = match fs::metadata(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Self::absent(&path, directory);
            }
            Err(error) => return Err(FsError::new("look at", directory, error).into()),
        };
        if !found.is_dir() {
            return Err(ExportError::NotADirectory(directory.to_owned()));
        }
        let mut entries = fs::read_dir(&path).at("read", directory)?;
        if entries.next().transpose().at("read", directory)?.is_some() {
            return Err(ExportError::NotEmpty(directory.to_owned()));
        }
        // A symbolic link stays what it is: the directory that it leads to is replaced.
        let path = path.canonicalize().at("resolve", directory)?;
        let current = cwd.canonicalize().at("resolve", cwd)?;
        match path.parent() {
            Some(parent) if path != current => {
                let parent = parent.to_owned();
                Ok(Self { path, parent, permissions: Some(found.permissions()) })
            }
            _ => Err(ExportError::Current(directory.to_owned())),
        }
    }

    fn absent(path: &Path, directory: &Path) -> Result<Self, ExportError> {
        // Without a name, as in `a/..`, there is nothing to make.
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(ExportError::NotADirectory(directory.to_owned()));
        };
        let parent = parent.canonicalize().at("resolve", parent)?;
        Ok(Self { path: parent.join(name), parent, permissions: None })
    }

    /// Gives the finished directory its name, unless something is there meanwhile.
    fn take_name(&self, aside: Aside, directory: &Path) -> Result<(), ExportError> {
        if let Some(permissions) = &self.permissions {
            fs::set_permissions(aside.path(), permissions.clone()).at("create", &self.path)?;
        }
        let renamed = fs::rename(aside.path(), &self.path);
        renamed.map_err(|error| match error.kind() {
            io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => {
                ExportError::NotEmpty(directory.to_owned())
            }
            io::ErrorKind::NotADirectory => ExportError::NotADirectory(directory.to_owned()),
            _ => FsError::new("create", &self.path, error).into(),
        })?;
        aside.keep();
        Ok(fsutil::sync_dir(&self.parent)?)
    }
}

/// Writes files below a directory, and syncs them in batches.
struct Writer<'a> {
    /// Where they are written.
    root: &'a Path,
    /// Where they will stand.
    shown: &'a Path,
    directories: BTreeSet<PathBuf>,
    batch: Vec<(PathBuf, File)>,
    written: usize,
}

impl<'a> Writer<'a> {
    fn new(root: &'a Path, shown: &'a Path) -> Self {
        let directories = BTreeSet::from([PathBuf::new()]);
        Self { root, shown, directories, batch: Vec::new(), written: 0 }
    }

    fn write(&mut self, place: &Place, bytes: &[u8]) -> Result<(), FsError> {
        let path = place.path();
        let mut inner = PathBuf::new();
        for part in path.directory().into_iter().flat_map(|directory| directory.split('/')) {
            inner.push(part);
            if self.directories.insert(inner.clone()) {
                let made = fs::create_dir(self.root.join(&inner));
                made.at("create", &self.shown.join(&inner))?;
            }
        }
        inner.push(path.name());
        let shown = self.shown.join(&inner);
        let mut file = File::create_new(self.root.join(&inner)).at("create", &shown)?;
        file.write_all(bytes).at("write", &shown)?;
        self.batch.push((shown, file));
        self.written += 1;
        if self.batch.len() == BATCH { self.sync() } else { Ok(()) }
    }

    fn sync(&mut self) -> Result<(), FsError> {
        let batch = std::mem::take(&mut self.batch);
        let files: Vec<_> = batch.iter().map(|(path, file)| (path.as_path(), file)).collect();
        fsutil::sync_together(&files)
    }

    /// Syncs what is left, and the directories; returns how many files there are.
    fn finish(mut self) -> Result<usize, FsError> {
        self.sync()?;
        let directories: Vec<_> = self.directories.iter().map(|own| self.root.join(own)).collect();
        for batch in directories.chunks(BATCH) {
            let paths: Vec<_> = batch.iter().map(PathBuf::as_path).collect();
            fsutil::sync_dirs_together(&paths)?;
        }
        Ok(self.written)
    }
}
