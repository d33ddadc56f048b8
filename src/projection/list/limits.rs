//! How large a list may be before it is refused.

/// Bytes of its JSON.
pub const BYTES: u64 = 512 << 20;

/// Messages.
pub const MESSAGES: usize = 100_000;

/// Values of JSON, one within the other.
pub const VALUES: usize = 10_000_000;

/// How deep lists and objects may be nested in metadata and in what a provider wrote, so that they
/// fit into the header of an event file.
pub const NESTING: usize = 60;

/// Problems that are told before it says that there are more.
pub const PROBLEMS: usize = 1000;
