//! The store: a bare git repository in which each conversation is one branch.
//!
//! Reads trees, applies plans as durable commits, moves refs, packs and checks. What returns `Ok`
//! survives a power cut; git's and gix's own writers, which do not sync, are not used. This is the
//! only module that knows gix.

mod commit;
mod config;
mod directory;
mod ends;
mod event_files;
mod gate;
mod git;
mod handful;
mod holders;
mod listing;
mod locate;
mod lock;
mod maintenance;
mod meta_file;
mod objects;
mod orphan;
mod pack;
mod publish;
mod purge;
mod recent;
mod record;
mod refs;
mod repository;
mod shelf;
mod snapshot;
mod stats;
mod sweep;
mod trail;
mod write;

pub use commit::{Commit, Description, Identity, Links, Origin};
pub use directory::Directory;
pub use ends::Ends;
pub use event_files::{Bygone, EventFile, bygone_files, event_files};
pub use git::{ConfigKey, GitError};
pub use gix::ObjectId;
pub use handful::{Handful, Share};
pub use listing::{CASE_TWIN, EXECUTABLE, Foreign, Listing, ODD_MODE, TWICE};
pub use locate::{git_common_dir, global_identity};
pub use lock::{Holder, Lock, LockError};
pub use maintenance::{MaintenanceError, PackReport};
use meta_file::MetaFile;
pub use objects::{ObjectError, Objects, blob_id};
pub use pack::{DamagedPack, MergeError};
pub use publish::PublishError;
pub use purge::Purged;
pub use record::{Deed, Record};
pub use refs::{RefError, RefName, Refs, Space};
pub use repository::{Store, StoreError, WorkspaceId};
pub use shelf::{MoveError, Mover};
pub use snapshot::{Located, Problem, ProblemKind, ReadError, Snapshot};
pub use stats::{Stats, StatsError};
pub use trail::{Found, Stretch, Trail};
pub use write::{Content, NewCommit, Tip, WriteError, Writing, Written};

#[cfg(test)]
mod tests;
