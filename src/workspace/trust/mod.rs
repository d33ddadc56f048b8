//! What of a workspace needs trust, whether it has it, and where that is kept.
//!
//! The files are read once: what is hashed is what is shown and what is used. What the user trusted
//! is kept outside of the workspace, by the path of the workspace and the content of all of these
//! files; if any of it is different, nothing of it is trusted. Nobody is asked here.

mod changes;
mod files;
mod pin;
mod pins;
mod standing;

pub(super) use files::{INSTRUCTIONS, MCP, read_text, resolved};

pub use changes::{Change, Line};
pub use files::{WorkspaceFile, WorkspaceFiles};
pub use pin::Pin;
pub use pins::Pins;
pub use standing::{Standing, Trust};

#[cfg(test)]
mod tests;
