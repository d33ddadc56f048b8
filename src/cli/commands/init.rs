//! `jp init`

use std::path::Path;

use super::{DONE, Outcome};
use crate::{
    cli::output::Output,
    env::Env,
    workspace::{Initialised, Workspace},
};

pub fn run(env: &Env, output: &mut Output, directory: &Path) -> Outcome {
    let (workspace, initialised) = Workspace::init(env, directory)?;
    let root = workspace.location().root.display();
    let store = workspace.store();
    match initialised {
        Initialised::New => output.line(format_args!("Workspace {} in {root}", store.id()))?,
        Initialised::Already => {
            output.line(format_args!("Workspace {} is already in {root}", store.id()))?;
        }
    }
    output.line(format_args!("Conversations are kept in {}", store.path().display()))?;
    Ok(DONE)
}
