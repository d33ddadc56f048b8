//! The tools that are built in: files of the workspace, and programs in it.
//!
//! Nothing outside of the workspace is read or written, through whatever path, link or race; what
//! belongs to git and to jp is left alone. A file is replaced as a whole or not at all, and only if
//! it is still what it was when it was read and shown. `docs/tools.md` says what each one does.

mod change;
mod contents;
mod deed;
mod diff;
mod filter;
mod ignore;
mod matches;
mod patch;
mod path;
mod pattern;
mod problem;
mod replacement;
mod root;
mod said;
mod subject;
mod walk;
mod write;

mod create_file;
mod list_files;
mod modify_file;
mod patch_file;
mod read_file;
mod run_command;
mod search;

mod suite;

pub use suite::{Adjusted, NAMES, tools};

#[cfg(test)]
mod tests;
