//! `jp conversation cat`

use super::{DONE, Outcome, workspace_with};
use crate::{
    cli::{error::CommandError, output::Output},
    env::Env,
    model::Address,
    ui::escape,
};

pub fn run(env: &Env, output: &mut Output, id: &str, address: &str) -> Outcome {
    // What `append` and `show` print can be given back: the number, or the name of the file.
    let number = address.split_once('-').map_or(address, |(number, _)| number);
    let address: Address = number.parse().map_err(CommandError::usage)?;
    let workspace = workspace_with(env, id)?;
    let handle = workspace.select(id)?;
    let id = handle.id();
    let snapshot = workspace.snapshot(id, handle.commit())?;
    let Some(blob) = snapshot.file_at(address) else {
        let message = format!("conversation {id} has no event {address}");
        let hint = format!("`jp conversation show {id}` lists its events");
        return Err(CommandError::failure(message).hint(hint));
    };
    let bytes = workspace.read_blob(id, &blob)?;
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
