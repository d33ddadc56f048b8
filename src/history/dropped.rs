//! Events that something else than jp took out of a conversation, most likely by mistake: a commit
//! from a checkout that had fallen behind.

use std::collections::BTreeSet;

use super::walk::walk;
use crate::{
    model::Address,
    store::{ObjectId, Snapshot},
    workspace::{Handle, LoadError, Workspace},
};

/// Events that something else than jp took out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Who did it.
    pub author: String,
    /// The commit that did it: the last one, if there are several.
    pub commit: ObjectId,
    /// The last version that jp made.
    pub before: ObjectId,
    /// How many commits were made by something else since.
    pub commits: usize,
    /// The events.
    pub events: Vec<Address>,
}

/// The events that were taken out since jp last wrote, by something else. Costs one commit if jp
/// wrote last.
pub fn dropped(workspace: &Workspace, handle: &Handle) -> Result<Option<Dropped>, LoadError> {
    let mut author = None;
    let mut commits = 0;
    for record in walk(workspace, handle) {
        let record = record?;
        if record.deed.is_none() {
            author = author.or(Some(record.author.name));
            commits += 1;
            continue;
        }
        let Some(author) = author else { return Ok(None) };
        let before = record.id;
        let events = missing(workspace, &handle.at(before), handle)?;
        let dropped = Dropped { author, commit: handle.commit(), before, commits, events };
        return Ok(Some(dropped).filter(|dropped| !dropped.events.is_empty()));
    }
    Ok(None)
}

/// The events of one version that another one has not. One that is refused as a whole is another
/// matter.
fn missing(workspace: &Workspace, old: &Handle, new: &Handle) -> Result<Vec<Address>, LoadError> {
    let snapshot = |handle: &Handle| workspace.snapshot(handle.id(), handle.commit());
    let (old, new) = (snapshot(old)?, snapshot(new)?);
    if new.is_foreign() {
        return Ok(Vec::new());
    }
    let addresses = |snapshot: &Snapshot| -> BTreeSet<Address> {
        snapshot.order.iter().map(|located| located.name.address()).collect()
    };
    Ok(addresses(&old).difference(&addresses(&new)).copied().collect())
}
