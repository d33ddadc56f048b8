//! Taking events out that count for nothing.

use super::{Edit, Fault, Layout, Wish, edit::carve};
use crate::model::Address;

/// Decides how a conversation looks without the events at these addresses.
pub fn retract(layout: &Layout, addresses: &[Address]) -> Result<Edit, Vec<Fault>> {
    let goes = |at: usize| {
        let listed = layout.stream.get(at);
        listed.is_some_and(|listed| addresses.contains(&listed.name.address()))
    };
    carve(layout, &Wish::without(layout, goes))
}
