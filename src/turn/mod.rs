//! A turn: a request, the answers to it, and the tools in between.
//!
//! The turn itself is a pure state machine, `step(state, input) -> (state, effects)`: it decides
//! what is stored, what is run, what is asked and what is tried again. A thin driver feeds it and
//! carries out what it wants, with plain threads for what takes long. Neither knows git or a
//! terminal: where events go and who answers questions are traits.

mod answering;
mod backoff;
mod call;
mod calls;
mod consult;
mod driver;
mod effect;
mod ends;
mod errands;
mod follow_up;
mod input;
mod machine;
mod outbox;
mod prompt;
mod record;
mod replying;
mod resumption;
mod setup;
mod standing;
mod survey;
mod switchboard;
mod told;

pub use driver::{DriveError, drive};
pub use effect::{Effect, Ending, Notice, Unknown};
pub use ends::{Closed, FrontEnd, Inbox, Post, Sink};
pub use follow_up::{Filed, FollowUp, Waiting};
pub use input::{Input, Interrupt, Reply};
pub use machine::Turn;
pub use prompt::{ALWAYS, Ask, Finished, REFUSE, RUN, Ticket};
pub use replying::{Misread, Unanswered, unanswered};
pub use resumption::{Decision, Resumption};
pub use setup::{Schema, Setup};
pub use survey::{CallState, Survey, Surveyed};
pub use told::{Mismatch, Told};

#[cfg(test)]
mod tests;
