//! The process around a turn: whoever shows it, asks about it or stops it is a client, at the other
//! end of a socket.
//!
//! A socket is for one user on one machine. Nothing here listens on a network.

mod connection;
mod counter;
mod frame;
mod hub;
mod message;
mod outbox;
pub mod place;
mod present;
mod text;

pub use connection::{Connection, Speaker};
pub use frame::FrameError;
pub use hub::{Hub, Tip, Wiring};
pub use message::{
    AskText, Closing, EventText, Failure, FromClient, FromServer, Hello, InterruptText, ReplyHow,
    ReplyText, Role, UsageText, VERSION, Welcome, schema,
};
pub use text::Unclear;
