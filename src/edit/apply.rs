//! Editing a conversation without a directory: a command says what it is to become.

use super::checkout::{CheckoutError, check_manifests, message};
use crate::{
    plan::{Edit, Fault, Heading, Layout, Summary, Tally, Wish, edit},
    store::{Content, Links, ObjectId, Origin},
    workspace::{Guard, Revision, Workspace, WriteFailure},
};

/// An edit that was made, or would be.
#[derive(Debug)]
pub struct Applied {
    /// The commit; `None` if nothing changes, or nothing was to be changed.
    pub commit: Option<ObjectId>,
    /// What happens to events.
    pub tally: Tally,
    /// What else has to follow, one line each.
    pub remarks: Vec<String>,
}

/// Why an edit was not made.
#[derive(Debug)]
pub enum ApplyError<E> {
    /// What is wanted does not fit the conversation.
    Wish(E),
    /// It would break the rules of a stream.
    Faults(Vec<Fault>),
    /// The conversation cannot be read or written.
    Checkout(CheckoutError),
}

impl<E, F: Into<CheckoutError>> From<F> for ApplyError<E> {
    fn from(error: F) -> Self {
        Self::Checkout(error.into())
    }
}

/// Whether an edit is made or only thought through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earnest {
    /// It is made.
    Commit,
    /// It is told.
    DryRun,
}

/// Makes a conversation what a function wants of its present version. If something else than jp
/// changes it meanwhile, the function is asked again.
pub fn apply<E>(
    workspace: &Workspace,
    guard: &mut Guard,
    verb: &str,
    earnest: Earnest,
    wish_of: impl Fn(&Layout) -> Result<Wish, E>,
) -> Result<Applied, ApplyError<E>> {
    let mut outcome = None;
    let tried = workspace.keep_trying(guard, |guard| {
        outcome = Some(attempt(workspace, guard, verb, earnest, &wish_of));
        match &outcome {
            Some(Err(ApplyError::Checkout(CheckoutError::Write(WriteFailure::Contended {
                id,
            })))) => Err(WriteFailure::Contended { id: *id }),
            _ => Ok(()),
        }
    });
    tried?;
    outcome.expect("it was tried at least once")
}

fn attempt<E>(
    workspace: &Workspace,
    guard: &mut Guard,
    verb: &str,
    earnest: Earnest,
    wish_of: &impl Fn(&Layout) -> Result<Wish, E>,
) -> Result<Applied, ApplyError<E>> {
    let conversation = workspace.load(guard)?;
    check_manifests(guard.id(), &conversation.snapshot)?;
    if !conversation.snapshot.is_writable() {
        let (id, version) = (guard.id(), conversation.snapshot.version);
        return Err(WriteFailure::ReadOnly { id, version }.into());
    }
    let heading = Heading::from(&conversation.snapshot.meta);
    let layout = conversation.into_layout();
    let wish = wish_of(&layout).map_err(ApplyError::Wish)?;
    let edit = edit(&layout, &wish).map_err(ApplyError::Faults)?;
    let Edit { changes, outline, tally, remarks } = edit;
    if changes.is_empty() || earnest == Earnest::DryRun {
        return Ok(Applied { commit: None, tally, remarks });
    }
    let (subject, body) = message(verb, &tally, &remarks);
    let revision = Revision {
        subject,
        body,
        origin: Origin::Edit,
        content: Content::Changed(changes),
        summary: Some(Summary::new(heading, &outline)),
        links: Links::default(),
    };
    let commit = workspace.revise(guard, revision)?;
    Ok(Applied { commit: Some(commit), tally, remarks })
}
