//! What reaches a terminal, and what comes from it: untrusted text made harmless, tables, markdown
//! whole and as it streams, the pager, the status line, questions, the picker, interrupts.
//!
//! Nothing here decides what is said; it only decides how it looks.

mod channels;
mod complain;
mod confirm;
mod escape;
mod escaper;
mod faced;
mod interrupt;
mod lend;
mod markdown;
mod pager;
mod picker;
mod prompt;
mod signals;
mod spool;
mod status;
mod stream;
mod style;
mod table;
mod terminal;
mod time;
mod title;
mod transcript;
mod width;

pub use channels::{AnswerFormat, Channels, Chrome, Settled, Written};
pub use complain::complain;
pub use confirm::confirm;
pub use escape::{escape, escape_json, escape_lines, on_one_line};
pub use escaper::Escaper;
pub use faced::FacedLine;
pub use interrupt::{Interruption, Press, Presses};
pub use lend::lend_terminal;
pub use markdown::{backticks, render};
pub use pager::page;
pub use picker::{Content, Glance, Item, Picked, Reader, pick};
pub use prompt::{
    Asked, Handover, Key, Permission, Prompter, Proposal, Question, Reply, Secret, Wake, Waker,
    argument_lines, leave_terminal, restore_terminal,
};
pub use signals::{ENDS_ON_INTERRUPT, Signal, Signals};
pub use status::{Retry, Status};
pub use stream::StreamRenderer;
pub use style::{Face, Style};
pub use table::Table;
pub use terminal::Size;
pub use time::minute;
pub use title::show_title;
pub use transcript::{Detail, Gap, Hole, Look, Transcript, Unfinished};
pub use width::{around, shorten, width};
