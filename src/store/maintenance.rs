//! Keeping the store small and quick: packs are merged, refs are packed, leftovers are cleared.

use std::path::Path;

use gix::ObjectId;

use super::{
    GitError, Holder, Lock, LockError, RefError, Space, Store,
    pack::{self, DamagedPack, MergeError},
    refs,
};
use crate::{
    env::Env,
    fsutil::{AtPath, FsError},
    model::ConversationId,
};

/// Packs at which an append merges them.
const MANY_PACKS: usize = 40;

/// Loose refs at which an append packs them.
const MANY_REFS: usize = 512;

/// What packing did.
#[derive(Debug)]
pub struct PackReport {
    /// Packs before.
    pub packs_before: usize,
    /// Packs after.
    pub packs_after: usize,
    /// Whether git compressed the objects against each other.
    pub by_git: bool,
    /// Refs that are in one file now.
    pub packed_refs: usize,
    /// Packs that do not read and were left alone.
    pub damaged: Vec<DamagedPack>,
    /// Why git could not help.
    pub problem: Option<GitError>,
}

/// Why packing failed. Nothing was lost.
#[derive(Debug, thiserror::Error)]
pub enum MaintenanceError {
    /// Packs could not be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Refs could not be packed.
    #[error(transparent)]
    Ref(#[from] RefError),
    /// git could not help.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The system refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Store {
    /// Merges packs and packs refs if there are many. Called after a write; costs one directory
    /// listing when there is nothing to do.
    pub fn tidy(&self, holder: &Holder, own: &Lock) -> Result<(), MaintenanceError> {
        let (objects, stage) = (self.path().join("objects"), self.path().join("stage"));
        self.clear_leftovers(holder, Some(own))?;
        if pack::are_many_loose(&objects) {
            match pack::gather(&objects, &stage) {
                // Somebody else is at it.
                Err(MergeError::Lock(LockError::Held { .. })) => {}
                gathered => drop(gathered?),
            }
        }
        if pack::count(&objects).at("list", &objects)? < MANY_PACKS {
            return Ok(());
        }
        pack::merge(&objects, &stage)?;
        let heads = self.path().join("refs/heads");
        if std::fs::read_dir(&heads).at("list", &heads)?.count() > MANY_REFS {
            self.pack_refs(holder)?;
        }
        Ok(())
    }

    /// Packs everything as small as it gets: with git's delta compression if git is there.
    pub fn pack(&self, env: &Env, holder: &Holder) -> Result<PackReport, MaintenanceError> {
        let objects = self.path().join("objects");
        let packs_before = pack::count(&objects).at("list", &objects)?;
        self.clear_leftovers(holder, None)?;
        let packed_refs = self.pack_refs(holder)?;
        let stage = self.path().join("stage");
        while pack::gather(&objects, &stage)? > 0 {}
        let merged = pack::merge(&objects, &stage)?;
        let (by_git, damaged, problem) = match self.pack_with_deltas(env) {
            Ok(damaged) => (true, damaged, None),
            Err(MaintenanceError::Git(GitError::NoGit)) => (false, merged.damaged, None),
            // What could be done without git is done.
            Err(MaintenanceError::Git(error @ GitError::Failed { .. })) => {
                (false, merged.damaged, Some(error))
            }
            Err(error) => return Err(error),
        };
        let packs_after = pack::count(&objects).at("list", &objects)?;
        Ok(PackReport { packs_before, packs_after, by_git, packed_refs, damaged, problem })
    }

    /// Lets git compress the objects against each other, those too that no ref reaches.
    fn pack_with_deltas(&self, env: &Env) -> Result<Vec<DamagedPack>, MaintenanceError> {
        let (objects, stage) = (self.path().join("objects"), self.path().join("stage"));
        if pack::count(&objects).at("list", &objects)? == 0 {
            return Ok(Vec::new());
        }
        pack::replace_all(&objects, &stage, |base| {
            self.pack_objects(env, base, &["--keep-unreachable"])
        })
    }

    /// Lets git write one pack, with deltas; what no ref reaches is in it only if asked for.
    pub(super) fn pack_objects(
        &self,
        env: &Env,
        base: &Path,
        more: &[&str],
    ) -> Result<ObjectId, MaintenanceError> {
        let base = base.to_string_lossy();
        // Without `--no-reuse-delta` git does not compare objects of a pack that has none yet.
        let options = [
            "-c",
            "pack.writeReverseIndex=false",
            "-c",
            "pack.compression=9",
            "pack-objects",
            "-q",
            "--all",
            "--reflog",
            // What is staged in work trees.
            "--indexed-objects",
            "--no-reuse-delta",
            "--delta-base-offset",
            "--window=250",
            "--depth=50",
        ];
        let said = self.git_output(env, &[&options[..], more, &[&base]].concat())?;
        let text = String::from_utf8_lossy(&said);
        ObjectId::from_hex(text.trim().as_bytes()).map_err(|error| {
            let message = format!("it printed `{}`: {error}", text.trim().escape_debug());
            GitError::Failed { command: "pack-objects".to_owned(), message }.into()
        })
    }

    fn pack_refs(&self, holder: &Holder) -> Result<usize, MaintenanceError> {
        let may_prune = |name: &refs::RefName| {
            let id = name.conversation().and_then(|(_, id)| id.parse::<ConversationId>().ok());
            // A conversation that is being written keeps its loose ref.
            id.is_none_or(|id| self.lock(id, holder).is_ok())
        };
        Ok(refs::pack_all(self.path(), may_prune)?.packed)
    }

    /// Removes what killed processes left in the stage, and frees the refs that they had locked. A
    /// conversation that somebody is at work on is left alone. Lock files are cleared elsewhere, a
    /// few at a time.
    fn clear_leftovers(&self, holder: &Holder, own: Option<&Lock>) -> Result<(), MaintenanceError> {
        let directory = self.path().join("stage");
        crate::fsutil::create_dir_durable(&directory)?;
        for entry in std::fs::read_dir(&directory).at("list", &directory)? {
            let path = entry.at("list", &directory)?.path();
            let Some(id) = conversation_of(&path) else { continue };
            let lock_path = self.lock_path(id);
            if own.is_some_and(|own| own.path() == lock_path) {
                continue;
            }
            // The lock removes its own file when it is dropped, and nobody else may.
            let Ok(_lock) = Lock::try_once(&lock_path, holder) else { continue };
            // The lock file was written just now, by the clock of this file system.
            let now = std::fs::metadata(&lock_path).and_then(|lock| lock.modified());
            let now = now.at("inspect", &lock_path)?;
            for space in Space::ALL {
                refs::clear_lock(self.path(), &Self::ref_name(space, id), now)?;
            }
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(FsError::new("remove", path, error).into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What git finds wrong with the store, line by line.
    pub fn fsck(&self, env: &Env) -> Result<Vec<String>, GitError> {
        let args = ["fsck", "--strict", "--full", "--no-progress", "--no-dangling"];
        let mut command = self.git(env, &args)?;
        command.stdin(std::process::Stdio::null());
        let output = command.output().map_err(|error| super::git::start_error(&error, &args))?;
        if output.status.success() {
            return Ok(Vec::new());
        }
        let said = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&said).into_owned();
        let lines: Vec<_> =
            text.lines().filter(|line| !line.starts_with("notice:")).map(str::to_owned).collect();
        if lines.is_empty() {
            Ok(vec![format!("git fsck ended with {}", output.status)])
        } else {
            Ok(lines)
        }
    }

    /// The conversations of all spaces whose refs cannot be read.
    pub fn damaged_refs(&self) -> Result<Vec<RefError>, RefError> {
        let mut problems = Vec::new();
        for space in Space::ALL {
            problems.extend(self.list(space)?.problems);
        }
        Ok(problems)
    }
}

fn conversation_of(path: &Path) -> Option<ConversationId> {
    path.file_stem()?.to_str()?.parse().ok()
}
