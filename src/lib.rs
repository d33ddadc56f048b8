//! jp keeps conversations with language models as directories in git.
//!
//! Imports point downward: `model` knows nothing, `format` knows `model`, `plan` decides, `store`
//! writes, `workspace` opens, `history` looks back, `search` finds, `cli` wires it all.
//! `docs/architecture.md` is the map.

#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests make files and children of their own")
)]

pub mod model;

pub mod format;

pub mod plan;

pub mod projection;

pub mod config;

pub mod cancel;
pub mod env;
pub mod fsutil;
pub mod process;
pub mod walk;

pub mod store;

pub mod workspace;

pub mod history;

pub mod search;

pub mod edit;

pub mod provider;

pub mod attach;
pub mod tool;
pub mod turn;

pub mod serve;

pub mod ui;

mod cli;

use std::{ffi::OsString, process::ExitCode};

/// What a process that was interrupted ends with.
const INTERRUPTED: i32 = 130;

/// Runs jp as a process: its arguments, its environment, its signals.
pub fn main() -> ExitCode {
    if let Some(argv) = process::escorted(std::env::args_os()) {
        return escort(&argv);
    }
    let condition = &ui::ENDS_ON_INTERRUPT;
    let signal = signal_hook::consts::SIGINT;
    // Without the handler an interrupt still ends the process, only with another status.
    let _handled = signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, condition);
    match env::Env::of_process() {
        Ok(env) => ExitCode::from(run(std::env::args_os(), &env)),
        Err(error) => {
            ui::complain(format_args!("error: the current directory cannot be used: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Goes along with a program that another process of jp talks to.
fn escort(argv: &[OsString]) -> ExitCode {
    match process::escort(argv) {
        Ok(code) => u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            ui::complain(format_args!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs jp with these arguments in this world, and returns its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>, env: &env::Env) -> u8 {
    cli::run(args, env)
}
