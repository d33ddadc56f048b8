//! The program as a whole, run as a user would run it, with git as the referee.

#![expect(clippy::disallowed_methods, reason = "tests make files and children of their own")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod append;
mod attach;
mod blame;
mod builtin_tools;
mod children;
mod compact;
mod completions;
mod concurrency;
mod config;
mod crash;
mod crash_history;
mod diff;
mod export;
mod failures;
mod fixtures;
mod fork;
mod fsck;
mod guides;
mod hostile;
mod https;
mod import;
mod init;
mod listing;
mod log;
mod loopback;
mod mcp;
mod newcomer;
mod plain_git;
mod print;
mod providers;
mod query;
mod query_compact;
mod query_config;
mod query_crash;
mod query_edited;
mod query_failures;
mod query_output;
mod query_reader;
mod query_target;
mod reference;

mod shelf;
mod store;
mod support;
mod tidiness;
mod tool_batches;
mod tool_prompts;
mod tools;
mod tools_crash;
mod trap;
mod trust;
mod trust_command;
mod trust_elsewhere;
mod undo;
