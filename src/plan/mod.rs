//! Pure decisions: what a commit changes, and whether a conversation is sound.
//!
//! A plan is made from what was read and says what to write; it does neither.

mod append;
mod briefing;
mod change;
mod create;
mod cut;
mod edit;
mod layout;
mod order;
mod outline;
mod queue;
mod repair;
mod retract;
mod sanitize;
mod seal;
mod summary;
mod trailers;

pub use append::{AppendError, Draft, Step, append, set_aside};
pub use briefing::Briefing;
pub use change::{Change, TreePath};
pub use create::create;
pub use cut::cut;
pub use edit::{
    Added, Conflict, Edit, Fault, Hand, Merged, PlanLine, PlanText, Tally, Wanted, Wish, WishLine,
    annotated, check_name, edit, is_congruent, merge, plain, read_hand,
};
pub use layout::{FlatLine, Layout, Listed};
pub use order::longest_increasing;
pub use outline::Outline;
pub use queue::{QUEUED, QueueError, enqueue, requeue, unqueue};
pub use repair::{Repair, Repairs, repair};
pub use retract::retract;
pub use sanitize::{Fix, sanitize};
pub use seal::seal;
pub use summary::{Heading, Summary};
pub use trailers::Trailers;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
