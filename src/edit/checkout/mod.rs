//! A conversation as a directory that people work in, flat, with a record of the version that it
//! was written from.
//!
//! An editor gets such a directory for the length of an edit; a checkout is one that lasts. What is
//! in it becomes a commit by the rules of a stream, on top of whatever came in meanwhile. Nothing
//! that somebody wrote in it is ever overwritten.

mod commit;
mod conflict;
mod error;
mod folder;
mod look;
mod meta;
mod propose;
mod record;
mod refresh;
mod write;

pub(super) use commit::message;
pub use commit::{Committed, commit};
pub use error::CheckoutError;
pub use look::Look;
pub use propose::{Conflicts, Proposal, Refusal, propose};
pub use refresh::{Refreshed, adopt, refresh};
pub(super) use write::check_manifests;
pub use write::{check_out, check_out_at};

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

pub use self::record::Belonging;
use self::{
    folder::{Folder, Standing},
    record::Record,
};
use crate::{
    format::{MANIFEST_FILE, META_DIR, META_FILE, limits},
    fsutil::FsError,
    model::ConversationId,
    plan::{Fault, annotated},
    store::{ObjectId, WorkspaceId},
};

/// The record, in the directory for what is not an event.
const RECORD_FILE: &str = "checkout";

/// A directory that holds a version of a conversation for people to work in.
#[derive(Debug)]
pub struct Checkout {
    folder: Folder,
    record: Record,
    /// When the record was written, in nanoseconds: a file that changed then has to be read.
    recorded: i128,
    /// How many commits stand behind the record in its file; `None` if the file does not end as it
    /// should, and has to be written anew.
    grown: Option<usize>,
    named: Named,
}

/// Names that new files have got in the course of a commit.
#[derive(Debug, Default)]
struct Named {
    /// The plan that was looked at.
    seen: Option<ObjectId>,
    /// The names, by those that the files had then.
    names: BTreeMap<String, String>,
    /// The plan with these names, if it is otherwise the one that was looked at.
    plan: Option<ObjectId>,
}

impl Checkout {
    /// The conversation that a checkout is of, without a look at its files.
    pub fn belonging(directory: &Path) -> Result<Belonging, CheckoutError> {
        let (folder, _) = find(directory)?;
        let bytes = folder.read(&record_name(), Belonging::BYTES)?;
        let belonging = Belonging::decode(&String::from_utf8_lossy(&bytes));
        belonging.ok_or_else(|| CheckoutError::Record(directory.to_owned()))
    }

    /// Opens a checkout that was made before.
    pub fn open(directory: &Path) -> Result<Self, CheckoutError> {
        let (folder, recorded) = find(directory)?;
        let (record, grown) = read_record(&folder)?;
        Ok(Self { folder, record, recorded, grown, named: Named::default() })
    }

    /// Opens a checkout, and looks at what somebody did in it: the names are listed while the record
    /// is read.
    pub fn open_and_look(directory: &Path) -> Result<(Self, Look), CheckoutError> {
        let (folder, recorded) = find(directory)?;
        let (names, record) = std::thread::scope(|scope| {
            let names = scope.spawn(|| folder.names());
            let record = read_record(&folder);
            (names.join().expect("listing does not panic"), record)
        });
        let (record, grown) = record?;
        let checkout = Self { folder, record, recorded, grown, named: Named::default() };
        let look = checkout.look_among(names?)?;
        Ok((checkout, look))
    }

    fn new(folder: Folder, record: Record, recorded: i128) -> Self {
        Self { folder, record, recorded, grown: Some(0), named: Named::default() }
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        self.folder.path()
    }

    /// The plan.
    pub fn plan_path(&self) -> PathBuf {
        self.directory().join(MANIFEST_FILE)
    }

    /// The workspace of the conversation.
    pub fn workspace(&self) -> &WorkspaceId {
        &self.record.belonging.workspace
    }

    /// The conversation.
    pub fn id(&self) -> ConversationId {
        self.record.belonging.id
    }

    /// The version that its files are of.
    pub fn commit(&self) -> ObjectId {
        self.record.commit
    }

    /// How many events it holds.
    pub fn events(&self) -> usize {
        self.record.files.len()
    }

    /// Writes faults and notes above the plan, in place of those that are there.
    pub fn annotate(&self, faults: &[Fault], notes: &[String]) -> Result<(), CheckoutError> {
        let text = match self.folder.look(MANIFEST_FILE)? {
            Standing::File(_) => self.folder.read(MANIFEST_FILE, limits::MANIFESTS)?,
            Standing::Nothing => Vec::new(),
            Standing::Other => return Ok(()),
        };
        // What is not text, or not all of it, is not written again.
        let Some(text) = String::from_utf8(text).ok().filter(|text| is_whole(text)) else {
            return Ok(());
        };
        let new = annotated(&text, faults, notes);
        if new != text {
            self.folder.replace(MANIFEST_FILE, new.as_bytes())?;
        }
        Ok(())
    }

    /// Removes all of it: what it says is stored, or not wanted.
    pub fn remove(self) -> Result<(), CheckoutError> {
        let directory = self.directory().to_owned();
        drop(self);
        std::fs::remove_dir_all(&directory)
            .map_err(|error| FsError::new("remove", directory, error).into())
    }
}

/// Finds a checkout, and when its record was written.
fn find(directory: &Path) -> Result<(Folder, i128), CheckoutError> {
    let none = || match directory.join(".git").exists() && directory.join(META_DIR).is_dir() {
        true => CheckoutError::GitWorkTree(directory.to_owned()),
        false => CheckoutError::NotACheckout(directory.to_owned()),
    };
    if !directory.is_dir() {
        return Err(none());
    }
    let folder = Folder::open(directory)?;
    match folder.look(&record_name())? {
        Standing::File(stat) if stat.size <= limits::MANIFESTS => Ok((folder, stat.modified)),
        Standing::File(_) | Standing::Other => Err(CheckoutError::Record(directory.to_owned())),
        Standing::Nothing => Err(none()),
    }
}

/// Reads the record, and how many commits stand behind it.
fn read_record(folder: &Folder) -> Result<(Record, Option<usize>), CheckoutError> {
    let bytes = folder.read(&record_name(), limits::MANIFESTS)?;
    // What a power cut left behind the record may be anything.
    let decoded = Record::decode(&String::from_utf8_lossy(&bytes));
    decoded.ok_or_else(|| CheckoutError::Record(folder.path().to_owned()))
}

/// Whether a plan was read to its end.
fn is_whole(text: &str) -> bool {
    text.len() as u64 <= limits::MANIFESTS
}

/// The name of the record from the directory on.
fn record_name() -> String {
    format!("{META_DIR}/{RECORD_FILE}")
}

/// The name of `meta.toml` from the directory on.
fn meta_name() -> String {
    format!("{META_DIR}/{META_FILE}")
}

#[cfg(test)]
mod tests;
