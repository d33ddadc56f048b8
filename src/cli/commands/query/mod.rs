//! `jp query`: what is asked, what is set up for it, the drive, and what is told at the end.

mod run;

mod attaching;
mod beginning;
mod compacting;
mod reading;
mod request;
mod resuming;

mod forking;
pub mod model;
mod scene;
mod target;
pub mod tools;

mod driving;
mod keeper;
mod listening;
mod naming;

mod asker;
mod by_hand;
mod caption;
mod echo;
mod front;
mod lines;
mod trace;

mod ending;
mod room;

pub use self::{by_hand::ByHand, run::run};
