//! What a shell asks while a command line is being typed.
//!
//! `jp completions` prints a script that starts jp with the variable `JP_COMPLETE` and the words so
//! far; then jp answers with candidates instead of running. It never writes anything else: a shell
//! would print it into the middle of the line.

mod answer;
mod candidates;

pub use answer::{VARIABLE, answer};
pub use candidates::Candidates;
