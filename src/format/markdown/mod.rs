//! Event files of markdown with YAML frontmatter.

mod read;
mod write;

pub use read::decode;
pub use write::encode;
