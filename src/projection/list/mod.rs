//! A conversation as a list of messages that other programs keep.
//!
//! A list is made of a stream ([`list`]), written as JSON ([`write`]), read again ([`read`]) and
//! turned back into events ([`events`]), so that a program can keep a conversation as jp does, and
//! jp can go on with what a program kept. `docs/json.md` describes the JSON. What a list cannot
//! hold is told by [`LeftOut`], never dropped in silence.
//!
//! ```
//! use jp::{
//!     model::{Address, ConversationId, Entry, Meta, Progress, Stream, Timestamp},
//!     projection::list::{Origin, list, read_events, write},
//! };
//!
//! let now = Timestamp::from_seconds(0);
//! let json = br#"[{"role": "user", "content": "Hi"}]"#;
//! let made = read_events(json, &Progress::default(), now).expect("this is a conversation");
//! let events = made.events.into_iter().map(|made| made.event);
//! let stream = Stream::new(events.map(|event| Entry { address: Address::FIRST, event }));
//! assert!(stream.incomplete.is_some(), "nobody has answered yet");
//!
//! let (id, meta) = (ConversationId::at(now), Meta::default());
//! let again = write(&list(&stream, &Origin { id, meta: &meta, config: None }));
//! assert_eq!(again[0]["message_id"], "jp-c0/000");
//! assert_eq!(again[0]["content"], "Hi");
//! ```

mod events;
mod fields;
mod left_out;
pub mod limits;
mod listed;
mod make;
mod object;
mod parse;
mod problem;
mod read;
mod schema;
mod write;

pub use events::{Made, SystemMessage, Unrolled, events};
pub use left_out::LeftOut;
pub use listed::{Beside, Listed};
pub use make::{Origin, list};
pub use object::Object;
pub use problem::Problem;
pub use read::{Read, read, read_events};
pub use schema::schema;
pub use write::write;

#[cfg(test)]
mod tests;
