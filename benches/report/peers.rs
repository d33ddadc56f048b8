//! Others who keep events on disk.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{
    measure::Outcome,
    world::{World, run},
};

/// A table in SQLite.
pub struct Sqlite(rusqlite::Connection);

impl Sqlite {
    /// A new database that syncs each transaction.
    pub fn new(path: &Path) -> Outcome<Self> {
        let connection = rusqlite::Connection::open(path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute("CREATE TABLE event (id INTEGER PRIMARY KEY, bytes BLOB)", [])?;
        Ok(Self(connection))
    }

    /// Adds an event in a transaction of its own.
    pub fn append(&self, bytes: &[u8]) -> Outcome<()> {
        self.0.execute("INSERT INTO event (bytes) VALUES (?1)", [bytes])?;
        Ok(())
    }
}

/// A branch written by libgit2.
pub struct LibGit {
    repository: git2::Repository,
    events: usize,
}

impl LibGit {
    /// A new repository that syncs what it writes.
    pub fn new(path: &Path) -> Outcome<Self> {
        git2::Repository::init_bare(path)?.config()?.set_bool("core.fsyncObjectFiles", true)?;
        Ok(Self { repository: git2::Repository::open_bare(path)?, events: 0 })
    }

    /// Adds an event as a commit.
    pub fn append(&mut self, bytes: &[u8]) -> Outcome<()> {
        const BRANCH: &str = "refs/heads/conversation";
        let repository = &self.repository;
        let parent = match repository.find_reference(BRANCH) {
            Ok(reference) => Some(reference.peel_to_commit()?),
            Err(_) => None,
        };
        let tree = parent.as_ref().map(git2::Commit::tree).transpose()?;
        let mut builder = repository.treebuilder(tree.as_ref())?;
        let name = format!("{:03}-message.md", self.events);
        builder.insert(&name, repository.blob(bytes)?, 0o100_644)?;
        let tree = repository.find_tree(builder.write()?)?;
        let who = git2::Signature::now("Bench", "bench@example.com")?;
        let message = format!("append {name}");
        let parents: Vec<_> = parent.iter().collect();
        repository.commit(Some(BRANCH), &who, &who, &message, &tree, &parents)?;
        self.events += 1;
        Ok(())
    }
}

/// A checkout and the git command line.
pub struct GitCommands<'a> {
    world: &'a World,
    directory: PathBuf,
    events: usize,
}

impl<'a> GitCommands<'a> {
    /// A new repository that syncs what it writes.
    pub fn new(world: &'a World, name: &str) -> Outcome<Self> {
        let directory = world.path(name);
        std::fs::create_dir(&directory)?;
        let commands = Self { world, directory, events: 0 };
        commands.git(&["init", "-q"])?;
        for (key, value) in [
            ("core.fsync", "all"),
            ("core.fsyncMethod", "fsync"),
            ("gc.auto", "0"),
            ("maintenance.auto", "false"),
        ] {
            commands.git(&["config", key, value])?;
        }
        Ok(commands)
    }

    /// Adds an event as a commit.
    pub fn append(&mut self, bytes: &[u8]) -> Outcome<()> {
        let name = format!("{:03}-message.md", self.events);
        File::create(self.directory.join(&name))?.write_all(bytes)?;
        self.git(&["add", &name])?;
        self.git(&["commit", "-q", "-m", &format!("append {name}")])?;
        self.events += 1;
        Ok(())
    }

    fn git(&self, args: &[&str]) -> Outcome<()> {
        let mut git = self.world.git(&self.directory);
        git.args(args);
        run(git).map(drop)
    }
}

/// One JSON file that is written anew each time.
pub struct JsonFile {
    directory: PathBuf,
    events: Vec<Value>,
}

impl JsonFile {
    /// A file in a directory of its own, with these events.
    pub fn new(directory: PathBuf, events: Vec<Value>) -> Outcome<Self> {
        std::fs::create_dir(&directory)?;
        Ok(Self { directory, events })
    }

    /// Adds an event and drops the oldest, so that the file keeps its length.
    pub fn append(&mut self, event: Value) -> Outcome<()> {
        self.events.rotate_left(1);
        if let Some(last) = self.events.last_mut() {
            *last = event;
        }
        let aside = self.directory.join("events.json.new");
        let mut file = File::create(&aside)?;
        file.write_all(&serde_json::to_vec_pretty(&self.events)?)?;
        file.sync_all()?;
        std::fs::rename(&aside, self.directory.join("events.json"))?;
        File::open(&self.directory)?.sync_all()?;
        Ok(())
    }
}

/// A file that only grows.
pub struct Log(File);

impl Log {
    /// A new file.
    pub fn new(path: &Path) -> Outcome<Self> {
        Ok(Self(OpenOptions::new().create_new(true).append(true).open(path)?))
    }

    /// Adds an event and syncs the data.
    pub fn append(&mut self, bytes: &[u8]) -> Outcome<()> {
        self.0.write_all(bytes)?;
        Ok(self.0.sync_data()?)
    }

    /// Adds an event and syncs everything.
    pub fn append_and_fsync(&mut self, bytes: &[u8]) -> Outcome<()> {
        self.0.write_all(bytes)?;
        Ok(self.0.sync_all()?)
    }
}
