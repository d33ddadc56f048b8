//! Packs: the form in which objects become durable, one small pack for each commit of the store.
//!
//! [`build`] makes them, [`merge`] keeps their number small, [`heal`] removes damaged loose copies
//! of what they hold. Deltas are left to `git repack`.

pub mod build;
mod entry;
mod gather;
pub mod heal;
pub mod index;
pub mod merge;
mod midx;
mod old;
mod stage;
pub mod tiers;

pub use build::{BuiltPack, PackBuilder, PackError, hash_object};
pub use gather::{are_many_loose, gather};
pub use merge::{DamagedPack, MergeError, count, merge, replace_all, replace_and_drop};
pub(super) use stage::Staged;
