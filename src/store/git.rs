//! Running git itself on the store.
//!
//! A store that came from elsewhere could name programs in its configuration. git is run only if
//! every key in it is one that cannot.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    process::{Command, Stdio},
};

use super::{Store, StoreError, config::Config};
use crate::{
    env::Env,
    fsutil::{AtPath, FsError},
    process::{self, Child},
};

/// Why git was not run, or how it failed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The configuration of the store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refused.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The configuration holds what could run a program.
    #[error("the configuration of the store sets {}, which could run programs", list(.0))]
    Untrusted(Vec<ConfigKey>),
    /// There is no git.
    #[error("git is not installed")]
    NoGit,
    /// It failed.
    #[error("`git {command}` failed: {message}")]
    Failed {
        /// What was run.
        command: String,
        /// What it said.
        message: String,
    },
}

/// A key in a git configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigKey(String);

impl fmt::Display for ConfigKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn list(keys: &[ConfigKey]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}

/// Keys that say nothing about programs to run; `*` stands for any sub-section.
const HARMLESS: [(&str, &[&str]); 12] = [
    (
        "core",
        &[
            "repositoryformatversion",
            "bare",
            "filemode",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "compression",
            "sharedrepository",
        ],
    ),
    ("gc", &["auto", "reflogexpire", "reflogexpireunreachable", "pruneexpire"]),
    ("maintenance", &["auto", "strategy"]),
    ("jp", &["id"]),
    ("remote", &["url", "pushurl", "fetch", "push", "mirror", "tagopt", "prune"]),
    ("branch", &["remote", "merge", "rebase", "description", "pushremote"]),
    ("user", &["name", "email"]),
    ("push", &["default", "autosetupremote"]),
    ("fetch", &["prune", "prunetags"]),
    ("receive", &["denycurrentbranch", "denynonfastforwards", "denydeletes"]),
    ("pack", &["threads", "window", "depth", "windowmemory"]),
    ("extensions", &["objectformat", "refstorage"]),
];

/// What git may speak with a remote: not `ext::`, nor any other helper.
const PROTOCOLS: &str = "file:git:http:https:ssh";

/// What holds for every run of git: no hooks, no file system monitor, no programs as remotes, and
/// no repositories within this one.
const HARMLESS_SETTINGS: [&str; 4] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
];

impl Store {
    /// The command that runs git on the store; standard input and output are still to be set.
    pub fn git(&self, env: &Env, args: &[impl AsRef<OsStr>]) -> Result<Command, GitError> {
        self.check_config()?;
        let mut command = process::command(env, Child::Git, "git");
        let mut git_dir = OsString::from("--git-dir=");
        git_dir.push(self.path());
        command.arg(git_dir);
        // Else a file `commondir` in the store could lead to a configuration that nobody checked.
        command.env("GIT_COMMON_DIR", self.path());
        // A remote could be the name of a program otherwise; this counts more than any `-c`.
        command.env("GIT_ALLOW_PROTOCOL", PROTOCOLS);
        for setting in HARMLESS_SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(args);
        Ok(command)
    }

    /// Runs git on the store and returns what it printed.
    pub fn git_output(&self, env: &Env, args: &[&str]) -> Result<Vec<u8>, GitError> {
        let mut command = self.git(env, args)?;
        command.stdin(Stdio::null());
        let output = command.output().map_err(|error| start_error(&error, args))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(GitError::Failed { command: args.join(" "), message })
    }

    /// Refuses a configuration that could run programs.
    fn check_config(&self) -> Result<(), GitError> {
        let path = self.path().join("config");
        let bytes = std::fs::read(&path).at("read", &path)?;
        let config = Config::parse(&path, &bytes)?;
        let harmless = |section: &str, key: &str| {
            HARMLESS.iter().any(|(name, keys)| *name == section && keys.contains(&key))
        };
        let untrusted: Vec<_> = config
            .keys()
            .into_iter()
            .filter(|(section, _, key)| !harmless(section, key))
            .map(|(section, subsection, key)| match subsection {
                Some(subsection) => ConfigKey(format!("{section}.{subsection}.{key}")),
                None => ConfigKey(format!("{section}.{key}")),
            })
            .collect();
        if untrusted.is_empty() { Ok(()) } else { Err(GitError::Untrusted(untrusted)) }
    }
}

pub(super) fn start_error(error: &std::io::Error, args: &[&str]) -> GitError {
    if error.kind() == std::io::ErrorKind::NotFound {
        return GitError::NoGit;
    }
    GitError::Failed { command: args.join(" "), message: error.to_string() }
}
