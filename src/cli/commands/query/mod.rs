//! `jp query`: what is asked, what is set up for it, the drive, and what is told at the end.

mod run;

mod attaching;
mod beginning;
mod compacting;
mod follow_up;
mod reading;
mod request;
mod resuming;

mod forking;
pub mod model;
mod scene;
mod target;
pub mod tools;

mod attending;
mod door;
mod driving;
mod in_process;
mod keeper;
mod listening;
mod naming;
mod notifying;
mod noting;
mod queueing;
mod serving;
mod starting;

mod asker;
mod asking;
mod by_hand;
mod caption;
mod echo;
mod front;
mod lines;
mod questions;
mod trace;

mod closing;
mod ending;
mod room;

pub use self::{
    attending::{Attendance, attend},
    by_hand::ByHand,
    ending::Words,
    questions::{permitted, put_question},
    reading::gather,
    resuming::rework,
    run::{run, serve},
    trace::{ABOUT, BEGINS, logs},
};
