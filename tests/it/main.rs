//! The program as a whole, run as a user would run it, with git as the referee.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make files and children of their own, and end when something is amiss"
)]

mod append;
mod concurrency;
mod crash;
mod failures;
mod fixtures;
mod fsck;
mod hostile;
mod init;
mod listing;
mod plain_git;
mod store;
mod support;
mod tidiness;
