//! Where undo and redo lead, decided from what commits say of each other.
//!
//! A commit stands for itself, or for the commit whose state it brought back. Undo leads to the
//! commit before the operation of the one that the tip stands for; redo leads back to where the
//! undo was made. Every operation that is neither begins a new future, so redo ends there.

use crate::store::{Links, ObjectId};

/// What undo and redo have to know of a commit.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The commit before it.
    pub parent: Option<ObjectId>,
    /// What commits of one command share; `None` if something else than jp made it.
    pub operation: Option<String>,
    /// Whether a conversation begins with it.
    pub begins: bool,
    /// The other commits that it speaks of.
    pub links: Links,
}

/// Where an undo or redo leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The commit whose tree comes back.
    pub source: ObjectId,
    /// The last commit of the operation that is taken back, or done again.
    pub operation: ObjectId,
    /// What the new commit says of others.
    pub links: Links,
}

/// Where an undo leads from a tip; `None` if nothing is left to be undone.
pub fn undo<E>(
    tip: ObjectId,
    mut read: impl FnMut(ObjectId) -> Result<Step, E>,
) -> Result<Option<Destination>, E> {
    let operation = stands_for(tip, &read(tip)?);
    let Some(source) = base(operation, &mut read)? else {
        return Ok(None);
    };
    let stands_for = Some(stands_for(source, &read(source)?));
    let links = Links { base: None, stands_for, redo: Some(tip) };
    Ok(Some(Destination { source, operation, links }))
}

/// Where a redo leads from a tip; `None` if nothing was undone, or something new happened since.
pub fn redo<E>(
    tip: ObjectId,
    mut read: impl FnMut(ObjectId) -> Result<Step, E>,
) -> Result<Option<Destination>, E> {
    let Some(source) = read(tip)?.links.redo else {
        return Ok(None);
    };
    let step = read(source)?;
    let operation = stands_for(source, &step);
    let links = Links { base: None, stands_for: Some(operation), redo: step.links.redo };
    Ok(Some(Destination { source, operation, links }))
}

/// The commit before the operation of a commit; `None` if a conversation begins with it.
fn base<E>(
    last: ObjectId,
    read: &mut impl FnMut(ObjectId) -> Result<Step, E>,
) -> Result<Option<ObjectId>, E> {
    let mut step = read(last)?;
    loop {
        if step.begins {
            return Ok(None);
        }
        if step.links.base.is_some() {
            return Ok(step.links.base);
        }
        let Some(parent) = step.parent else {
            return Ok(None);
        };
        let before = read(parent)?;
        if step.operation.is_none() || before.operation != step.operation {
            return Ok(Some(parent));
        }
        step = before;
    }
}

fn stands_for(commit: ObjectId, step: &Step) -> ObjectId {
    step.links.stands_for.unwrap_or(commit)
}

#[cfg(test)]
mod tests;
