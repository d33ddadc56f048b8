//! What has to be known of a conversation to continue it, the same at any length.

use std::collections::BTreeSet;

use crate::{
    format::{Manifest, RunName},
    model::{Address, Progress},
};

/// What has to be known of a conversation to continue it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The manifest at the top.
    pub manifest: Manifest,
    /// The directories of sealed runs, listed or not.
    pub runs: BTreeSet<RunName>,
    /// The address of the next event; `None` when they are used up.
    pub next: Option<Address>,
    /// How many events are in the stream.
    pub events: u64,
    /// How many bytes their files have.
    pub bytes: u64,
    /// How far the conversation has come.
    pub progress: Progress,
}

impl Outline {
    /// The outline of a conversation without events.
    pub fn new() -> Self {
        Self {
            manifest: Manifest::with_header(),
            runs: BTreeSet::new(),
            next: Some(Address::FIRST),
            events: 0,
            bytes: 0,
            progress: Progress::default(),
        }
    }
}

impl Default for Outline {
    fn default() -> Self {
        Self::new()
    }
}
