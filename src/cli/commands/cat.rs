//! `jp conversation cat`

use super::{DONE, Outcome, event_named, to_read_at};
use crate::{
    cli::{args::AtArg, output::Output},
    env::Env,
    ui::escape,
};

pub fn run(env: &Env, output: &mut Output, args: &[String], at: &AtArg) -> Outcome {
    let (id, address) = event_named(env, args)?;
    let (workspace, handle) = to_read_at(env, output, id, at)?;
    let found = workspace.file_at(&handle, address)?;
    let bytes = workspace.read_blob(handle.id(), &found.blob)?;
    if output.is_terminal() {
        // A file may hold anything; a terminal must not obey it.
        for line in String::from_utf8_lossy(&bytes).lines() {
            output.line(escape(line))?;
        }
    } else {
        output.bytes(&bytes)?;
    }
    Ok(DONE)
}
