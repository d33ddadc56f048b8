//! Which conversation a terminal is about: sessions, and what each of them did last.
//!
//! There is no active conversation of a workspace, only one of each session. Who has no session
//! must name a conversation: a script without a terminal never continues anybody's by accident.

mod activations;
mod file;
mod identity;
mod key;
mod mapping;
mod recall;
mod register;
mod stale;

pub use activations::Activation;
pub use identity::{Session, Source};
pub use mapping::Mapping;
pub use recall::{Recalled, SessionConversation, SessionError};

#[cfg(test)]
mod tests;
