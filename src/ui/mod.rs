//! What reaches a terminal: untrusted text made harmless, tables, markdown, the pager.
//!
//! Nothing here decides what is said; it only decides how it looks.

mod channels;
mod confirm;
mod escape;
mod escaper;
mod markdown;
mod pager;
mod status;
mod stream;
mod style;
mod table;
mod terminal;
mod time;
mod transcript;
mod width;

pub use channels::{AnswerFormat, Channels, Chrome, Written};
pub use confirm::confirm;
pub use escape::{escape, escape_json, escape_lines};
pub use escaper::Escaper;
pub use markdown::{backticks, render};
pub use pager::{ENDS_ON_INTERRUPT, page};
pub use status::{Retry, Status};
pub use stream::StreamRenderer;
pub use style::{Face, Style};
pub use table::Table;
pub use terminal::Size;
pub use time::minute;
pub use transcript::{Detail, Hole, Look, Transcript};
pub use width::{shorten, width};

/// Says something on standard error before a command has begun.
pub fn complain(text: impl std::fmt::Display) {
    use std::io::Write;
    let _unheard = writeln!(std::io::stderr(), "{text}");
}
