//! Tools that a model may call: one trait, and one file for each kind.
//!
//! A tool checks its arguments, runs, and says how it ended. Whether it may run is asked before,
//! and what is stored is decided after, both by the turn. It never writes to a terminal or a store.

mod outcome;

mod catalog;
mod command;
mod declaration;
mod ending;
mod excerpt;
pub mod mcp;
mod permission;
mod reply;
mod schema;

pub use catalog::{Catalog, check_name};
pub use command::{CommandSpec, CommandTool, Program, Site};
pub use declaration::DeclarationError;
use ending::words;
pub use outcome::{Invocation, Outcome, Permission, Question, Tool};
pub use permission::{Decision, Refusal, decide};
pub use schema::{Misfit, Schema};

pub use crate::process::variables;
