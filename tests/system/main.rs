//! jp among other people's programs: real shells and a real terminal. `.ci/system` runs it.

#![expect(clippy::disallowed_methods, reason = "tests make files and children of their own")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod asker;
mod attacks;
mod detach;
mod edit;
mod editors;
mod escapes;
mod locks;
mod mcp;
mod pager;
mod picker;
mod prompts;
mod query;
mod query_talk;
mod recycled;
mod resume;
mod served;
mod shells;
mod sockets;
#[path = "../it/support.rs"]
#[expect(dead_code, reason = "the other test binary uses the rest")]
mod support;
mod terminal;
mod title;
mod trust;

use std::{ffi::OsString, path::Path};

use support::Jp;

/// A user in a workspace who can call `jp`.
fn user() -> Jp {
    let jp = Jp::in_workspace();
    let mut path = OsString::from(Path::new(env!("CARGO_BIN_EXE_jp")).parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    jp.with_var("PATH", path).with_var("LC_ALL", "C.UTF-8").with_var("SHELL", "/bin/sh")
}
