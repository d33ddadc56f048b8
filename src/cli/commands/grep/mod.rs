//! `jp conversation grep`: what is searched, and how it is told.

mod json;
mod print;
mod run;

pub use run::run;
