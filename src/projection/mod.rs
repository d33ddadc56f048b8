//! A stream as a model sees it: provider-neutral messages.
//!
//! It does no I/O and knows no provider. What is stored is never changed here; the stream comes
//! mended from `plan::sanitize`, and [`compact`] lays its compactions over it. [`list`] is the way
//! to other programs and back.

mod compact;
pub mod list;
mod message;
mod messages;
mod omission;
mod short;
mod shown;
mod system;
mod weight;

pub use compact::{Compacted, compact, compact_within};
pub use message::{Message, Part, PartKind, Role};
pub use messages::messages;
pub use omission::Omission;
pub use shown::{Shown, Takes, shown};
pub use system::system_prompt;
pub use weight::Weight;

#[cfg(test)]
mod tests;
