//! Refs of the store, in git's files format: one loose file each, or a line in `packed-refs`.
//!
//! Everything that moves a ref takes `<ref>.lock` first, then reads, writes, syncs and renames.
//! It refuses to follow symbolic refs and to write reftables.

mod delete;
mod error;
mod list;
mod lockfile;
pub mod log;
mod name;
mod pack_all;
mod packed;
mod read;
mod update;

pub use delete::delete;
pub use error::RefError;
pub use list::{Refs, list};
pub use log::LogLine;
pub use name::{RefName, Space};
pub use pack_all::pack_all;
pub use read::read;
pub use update::{Expected, RefLock, clear_lock, confirm, update};
