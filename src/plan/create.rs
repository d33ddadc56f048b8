//! The first commit of a conversation.

use super::{Change, TreePath};
use crate::{
    format::{Manifest, encode_meta},
    model::Meta,
};

/// The tree of a conversation without events.
pub fn create(meta: &Meta, config: &[u8]) -> Vec<Change> {
    vec![
        Change::Put(TreePath::meta(), encode_meta(meta)),
        Change::Put(TreePath::config(), config.to_vec()),
        Change::Put(TreePath::manifest(), Manifest::with_header().to_bytes()),
    ]
}
