//! Child processes: commands that share the terminal, programs that run on their own, and those that
//! are left to themselves.
//!
//! A child never sees a variable that it was not given. What [`run`] and [`Partner`] start is in a
//! process group of its own, is never left behind, and never makes jp wait for more than its time:
//! nothing here knows what the output means or whether a program may be run. What is talked to has an
//! [`Escort`], so that it ends even if jp is killed. [`signal`] is about
//! processes that are no children: a signal reaches the one that is meant, or nobody.

mod again;
mod capture;
mod command;
mod course;
mod environment;
mod escort;
mod group;
mod inherited;
mod partner;
mod release;
mod run;
mod running;
pub mod signal;
mod spawn;

pub use again::{Reins, again, end_with_parent, leave_terminal};
pub use command::command;
pub use environment::{Child, holds_key, is_variable, variables};
pub use escort::{Escort, escort, escorted};
pub use inherited::Inherited;
pub use partner::Partner;
pub use release::release;
pub use run::run;
pub use running::Running;
pub use spawn::{Captured, Ended, Ran, RunError, Spawn};

#[cfg(test)]
mod tests;
