//! What a program did to the files of a world, step by step, as `tests/helpers/record.c` saw it.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use super::{
    disk::{Disk, Survivor},
    image::{Image, Thing},
};
use crate::support::{Jp, Output, helper};

/// How a file system keeps names over a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystem {
    /// One journal for all names, as ext4 and XFS have it: what is lost of them is lost from some
    /// point on.
    OneJournal,
    /// Every directory by itself: whatever was not synced may be lost, and what came later kept.
    AnyOrder,
}

/// Both of them.
pub const FILE_SYSTEMS: [FileSystem; 2] = [FileSystem::OneJournal, FileSystem::AnyOrder];

/// No file belongs to somebody else.
pub fn nobody(_name: &str) -> bool {
    false
}

impl FileSystem {
    /// The number by which a program is told of it: that of ext4, and that of btrfs.
    fn magic(self) -> &'static str {
        match self {
            Self::OneJournal => "ef53",
            Self::AnyOrder => "9123683e",
        }
    }
}

/// A file or a directory, whatever it is called: its position in [`Recording::nodes`].
pub type Node = usize;

/// A file or a directory as it came into being.
#[derive(Clone, Debug)]
pub struct Birth {
    /// What it was called first, for messages.
    pub name: String,
    pub mode: u32,
    pub is_directory: bool,
    /// What a file held when the recording began.
    pub bytes: Vec<u8>,
    /// Whether everything about it is on disk at once: it belongs to somebody who takes care of
    /// that.
    pub is_durable: bool,
}

/// Names of one directory that change together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub directory: Node,
    /// What each name stands for now.
    pub names: Vec<(String, Option<Node>)>,
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Names change. A file that moves from one directory to another gets its new name with the
    /// first change and loses its old one with the second.
    Names(Vec<Change>),
    Write {
        file: Node,
        offset: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        file: Node,
        length: usize,
    },
    Mode {
        node: Node,
        mode: u32,
    },
    /// Permissions are synced only as a whole.
    Sync {
        node: Node,
        is_whole: bool,
    },
    SyncAll,
    /// Something was told to whoever started the program.
    Print(String),
}

impl Step {
    /// The same step with other files.
    fn with_nodes(mut self, other: impl Fn(Node) -> Node) -> Self {
        match &mut self {
            Self::Names(changes) => {
                for Change { directory, names } in changes {
                    *directory = other(*directory);
                    names.iter_mut().for_each(|(_, node)| *node = node.map(&other));
                }
            }
            Self::Write { file: node, .. }
            | Self::Truncate { file: node, .. }
            | Self::Mode { node, .. }
            | Self::Sync { node, .. } => *node = other(*node),
            Self::SyncAll | Self::Print(_) => {}
        }
        self
    }
}

/// A run of a program.
#[derive(Clone, Debug)]
pub struct Recording {
    pub nodes: Vec<Birth>,
    /// The names of each directory when the recording began.
    pub before: BTreeMap<Node, BTreeMap<String, Node>>,
    pub steps: Vec<Step>,
    /// How many of them are made before the power can go.
    pub certain: usize,
}

/// The directory at the top.
pub const TOP: Node = 0;

impl Recording {
    /// Runs a program that works, in a world in which everything is on disk. What it calls by one
    /// of the names that `is_theirs` knows belongs to somebody else and is durable at once.
    pub fn of(
        jp: &Jp,
        file_system: FileSystem,
        program: &[&str],
        is_theirs: fn(&str) -> bool,
    ) -> Self {
        let aside = tempfile::tempdir().unwrap();
        let log = aside.path().join("log");
        let mut parser = Parser::of(&jp.world(), is_theirs);
        let mut command = jp.command(helper("record"));
        command.arg(jp.world()).arg(file_system.magic()).arg(&log).args(program);
        let output = Output::of(&mut command);
        assert_eq!(output.code, 0, "{}", output.stderr);
        let text = fs::read_to_string(&log).unwrap();
        text.lines().for_each(|line| parser.read(line));
        let recording = parser.recording;
        // If anything had been missed, or taken down in another order, it would show here.
        let disk = Disk::cut(&recording, file_system, recording.steps.len());
        let (told, found) = (disk.image(Survivor::EVERYTHING), Image::read(&jp.world()));
        assert_eq!(told.differences(&found), Vec::<PathBuf>::new(), "{text}");
        assert_eq!(disk.printed(), output.stdout);
        recording
    }

