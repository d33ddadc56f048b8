//! What to run, and what came of it.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::Duration,
};

use super::{Escort, Running};
use crate::{
    env::Env,
    fsutil::{FsError, cause},
};

/// A program to run, with everything it sees and how far it may go.
#[derive(Clone, Debug)]
pub struct Spawn {
    /// The program and its arguments. A name without `/` is looked for in the `PATH` of `vars`, a
    /// relative path is one from `cwd`.
    pub argv: Vec<OsString>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// All the variables that it sees.
    pub vars: BTreeMap<OsString, OsString>,
    /// What it reads. It may leave as much of it as it likes unread.
    pub stdin: Vec<u8>,
    /// How many bytes of each of its two outputs are kept in memory.
    pub kept: usize,
    /// The directory where an output that is longer is saved, made if it is missing; without one
    /// the rest is only counted.
    pub overflow: Option<PathBuf>,
    /// How many bytes of each output are saved at most.
    pub saved: u64,
    /// How long it may run.
    pub timeout: Option<Duration>,
    /// How long it may take to end when it is asked to, before it is killed.
    pub grace: Duration,
    /// Where it is listed while it runs.
    pub running: Running,
    /// Who goes along, so that it ends even if jp is killed; with nobody it is told by the end of
    /// its input alone.
    pub escort: Option<Escort>,
}

impl Spawn {
    /// A program that sees no variables, reads nothing and may take its time; of each output 64 KiB
    /// are kept.
    pub fn new<W: Into<OsString>>(
        argv: impl IntoIterator<Item = W>,
        cwd: impl Into<PathBuf>,
    ) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: cwd.into(),
            vars: BTreeMap::new(),
            stdin: Vec::new(),
            kept: 64 << 10,
            overflow: None,
            saved: 64 << 20,
            timeout: None,
            grace: Duration::from_secs(2),
            running: Running::default(),
            escort: None,
        }
    }

    /// The same program, which sees those variables of a world that pass a test.
    pub fn seeing(mut self, env: &Env, passes: impl Fn(&std::ffi::OsStr) -> bool) -> Self {
        let vars = env.vars().filter(|(name, _)| passes(name));
        self.vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        self
    }
}

/// How a program ended, and what it said.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub status: ExitStatus,
    /// Why it ended.
    pub ended: Ended,
    /// What it wrote to its standard output.
    pub stdout: Captured,
    /// What it wrote to its standard error.
    pub stderr: Captured,
}

impl Ran {
    /// Whether it was ended because its time was over.
    pub fn timed_out(&self) -> bool {
        self.ended == Ended::TimedOut
    }

    /// Whether it was ended because somebody asked for it.
    pub fn cancelled(&self) -> bool {
        self.ended == Ended::Cancelled
    }
}

/// Why a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, or somebody else killed it.
    Itself,
    /// Its time was over.
    TimedOut,
    /// It was cancelled.
    Cancelled,
    /// It wanted to read from the terminal, or to control it, which is not its own.
    WantedTerminal,
}

/// The output of a program, or the beginning of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes.
    pub bytes: Vec<u8>,
    /// How many there were.
    pub total: u64,
    /// The file that has the output from its first byte on, if it is longer than what was kept.
    pub rest: Option<PathBuf>,
    /// How many bytes can still be read, here or in the file.
    pub saved: u64,
}

impl Captured {
    /// Whether the bytes are all there was.
    pub fn is_whole(&self) -> bool {
        self.total == self.bytes.len() as u64
    }
}

/// Why nothing can be said about a program.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The list of words is empty.
    #[error("there is no program to run")]
    NoProgram,
    /// It was cancelled before it began.
    #[error("`{}` was not started: it was cancelled before", program.display())]
    Cancelled {
        /// What was to run.
        program: OsString,
    },
    /// The directory is none.
    #[error("`{}` cannot run in `{}`, which is not a directory", program.display(), cwd.display())]
    NoDirectory {
        /// What was to run.
        program: OsString,
        /// Where.
        cwd: PathBuf,
    },
    /// The system did not start it.
    #[error("`{}` cannot be run: {}", program.display(), cause(source))]
    Start {
        /// What was to run.
        program: OsString,
        /// Why not.
        source: io::Error,
    },
    /// It was started and killed, because it could not be watched.
    #[error("`{}` was killed, because jp lost track of it: {}", program.display(), cause(source))]
    Lost {
        /// What was running.
        program: OsString,
        /// Why.
        source: io::Error,
    },
    /// The directory for long outputs cannot be used.
    #[error(transparent)]
    Overflow(#[from] FsError),
}

impl RunError {
    /// Whether the program may have done something before it failed.
    pub fn may_have_run(&self) -> bool {
        matches!(self, Self::Lost { .. })
    }

    pub(super) fn start(program: &std::ffi::OsStr, cwd: &Path, source: io::Error) -> Self {
        let program = program.to_owned();
        if source.kind() == io::ErrorKind::NotFound && !cwd.is_dir() {
            return Self::NoDirectory { program, cwd: cwd.to_owned() };
        }
        Self::Start { program, source }
    }
}
