//! Throwing away what no conversation reaches any more, after the trash was emptied.

use super::{
    GitError, MaintenanceError, Store,
    gate::Gate,
    pack::{self, MergeError},
};
use crate::env::Env;

/// How old a loose object is before it is thrown away: plain git, which knows no gate, may be about
/// to use a young one.
const LOOSE_AGE: &str = "--expire=1.hour.ago";

/// What became of the objects that nothing reaches.
#[derive(Debug, PartialEq, Eq)]
pub enum Purged {
    /// They are gone.
    Gone,
    /// They are still there, because of each of these.
    Kept(Vec<String>),
}

impl Store {
    /// Throws away the objects that no ref and no log of one reaches.
    pub fn purge(&self, env: &Env) -> Result<Purged, MaintenanceError> {
        let (objects, stage) = (self.path().join("objects"), self.path().join("stage"));
        let Some(_gate) = Gate::close(self.path())? else {
            let why = "a conversation is being written all the time";
            return Ok(Purged::Kept(vec![why.to_owned()]));
        };
        let purged =
            pack::replace_and_drop(&objects, &stage, |base| self.pack_objects(env, base, &[]));
        let kept = match purged {
            Ok(damaged) => damaged.iter().map(ToString::to_string).collect(),
            Err(MaintenanceError::Git(error @ (GitError::NoGit | GitError::Failed { .. }))) => {
                vec![error.to_string()]
            }
            Err(MaintenanceError::Merge(error @ MergeError::Lock(_))) => vec![error.to_string()],
            Err(error) => return Err(error),
        };
        if !kept.is_empty() {
            return Ok(Purged::Kept(kept));
        }
        self.git_output(env, &["prune", LOOSE_AGE])?;
        Ok(Purged::Gone)
    }
}