    /// Runs jp.
    pub fn of_jp(jp: &Jp, file_system: FileSystem, args: &[&str]) -> Self {
        let program = [&[env!("CARGO_BIN_EXE_jp")], args].concat();
        Self::of(jp, file_system, &program, nobody)
    }

    /// The same program, killed after some steps, and then jp with these arguments. What the first
    /// one has not synced, the second finds but need not sync.
    pub fn killed(&self, file_system: FileSystem, after: usize, args: &[&str]) -> Self {
        let disk = Disk::cut(self, file_system, after);
        let jp = Jp::new().with_var("JP_SESSION", "one");
        disk.image(Survivor::EVERYTHING).write(&jp.world());
        let next = Self::of_jp(&jp, file_system, args);
        let mut whole = self.clone();
        whole.steps.truncate(after);
        whole.certain = after;
        // The same files, by their paths; what is made later comes behind all others.
        let own = disk.nodes(Survivor::EVERYTHING);
        let found = Disk::cut(&next, file_system, 0).nodes(Survivor::EVERYTHING);
        let mut known: BTreeMap<Node, Node> =
            found.iter().map(|(path, node)| (*node, own[path])).collect();
        for (node, birth) in next.nodes.iter().enumerate().skip(found.len()) {
            known.insert(node, whole.nodes.len());
            whole.nodes.push(birth.clone());
        }
        whole.steps.extend(next.steps.into_iter().map(|step| step.with_nodes(|node| known[&node])));
        whole
    }

    /// A recording of a log, in a world with these files, each with its number.
    pub fn parse(before: &[(u64, &str, &str)], log: &str) -> Self {
        let mut parser = Parser::new(|name| name.starts_with("theirs"));
        parser.begin(0, "", 0o755, None);
        for (inode, name, bytes) in before {
            let file = parser.begin(*inode, name, 0o644, Some(bytes.as_bytes().to_vec()));
            parser.recording.before.entry(TOP).or_default().insert((*name).to_owned(), file);
        }
        parser.names = parser.recording.before.clone();
        log.lines().for_each(|line| parser.read(line.trim()));
        parser.recording
    }

    /// The last of the first steps, in a few words.
    pub fn tell(&self, cut: usize) -> String {
        let Some(step) = cut.checked_sub(1).map(|last| &self.steps[last]) else {
            return "none".to_owned();
        };
        let name = |node: &Node| &self.nodes[*node].name;
        match step {
            Step::Names(changes) => {
                let names = changes.iter().flat_map(|change| &change.names);
                let names: Vec<_> = names.map(|(name, _)| name.as_str()).collect();
                format!("names {}", names.join(" and "))
            }
            Step::Write { file, bytes, .. } => format!("write {} {}", name(file), bytes.len()),
            Step::Truncate { file, length } => format!("truncate {} {length}", name(file)),
            Step::Mode { node, mode } => format!("chmod {} {mode:o}", name(node)),
            Step::Sync { node, .. } => format!("sync {}", name(node)),
            Step::SyncAll => "sync all".to_owned(),
            Step::Print(text) => format!("print {text:?}"),
        }
    }

    /// The same steps without some of them.
    pub fn without(&self, is_gone: impl Fn(&Self, &Step) -> bool) -> Self {
        let mut recording = self.clone();
        recording.steps.retain(|step| !is_gone(self, step));
        recording
    }
}

/// Reads a log line by line.
struct Parser {
    recording: Recording,
    names: BTreeMap<Node, BTreeMap<String, Node>>,
    /// The numbers of the files that are there now.
    inodes: HashMap<u64, Node>,
    is_theirs: fn(&str) -> bool,
}

impl Parser {
    fn new(is_theirs: fn(&str) -> bool) -> Self {
        let recording =
            Recording { nodes: vec![], before: BTreeMap::new(), steps: vec![], certain: 0 };
        Self { recording, names: BTreeMap::new(), inodes: HashMap::new(), is_theirs }
    }

