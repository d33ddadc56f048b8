//! How much may be put beside a request.

use std::time::Duration;

/// The most bytes of one attachment.
pub const LARGEST: u64 = 20 << 20;

/// The most bytes of all attachments of a request.
pub const TOTAL: u64 = 32 << 20;

/// The most files of a directory or a pattern.
pub const FILES: usize = 200;

/// The most bytes of a directory or a pattern.
pub const MANY: u64 = 4 << 20;

/// How many files of a directory are counted before it says that there are more.
pub const COUNTED: usize = 100_000;

/// How long an address may take.
pub const TIME: Duration = Duration::from_secs(30);

/// How many times an address may lead elsewhere.
pub const REDIRECTS: u32 = 5;
