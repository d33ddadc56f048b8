//! `jp init`

use std::path::Path;

use super::{DONE, Outcome};
use crate::{
    cli::output::Output,
    env::Env,
    ui::escape,
    workspace::{Initialised, Workspace},
};

pub fn run(env: &Env, output: &mut Output, directory: &Path) -> Outcome {
    let (workspace, initialised) = Workspace::init(env, directory)?;
    let root = workspace.location().root.display().to_string();
    let root = escape(&root);
    let store = workspace.store();
    match initialised {
        Initialised::New => {
            let made = format!("Workspace {} in {root}", store.id());
            output.done(&made);
            output.line(made)?;
        }
        Initialised::Already => {
            output.line(format_args!("Workspace {} is already in {root}", store.id()))?;
        }
    }
    output.line(format_args!(
        "Conversations are kept in {}",
        escape(&store.path().display().to_string())
    ))?;
    Ok(DONE)
}
