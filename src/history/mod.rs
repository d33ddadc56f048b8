//! What happened to a conversation: operations over commits, undo and redo, time travel, forks.
//!
//! An operation is what one command did: commits in a row that name the same operation, or one
//! commit that something else made. Nothing here rewrites history: undo is a new commit that
//! brings back an old tree.

mod age;
mod ancestry;
mod at;
mod blame;
mod changes;
mod compare;
mod cursor;
mod diff;
mod dropped;
mod family;
mod fork;
mod graph;
mod lineage;
mod lines;
mod moment;
mod operation;
mod script;
mod tally;
mod undo;
mod walk;
mod words;

pub use age::{InvalidAge, parse_age};
pub use at::{AtError, resolve};
pub use blame::{Blame, BlameError, blame};
pub use changes::{Content, Diff, EventChange, FieldChange, FileChange, Kind, Place, Version};
pub use diff::diff;
pub use dropped::{Dropped, dropped};
pub use family::{Family, Twig, family, family_tree};
pub use fork::{Fork, ForkError, Keep, fork};
pub use graph::{Drawn, draw};
pub use lineage::{Branching, Lineage, lineage};
pub use lines::{Detail, Hunk, LineCount, TextDiff};
pub use moment::{InvalidMoment, Moment, Scope};
pub use operation::{Operation, Operations, operations};
pub use script::Effort;
pub use undo::{Turned, redo, restore, undo};
pub use walk::{Walk, records, short, walk};
pub use words::{Mark, Segment};

#[cfg(test)]
mod tests;
