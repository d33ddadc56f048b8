//! Tools that a model may call: one trait, and one file for each kind.
//!
//! A tool checks its arguments, runs, and says how it ended. Whether it may run is asked before,
//! and what is stored is decided after, both by the turn. It never writes to a terminal or a store.

mod host;
mod outcome;
mod routing;
mod terms;

pub mod builtin;

mod catalog;
mod command;
mod declaration;
mod ending;
mod excerpt;
pub mod mcp;
mod refusal;
mod reply;
mod schema;

pub use catalog::{Catalog, Listed, Source, check_name};
pub use command::{CommandSpec, CommandTool, Program, Site};
pub use declaration::DeclarationError;
use ending::words;
pub use host::{Host, Line};
pub use outcome::{Invocation, Outcome, Question, Tool};
pub use refusal::Refusal;
pub use routing::{Audience, Route, policy, route};
pub use schema::{Misfit, Schema};
pub use terms::{Subject, Terms};

pub use crate::{
    config::{Delivery, Permission, Policy, Rule, Unattended},
    process::variables,
};
