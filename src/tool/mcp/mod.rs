//! Tools of other programs: servers of the Model Context Protocol, over pipes and over HTTP.
//!
//! A server is started when a query has tools, in time or not at all, and ends with the query.
//! What it says about itself is untrusted: names are made fit, texts and schemas have limits, and
//! no hint of a server decides whether a tool may run. The official SDK speaks the protocol; it
//! needs an async runtime, which lives in one thread and is named nowhere else.

mod declared;
mod document;
mod expand;
mod names;

mod answer;
mod form;
mod offer;

mod runtime;

mod events;
mod pipes;
mod web;

mod calls;
mod client;
mod connection;
mod exchange;

mod server;
mod servers;
mod tool;

pub use declared::{ServerSpec, Way};
pub use document::{Document, DocumentError};
pub use server::Server;
pub use servers::{Servers, Started};
pub use tool::McpTool;

#[cfg(test)]
mod tests;
