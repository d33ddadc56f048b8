//! Where the benchmark works: a scratch directory inside `target`, and a fixed environment.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use jp::{
    env::Env,
    model::Timestamp,
    store::{Store, WorkspaceId},
    workspace::Workspace,
};

use super::measure::{Outcome, timed};

/// When the first event of the benchmark happens.
const BEGIN: i64 = 1_767_225_600;

/// A program that sees a world and nothing else.
#[expect(clippy::disallowed_methods, reason = "what is measured sees all of the world it is given")]
pub fn command(env: &Env, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(env.vars()).current_dir(env.cwd());
    command
}

/// A scratch directory and the programs that run in it.
pub struct World {
    scratch: tempfile::TempDir,
    path: OsString,
    git: PathBuf,
}

impl World {
    /// A scratch directory on the disk that the program is built on, left there if that is wanted.
    pub fn new(keep: bool) -> Outcome<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("bench-").disable_cleanup(keep);
        let scratch = builder.tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let path = Env::of_process()?.var("PATH").unwrap_or_default().to_owned();
        // A program that is searched for is started by `fork`, which copies the tables of this large
        // process; one with a path is not. Both sides of a comparison are started the same way.
        let mut candidates = std::env::split_paths(&path).map(|directory| directory.join("git"));
        let git = candidates.find(|git| git.is_file()).ok_or("git is not installed")?;
        Ok(Self { scratch, path, git })
    }

    /// A command of git in a directory.
    pub fn git(&self, directory: &Path) -> Command {
        command(&self.env_at(directory, 0), &self.git)
    }

    /// A path for a peer.
    pub fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// The environment in a directory, some seconds after the beginning.
    pub fn env_at(&self, directory: &Path, seconds: usize) -> Env {
        let home = self.scratch.path().as_os_str();
        let vars = [
            ("PATH", self.path.as_os_str()),
            ("HOME", home),
            ("GIT_CONFIG_NOSYSTEM", "1".as_ref()),
            ("GIT_AUTHOR_NAME", "Bench".as_ref()),
            ("GIT_AUTHOR_EMAIL", "bench@example.com".as_ref()),
            ("GIT_COMMITTER_NAME", "Bench".as_ref()),
            ("GIT_COMMITTER_EMAIL", "bench@example.com".as_ref()),
        ];
        let vars = vars.map(|(name, value)| (OsString::from(name), value.to_owned()));
        Env::fixed(vars, directory.to_owned(), moment(seconds))
    }

    /// The environment in the scratch directory.
    pub fn env(&self) -> Env {
        self.env_at(self.scratch.path(), 0)
    }

    /// A new workspace.
    pub fn workspace(&self, name: &str) -> Outcome<Place> {
        let root = self.path(name);
        std::fs::create_dir(&root)?;
        // A store that is there already is used; without one, that of the project around `target`
        // would be.
        let mark = root.join(".jp");
        let env = self.env_at(&root, 0);
        Store::init(&mark.join("store"), &WorkspaceId::from_random([7; 16]))?;
        let (workspace, _) = Workspace::init(&env, &root)?;
        Ok(Place { env, workspace, root, git: self.git.clone() })
    }
}

/// A moment some seconds after the beginning.
pub fn moment(seconds: usize) -> Timestamp {
    Timestamp::from_seconds(BEGIN + i64::try_from(seconds).expect("sizes are small"))
}

/// A workspace and its surroundings.
pub struct Place {
    /// The environment.
    pub env: Env,
    /// The workspace, open.
    pub workspace: Workspace,
    /// Its directory.
    pub root: PathBuf,
    git: PathBuf,
}

impl Place {
    /// A command of the program itself.
    pub fn jp(&self, args: &[&str]) -> Command {
        let mut command = command(&self.env, env!("CARGO_BIN_EXE_jp"));
        command.args(args);
        command
    }

    /// A command of git on the store.
    pub fn git(&self, args: &[&str]) -> Command {
        let mut command = command(&self.env, &self.git);
        command.arg("--git-dir").arg(self.workspace.store().path()).args(args);
        command
    }

    /// Packs the store as a user would.
    pub fn pack(&self) -> Outcome<()> {
        run(self.jp(&["store", "pack"])).map(drop)
    }

    /// Bytes of all files in the store.
    pub fn bytes(&self) -> Outcome<u64> {
        Ok(self.workspace.store().stats()?.bytes)
    }
}

/// Runs a command to its end and returns what it printed.
pub fn run(mut command: Command) -> Outcome<Vec<u8>> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let program = command.get_program().to_string_lossy().into_owned();
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("`{program}` failed: {complaint}").into());
    }
    Ok(output.stdout)
}

/// How long a command takes from start to end.
pub fn time_of(command: Command) -> Outcome<Duration> {
    timed(|| run(command))
}

/// How long a command takes if nobody reads what it prints.
pub fn silently(mut command: Command) -> Outcome<Duration> {
    command.stdout(Stdio::null());
    time_of(command)
}
