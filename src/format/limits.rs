//! How large things may be before they are refused unread.

/// Bytes of frontmatter that follow the plain grammar which jp itself writes.
pub const FRONTMATTER: usize = 1 << 20;

/// Bytes of frontmatter that use more of YAML than that.
pub const FRONTMATTER_BY_HAND: usize = 64 << 10;

/// How deep lists and maps may be nested in frontmatter.
pub const NESTING: usize = 64;

/// Bytes of one event file.
pub const EVENT_FILE: u64 = 64 << 20;

/// Bytes of a manifest, of `meta.toml` and of the base configuration.
pub const MANIFEST_FILE: u64 = 16 << 20;

/// Bytes of all manifests of a conversation.
pub const MANIFESTS: u64 = 64 << 20;

/// Bytes of all events of a conversation.
pub const CONVERSATION: u64 = 512 << 20;

/// Entries of one directory.
pub const DIRECTORY_ENTRIES: usize = 100_000;

/// Bytes of one git tree object.
pub const TREE_OBJECT: u64 = 16 << 20;

/// Event files of one conversation.
pub const EVENT_FILES: usize = 1_000_000;

/// Sealed runs of one conversation.
pub const RUNS: usize = 10_000;

/// Lines of one manifest, remarks included.
pub const MANIFEST_LINES: usize = 300_000;

/// Flaws of one manifest that are told before it says that there are more.
pub const FLAWS: usize = 1000;

/// Bytes of a file name.
pub const FILE_NAME: usize = 200;

/// Bytes of a commit object that is read for listing.
pub const COMMIT_OBJECT: u64 = 1 << 20;