    /// Begins with the files that are there.
    fn of(world: &Path, is_theirs: fn(&str) -> bool) -> Self {
        let mut parser = Self::new(is_theirs);
        let mut directories: BTreeMap<PathBuf, Node> = BTreeMap::new();
        // A directory comes before what is in it.
        for (path, thing) in Image::read(world).0 {
            let inode = fs::symlink_metadata(world.join(&path)).unwrap().ino();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let node = match thing {
                Thing::Directory(mode) => parser.begin(inode, name, mode, None),
                Thing::File(mode, bytes) => parser.begin(inode, name, mode, Some(bytes)),
            };
            if let Some(above) = path.parent() {
                let names = parser.recording.before.entry(directories[above]).or_default();
                names.insert(name.to_owned(), node);
            }
            directories.insert(path, node);
        }
        parser.names = parser.recording.before.clone();
        parser
    }

    fn begin(&mut self, inode: u64, name: &str, mode: u32, bytes: Option<Vec<u8>>) -> Node {
        let (name, is_durable) = (name.to_owned(), (self.is_theirs)(name));
        let is_directory = bytes.is_none();
        let bytes = bytes.unwrap_or_default();
        let node = self.recording.nodes.len();
        self.recording.nodes.push(Birth { name, mode, is_directory, bytes, is_durable });
        self.inodes.insert(inode, node);
        node
    }

    fn read(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let numbers = |count: usize| -> Vec<&str> { rest.splitn(count, ' ').collect() };
        let step = match (word, &numbers(5)[..]) {
            ("create" | "mkdir", _) => {
                let [above, inode, mode, name] = numbers(4)[..] else { panic!("{line}") };
                let directory = self.node(above);
                let bytes = (word == "create").then(Vec::new);
                let mode = u32::from_str_radix(mode, 8).unwrap();
                let node = self.begin(inode.parse().unwrap(), name, mode, bytes);
                self.rename(vec![Change { directory, names: vec![(name.to_owned(), Some(node))] }])
            }
            ("link", _) => {
                let [above, inode, name] = numbers(3)[..] else { panic!("{line}") };
                let (directory, node) = (self.node(above), self.node(inode));
                self.rename(vec![Change { directory, names: vec![(name.to_owned(), Some(node))] }])
            }
            ("unlink" | "rmdir", _) => {
                let [above, name] = numbers(2)[..] else { panic!("{line}") };
                let directory = self.node(above);
                self.rename(vec![Change { directory, names: vec![(name.to_owned(), None)] }])
            }
            ("rename" | "exchange", _) => {
                let [from, to, names] = numbers(3)[..] else { panic!("{line}") };
                let (old, new) = names.split_once('/').unwrap();
                let (from, to) = (self.node(from), self.node(to));
                let moved = self.names[&from][old];
                let back = (word == "exchange").then(|| self.names[&to][new]);
                let old = (old.to_owned(), back);
                let new = (new.to_owned(), Some(moved));
                if from == to {
                    self.rename(vec![Change { directory: to, names: vec![new, old] }])
                } else {
                    // A directory with two names, or two files that change places for a moment.
                    let is_plain = !self.recording.nodes[moved].is_directory && back.is_none();
                    assert!(is_plain, "not understood: {line}");
                    let arrives = Change { directory: to, names: vec![new] };
                    let leaves = Change { directory: from, names: vec![old] };
                    self.rename(vec![arrives, leaves])
                }
            }
            ("write", [inode, offset, bytes]) => Step::Write {
                file: self.node(inode),
                offset: offset.parse().unwrap(),
                bytes: unhex(bytes),
            },
            ("truncate", [inode, length]) => {
                Step::Truncate { file: self.node(inode), length: length.parse().unwrap() }
            }
            ("chmod", [inode, mode]) => {
                Step::Mode { node: self.node(inode), mode: u32::from_str_radix(mode, 8).unwrap() }
            }
            ("fsync" | "fdatasync", [inode]) => {
                Step::Sync { node: self.node(inode), is_whole: word == "fsync" }
            }
            ("sync", _) => Step::SyncAll,
            ("print", [bytes]) => Step::Print(String::from_utf8(unhex(bytes)).unwrap()),
            _ => panic!("not understood: {line}"),
        };
        self.recording.steps.push(step);
    }

    fn node(&self, inode: &str) -> Node {
        self.inodes[&inode.parse().unwrap()]
    }

    fn rename(&mut self, changes: Vec<Change>) -> Step {
        for Change { directory, names } in &changes {
            for (name, node) in names {
                let all = self.names.entry(*directory).or_default();
                match node {
                    Some(node) => all.insert(name.clone(), *node),
                    None => all.remove(name),
                };
            }
        }
        Step::Names(changes)
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let pair = |at| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(pair).collect()
}
