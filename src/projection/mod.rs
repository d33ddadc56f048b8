//! A stream as a model sees it: provider-neutral messages.
//!
//! It does no I/O and knows no provider. What is stored is never changed here; the stream comes
//! mended from `plan::sanitize`. Compactions are not applied: the messages are all there are.

mod message;
mod messages;
mod shown;
mod system;

pub use message::{Message, Part, PartKind, Role};
pub use messages::messages;
pub use shown::{Shown, Takes, shown};
pub use system::system_prompt;

#[cfg(test)]
mod tests;
