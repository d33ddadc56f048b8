//! `jp conversation compact`, and what `jp query` has of it: less for the model, nothing less kept.

mod advice;
mod outlook;
mod reach;
mod run;
mod summary;
mod tale;

pub use self::{
    advice::{Advice, fullness, last_usage},
    outlook::{Made, make},
    run::run,
};
