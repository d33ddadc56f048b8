//! How a turn goes on that was interrupted: what changed meanwhile, and what somebody decided.

use std::collections::BTreeMap;

use super::Reply;
use crate::model::{Body, CallId, Event, InquiryId, Verdict};

/// How a turn goes on that was interrupted.
#[derive(Debug, Default)]
pub struct Resumption {
    /// What changed since: configuration, compactions.
    pub changes: Vec<Event>,
    /// What somebody decided about calls that have no result.
    pub decisions: BTreeMap<CallId, Decision>,
    /// What somebody has answered to open questions.
    pub replies: BTreeMap<InquiryId, Reply>,
    /// What the user has said before, by the user's own record: an answer in the conversation to
    /// the question whether a tool may run counts only with one of these.
    pub verdicts: Vec<Verdict>,
}

impl Resumption {
    /// One in which nothing was decided.
    pub fn after(changes: impl IntoIterator<Item = Event>) -> Self {
        Self { changes: changes.into_iter().collect(), ..Self::default() }
    }
}

/// What somebody decided about a call that has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is made again, although it may have been made before.
    Again,
    /// It has been made, and this is what came of it.
    Done(Body),
    /// It is not made; the model hears so.
    Skip,
}
