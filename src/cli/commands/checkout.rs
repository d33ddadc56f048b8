//! `jp conversation checkout`

use std::path::Path;

use serde_json::json;

use super::{DONE, Next, Outcome, find_to_change, version, warn_of_dropped};
use crate::{
    cli::{args::Checkout, output::Output},
    edit::checkout::{self, check_out_at},
    env::Env,
    model::counted,
};

pub fn run(env: &Env, output: &mut Output, args: &Checkout) -> Outcome {
    let (id, directory) = match &args.args[..] {
        [id, directory, ..] => (Some(id.as_str()), directory.as_str()),
        [directory] => (None, directory.as_str()),
        [] => (None, "."),
    };
    let (workspace, handle) = find_to_change(env, output, id)?;
    warn_of_dropped(output, &workspace, &handle, Next::Reads);
    let handle = version(env, &workspace, handle, &args.at)?;
    let checked_out: checkout::Checkout =
        check_out_at(env, &workspace, &handle, Path::new(directory))?;
    let id = handle.id();
    let shown = checked_out.directory().display().to_string();
    let events = checked_out.events();
    output.done(format_args!("{id} is in {shown}"));
    if args.format.is_json() {
        output.json(&json!({
            "id": id,
            "commit": handle.commit().to_string(),
            "directory": shown,
            "events": events,
        }))?;
        return Ok(DONE);
    }
    output.line(format_args!("{id} {} in {shown}", counted(events as u64, "event")))?;
    output.hint(format_args!(
        "edit there; `jp conversation status {directory}` checks, and \
         `jp conversation commit {directory}` commits"
    ));
    Ok(DONE)
}
