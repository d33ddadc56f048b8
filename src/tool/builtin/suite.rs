//! All built-in tools together.

use std::{path::PathBuf, sync::Arc, time::Duration};

use super::{
    create_file::CreateFile,
    deed::{Builtin, Deed},
    list_files::ListFiles,
    modify_file::ModifyFile,
    patch_file::PatchFile,
    read_file::ReadFile,
    root::Root,
    run_command::{LONGEST, RunCommand},
    search::Search,
};
use crate::tool::{Site, Tool};

/// How much a model gets of a file, a listing, a search or an output.
const LIMIT: usize = 64_000;

/// The names of the built-in tools.
pub const NAMES: [&str; 7] = [
    CreateFile::NAME,
    ListFiles::NAME,
    ModifyFile::NAME,
    PatchFile::NAME,
    ReadFile::NAME,
    Search::NAME,
    RunCommand::NAME,
];

/// What the user settled about a built-in tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjusted {
    /// How many bytes a model gets at most.
    pub output_limit: Option<usize>,
    /// How long it may run at most.
    pub timeout: Option<Duration>,
    /// The variables that a program sees beside the usual ones.
    pub environment: Vec<String>,
}

impl Adjusted {
    fn limit(&self) -> usize {
        self.output_limit.unwrap_or(LIMIT)
    }
}

/// The tools that are built in, for the workspace of a site.
///
/// What is in a directory of `kept`, where conversations are, is neither read nor written.
pub fn tools(
    site: &Arc<Site>,
    kept: &[PathBuf],
    adjusted: impl Fn(&str) -> Adjusted,
) -> Vec<Arc<dyn Tool>> {
    let root = Arc::new(Root::new(&site.workspace, kept));
    let limit = |name| adjusted(name).limit();
    let run = adjusted(RunCommand::NAME);
    vec![
        tool(CreateFile { root: root.clone() }),
        tool(ListFiles { root: root.clone(), limit: limit(ListFiles::NAME) }),
        tool(ModifyFile { root: root.clone() }),
        tool(PatchFile { root: root.clone() }),
        tool(ReadFile { root: root.clone(), limit: limit(ReadFile::NAME) }),
        tool(Search { root: root.clone(), limit: limit(Search::NAME) }),
        tool(RunCommand {
            root,
            site: site.clone(),
            limit: run.limit(),
            longest: run.timeout.unwrap_or(LONGEST),
            environment: run.environment,
        }),
    ]
}

fn tool<D: Deed + 'static>(deed: D) -> Arc<dyn Tool> {
    Arc::new(Builtin::new(deed))
}
