//! Tools that a model may call: one trait, and one file for each kind.
//!
//! A tool checks its arguments, runs, and says how it ended. Whether it may run is asked before,
//! and what is stored is decided after, both by the turn. It never writes to a terminal or a store.

mod outcome;

pub use outcome::{Invocation, Outcome, Permission, Question, Tool};
