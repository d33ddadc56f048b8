//! The on-disk format: an event file to bytes and back, a manifest to lines and back, and every
//! name and version in it.
//!
//! Nothing here does I/O. `docs/format.md` is the specification; this is its only implementation.

mod amend;
pub mod base64;
mod briefing;
mod event;
mod fence;
mod flaw;
mod frontmatter;
mod header;
pub mod limits;
mod manifest;
mod markdown;
mod meta;
mod names;
mod schema;
mod stamp;
#[cfg(test)]
mod strategies;
mod template;
mod text;
mod toml_event;
mod version;
mod yaml;

pub use amend::{amend, with_call_id, without_mark};
pub use briefing::BriefingFile;
pub use event::{Decoded, EncodeError, Form, decode, encode};
pub use flaw::Flaw;
pub use manifest::{Line, Manifest};
pub use meta::{decode_meta, encode_meta, salvage_meta};
pub use names::{
    CONFIG_FILE, FileName, InvalidName, MANIFEST_FILE, META_DIR, META_FILE, QUEUE_DIR, RunName,
};
pub use schema::{Schema, schemas};
pub use stamp::stamp;
pub use template::template;
pub use text::TextLines;
pub use toml_event::check_config;
pub use version::{Compatibility, FormatVersion};
