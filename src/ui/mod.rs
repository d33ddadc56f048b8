//! What reaches a terminal: untrusted text made harmless, tables, markdown, the pager.
//!
//! Nothing here decides what is said; it only decides how it looks.

mod complain;
mod confirm;
mod escape;
mod lend;
mod markdown;
mod pager;
mod style;
mod table;
mod terminal;
mod time;
mod transcript;
mod width;

pub use complain::complain;
pub use confirm::confirm;
pub use escape::{escape, escape_json, escape_lines};
pub use lend::lend_terminal;
pub use markdown::{backticks, render};
pub use pager::{ENDS_ON_INTERRUPT, page};
pub use style::{Face, Style};
pub use table::Table;
pub use terminal::Size;
pub use time::minute;
pub use transcript::{Detail, Hole, Look, Transcript};
pub use width::{shorten, width};
