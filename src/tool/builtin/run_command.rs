//! `run_command`: a program with its arguments, and no shell in between.

use std::{os::fd::AsRawFd, path::PathBuf, sync::Arc, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{deed::Deed, problem::Problem, root::Root, said::Promise};
use crate::{
    cancel::Cancel,
    process::{self, Spawn, variables},
    tool::{
        Outcome, Site, Subject,
        ending::{Ending, Who},
    },
};

/// How long a program may run at most, unless the user says otherwise.
pub(super) const LONGEST: Duration = Duration::from_secs(600);

/// How long it may run if nothing is said.
const USUAL: u64 = 120;

/// Runs programs.
pub(super) struct RunCommand {
    pub(super) root: Arc<Root>,
    pub(super) site: Arc<Site>,
    pub(super) limit: usize,
    pub(super) longest: Duration,
    pub(super) environment: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Arguments {
    command: Vec<String>,
    #[serde(default)]
    cwd: String,
    #[serde(default = "usual")]
    timeout: u64,
}

fn usual() -> u64 {
    USUAL
}

impl Deed for RunCommand {
    type Arguments = Arguments;
    const NAME: &'static str = "run_command";
    const DESCRIPTION: &'static str = "Runs a program in the workspace and returns what it \
        printed. `command` is the program and its arguments, one string each; there is no shell, \
        so pipes, globs, redirections, `&&` and variables mean nothing. The program has no \
        terminal and no input. If it fails, its exit status and both outputs are returned. Of a \
        long output the beginning and the end are returned.";
    const IS_IDEMPOTENT: bool = false;

    fn parameters() -> Value {
        json!({
            "type": "object",
            "required": ["command"],
            "additionalProperties": false,
            "properties": {
                "command": {
                    "type": "array",
                    "minItems": 1,
                    "items": { "type": "string" },
                    "description": "The program and its arguments, as in [\"cargo\", \"test\"].",
                },
                "cwd": {
                    "type": "string",
                    "description": "The directory to run in, from the root of the workspace, which \
                        it is if this is missing.",
                },
                "timeout": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "How many seconds it may run; 120 if this is missing.",
                },
            },
        })
    }

    fn check(&self, arguments: &Arguments) -> Result<(), Problem> {
        if arguments.command.first().is_none_or(String::is_empty) {
            return Err(Problem::Own("`command` names no program".to_owned()));
        }
        if arguments.command.iter().any(|word| word.contains('\0')) {
            return Err(Problem::Own(
                "`command` has a NUL in it, which no argument can".to_owned(),
            ));
        }
        self.root.check_read(&self.root.parse(&arguments.cwd)?)
    }

    fn subject(&self, arguments: &Arguments) -> Subject {
        let at = super::subject::reading(&self.root, &arguments.cwd);
        Subject { argv: Some(arguments.command.clone()), ..at }
    }

    fn act(
        &self,
        arguments: &Arguments,
        promise: &Promise,
        cancel: &Cancel,
    ) -> Result<Outcome, Problem> {
        let path = self.root.resolve(&self.root.parse(&arguments.cwd)?)?;
        promise.check_path(&path)?;
        self.root.check_read(&path)?;
        let directory = self.root.open_directory(&path)?;
        // The directory that was opened, whatever its name leads to by then.
        let opened = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()));
        let cwd = match opened.is_dir() {
            true => opened,
            false => self.root.path().join(path.as_path()),
        };
        let timeout = Duration::from_secs(arguments.timeout).min(self.longest);
        let mut spawn = Spawn::new(arguments.command.iter(), cwd);
        spawn.vars = variables(&self.site.env, &self.environment, &self.site.keys);
        spawn.kept = self.limit;
        spawn.overflow = Some(self.site.outputs.clone());
        spawn.timeout = Some(timeout);
        spawn.running = self.site.running.clone();
        let ending =
            Ending { who: Who::Program(&arguments.command[0]), timeout, limit: self.limit };
        Ok(match process::run(&spawn, cancel) {
            Ok(ran) => ending.of(&ran),
            Err(error) => ending.without_run(&error),
        })
    }
}
