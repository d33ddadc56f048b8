//! `jp conversation edit`, and what all commands that edit have in common.

mod change;
mod cycle;
mod event;
mod run;
mod tale;
mod title;

pub use change::change;
pub use cycle::edit_in_directory;
pub use run::run;
pub use tale::{Told, faults, report, tell, tell_lines, to_json};
