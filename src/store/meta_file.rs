//! What `meta.toml` says, and what is wrong with it.

use gix::ObjectId;

use super::{Objects, Problem, ProblemKind, ReadError};
use crate::{
    format::{Compatibility, Flaw, FormatVersion, decode_meta, limits, salvage_meta},
    model::Meta,
    plan::TreePath,
};

/// What `meta.toml` says.
pub(super) struct MetaFile {
    pub(super) version: FormatVersion,
    /// Title, labels and so on; empty if the file cannot be read.
    pub(super) meta: Meta,
    /// Whether nothing of it could be read.
    pub(super) is_lost: bool,
    /// What is wrong with it.
    pub(super) problems: Vec<Problem>,
}

impl MetaFile {
    /// Reads it. A version that this program does not know is an error.
    pub(super) fn read(objects: &Objects, id: Option<ObjectId>) -> Result<Self, ReadError> {
        let (version, meta) = (FormatVersion::CURRENT, Meta::default());
        let mut file = Self { version, meta, is_lost: id.is_none(), problems: Vec::new() };
        let flaws = match id {
            None => vec![Flaw::new("the file is missing")],
            Some(id) => file.take(&objects.blob(&id, limits::MANIFEST_FILE)?),
        };
        // One that is there and does not read may be of any version; a missing one can wait.
        let kind = if id.is_none() { ProblemKind::Beside } else { ProblemKind::Damage };
        let problem = |flaw| Problem { path: TreePath::meta(), flaw, kind };
        file.problems.extend(flaws.into_iter().map(problem));
        match file.version.compatibility() {
            Compatibility::Refused => Err(ReadError::Version(file.version)),
            Compatibility::ReadOnly | Compatibility::ReadWrite => Ok(file),
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Vec<Flaw> {
        match decode_meta(bytes) {
            Ok((version, meta)) => {
                (self.version, self.meta) = (version, meta);
                Vec::new()
            }
            Err(flaws) => {
                let salvaged = salvage_meta(bytes);
                self.is_lost = salvaged.is_none();
                self.meta = salvaged.unwrap_or_default();
                flaws
            }
        }
    }
}
