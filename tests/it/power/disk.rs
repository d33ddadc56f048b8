//! A disk that loses power: which files are left of a recording that was cut off.
//!
//! What was synced is there. Of everything else anything may be lost: bytes, as if they had never
//! been written, or with zeros in their place, or some of them; and names, as the file system has
//! it. A sync of a file says nothing about its name, and one of a directory nothing about what is
//! in its files.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
};

use super::{
    image::{Image, Thing},
    recording::{Change, FileSystem, Node, Recording, Step, TOP},
};

/// What becomes of everything that was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Survivor {
    pub names: Names,
    pub bytes: Bytes,
}

/// What becomes of names that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    Kept,
    Lost,
    /// All but the last change are lost, where a file system keeps no order.
    Last,
    /// Some are lost, by chance.
    Some(u64),
}

/// What becomes of bytes that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bytes {
    Kept,
    Lost,
    /// The file is as long as it was, but what is new in it are zeros.
    Zeros,
    /// Each file by itself, by chance: also the beginning of them, or any sectors.
    Some(u64),
}

impl Survivor {
    /// Nothing is lost.
    pub const EVERYTHING: Self = Self { names: Names::Kept, bytes: Bytes::Kept };

    /// Everything is lost that can be.
    pub const NOTHING: Self = Self { names: Names::Lost, bytes: Bytes::Lost };

    /// All that are tried at a cut; those by chance are others at each cut, but always the same.
    pub fn all(cut: usize) -> Vec<Self> {
        let mut all = vec![Self::NOTHING, Self::EVERYTHING];
        all.extend([Bytes::Lost, Bytes::Zeros].map(|bytes| Self { names: Names::Kept, bytes }));
        all.push(Self { names: Names::Lost, bytes: Bytes::Kept });
        all.extend([Bytes::Lost, Bytes::Kept].map(|bytes| Self { names: Names::Last, bytes }));
        let mut dice = Dice(cut as u64);
        all.extend(
            (0..6)
                .map(|_| Self { names: Names::Some(dice.roll()), bytes: Bytes::Some(dice.roll()) }),
        );
        all
    }
}

/// A disk at the moment at which the power went.
pub struct Disk<'a> {
    recording: &'a Recording,
    file_system: FileSystem,
    cut: usize,
    changes: Vec<Made<'a>>,
    files: BTreeMap<Node, Written>,
}

/// A change of names that was made.
struct Made<'a> {
    change: &'a Change,
    step: usize,
    is_synced: bool,
    is_theirs: bool,
    /// Whether it takes away the old name of a file whose new one came with the change before.
    is_second: bool,
}

/// What was written to a file, and how much of that was synced.
#[derive(Default)]
struct Written {
    steps: Vec<usize>,
    synced: usize,
    modes: Vec<u32>,
    synced_modes: usize,
}

/// What is left of the bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Left {
    /// What these first steps wrote.
    Steps(usize),
    Zeros,
    /// A beginning of what was written.
    Beginning(u64),
    /// Some sectors of what was written.
    Sectors(u64),
}

/// A file or a directory that is left.
struct Kept {
    path: PathBuf,
    node: Node,
    mode: u32,
    left: Left,
}

/// What a disk writes at once.
const SECTOR: usize = 512;

impl<'a> Disk<'a> {
    /// The disk after the first steps of a recording.
    pub fn cut(recording: &'a Recording, file_system: FileSystem, cut: usize) -> Self {
        let (changes, files) = (Vec::new(), BTreeMap::new());
        let mut disk = Self { recording, file_system, cut, changes, files };
        for (at, step) in recording.steps[..cut].iter().enumerate() {
            disk.go_on(at, step);
        }
        disk
    }

    fn go_on(&mut self, at: usize, step: &'a Step) {
        match step {
            Step::Names(changes) => {
                for (position, change) in changes.iter().enumerate() {
                    let mut new = change.names.iter().filter_map(|(_, node)| *node);
                    let is_theirs = new.any(|node| self.recording.nodes[node].is_durable);
                    let (is_synced, is_second) = (false, position == 1);
                    self.changes.push(Made { change, step: at, is_synced, is_theirs, is_second });
                }
            }
            Step::Write { file, .. } | Step::Truncate { file, .. } => {
                let is_durable = self.recording.nodes[*file].is_durable;
                let written = self.files.entry(*file).or_default();
                written.steps.push(at);
                if is_durable {
                    written.synced = written.steps.len();
                }
            }
            Step::Mode { node, mode } => {
                self.files.entry(*node).or_default().modes.push(*mode);
            }
            Step::Sync { node, is_whole } => {
                let own = |made: &&mut Made<'_>| made.change.directory == *node;
                self.changes.iter_mut().filter(own).for_each(|made| made.is_synced = true);
                if let Some(written) = self.files.get_mut(node) {
                    written.sync(*is_whole);
                }
            }
            Step::SyncAll => {
                self.changes.iter_mut().for_each(|made| made.is_synced = true);
                self.files.values_mut().for_each(|written| written.sync(true));
            }
            Step::Print(_) => {}
        }
    }

    /// What was printed before the power went.
    pub fn printed(&self) -> String {
        let texts = self.recording.steps[..self.cut].iter().filter_map(|step| match step {
            Step::Print(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// What tells one survivor from another: equal numbers mean equal files, and that the same was
    /// printed.
    pub fn fingerprint(&self, survivor: Survivor) -> u64 {
        let mut hasher = DefaultHasher::new();
        for Kept { path, node, mode, left } in self.kept(survivor) {
            (path, node, mode, left).hash(&mut hasher);
            if !matches!(left, Left::Steps(_)) {
                let written = &self.files[&node];
                (written.synced, written.steps.len()).hash(&mut hasher);
            }
        }
        self.printed().hash(&mut hasher);
        hasher.finish()
    }

    /// The files and directories that are left, by path.
    pub fn nodes(&self, survivor: Survivor) -> BTreeMap<PathBuf, Node> {
        self.kept(survivor).into_iter().map(|kept| (kept.path, kept.node)).collect()
    }

    /// The files that are left.
    pub fn image(&self, survivor: Survivor) -> Image {
        let kept = self.kept(survivor).into_iter();
        let thing = |Kept { path, node, mode, left }| match self.recording.nodes[node].is_directory
        {
            true => (path, Thing::Directory(mode)),
            false => (path, Thing::File(mode, self.bytes(node, left))),
        };
        Image(kept.map(thing).collect())
    }

    /// Everything that still has a name, from the top down.
    fn kept(&self, survivor: Survivor) -> Vec<Kept> {
        let mut names: BTreeMap<Node, BTreeMap<&str, Node>> = BTreeMap::new();
        for (directory, before) in &self.recording.before {
            names.insert(*directory, before.iter().map(|(n, node)| (n.as_str(), *node)).collect());
        }
        for position in self.kept_changes(survivor.names) {
            let change = self.changes[position].change;
            let all = names.entry(change.directory).or_default();
            for (name, node) in &change.names {
                match node {
                    Some(node) => all.insert(name, *node),
                    None => all.remove(name.as_str()),
                };
            }
        }
        let mut kept = Vec::new();
        let mut left = vec![(PathBuf::new(), TOP)];
        while let Some((path, node)) = left.pop() {
            if self.recording.nodes[node].is_directory {
                let inside = names.get(&node).into_iter().flatten();
                left.extend(inside.map(|(name, node)| (path.join(name), *node)));
            }
            let (mode, bytes) = self.fate(node, survivor.bytes);
            kept.push(Kept { path, node, mode, left: bytes });
        }
        kept
    }

    /// The changes of names that are left, in order.
    fn kept_changes(&self, names: Names) -> BTreeSet<usize> {
        match self.file_system {
            FileSystem::OneJournal => self.kept_beginning(names),
            FileSystem::AnyOrder => self.kept_subset(names),
        }
    }

    /// A beginning of the changes: at least up to the last one that was synced.
    fn kept_beginning(&self, names: Names) -> BTreeSet<usize> {
        let own = || self.changes.iter().filter(|made| !made.is_theirs);
        let steps: BTreeSet<usize> = own().map(|made| made.step).collect();
        let last = own().rev().find(|made| made.is_synced).map(|made| made.step);
        let synced = last.map_or(0, |last| steps.range(..=last).count());
        let count = match names {
            Names::Kept => steps.len(),
            // The last one alone cannot be.
            Names::Lost | Names::Last => synced,
            Names::Some(seed) => synced + Dice(seed).below(steps.len() - synced + 1),
        };
        let end = steps.iter().nth(count).copied().unwrap_or(self.cut);
        let is_kept = |made: &Made<'_>| made.is_theirs || made.step < end;
        self.positions(is_kept).collect()
    }

    /// Every change that was synced, and any others.
    fn kept_subset(&self, names: Names) -> BTreeSet<usize> {
        let is_synced = |made: &Made<'_>| made.is_theirs || made.is_synced;
        let mut kept: BTreeSet<_> = self.positions(is_synced).collect();
        let lost: Vec<_> = self.positions(|made| !is_synced(made)).collect();
        let mut dice = Dice(if let Names::Some(seed) = names { seed } else { 0 });
        for position in lost.iter().copied() {
            let is_kept = match names {
                Names::Kept => true,
                Names::Lost => false,
                Names::Last => lost.last() == Some(&position),
                Names::Some(_) => dice.below(2) == 0,
            };
            // A file that moves never has no name at all.
            let is_possible = !self.changes[position].is_second || kept.contains(&(position - 1));
            if is_kept && is_possible {
                kept.insert(position);
            }
        }
        kept
    }

    fn positions(&self, is_one: impl Fn(&Made<'a>) -> bool) -> impl Iterator<Item = usize> {
        self.changes.iter().enumerate().filter(move |(_, made)| is_one(made)).map(|(at, _)| at)
    }

    /// The permissions and the bytes of a file that are left.
    fn fate(&self, node: Node, bytes: Bytes) -> (u32, Left) {
        let birth = &self.recording.nodes[node];
        let Some(written) = self.files.get(&node) else { return (birth.mode, Left::Steps(0)) };
        let Written { steps, synced, modes, synced_modes } = written;
        let mut dice = Dice(node as u64);
        let (left, modes) = match bytes {
            Bytes::Kept => (Left::Steps(steps.len()), &modes[..]),
            Bytes::Lost => (Left::Steps(*synced), &modes[..*synced_modes]),
            Bytes::Zeros => (Left::Zeros, &modes[..]),
            Bytes::Some(seed) => {
                dice.0 ^= seed;
                let left = match dice.below(5) {
                    0 => Left::Steps(steps.len()),
                    1 => Left::Steps(*synced),
                    2 => Left::Zeros,
                    3 => Left::Beginning(dice.roll()),
                    _ => Left::Sectors(dice.roll()),
                };
                let volatile = modes.len() - synced_modes;
                (left, &modes[..synced_modes + dice.below(volatile + 1)])
            }
        };
        let left = if *synced == steps.len() { Left::Steps(*synced) } else { left };
        (modes.last().copied().unwrap_or(birth.mode), left)
    }

    fn bytes(&self, file: Node, left: Left) -> Vec<u8> {
        let mut bytes = self.recording.nodes[file].bytes.clone();
        let Some(Written { steps, synced, .. }) = self.files.get(&file) else { return bytes };
        let step = |at: &usize| &self.recording.steps[*at];
        let whole = |steps: &[usize], mut bytes: Vec<u8>| {
            steps.iter().for_each(|at| apply(&mut bytes, step(at), usize::MAX));
            bytes
        };
        match left {
            Left::Steps(count) => whole(&steps[..count], bytes),
            Left::Zeros => {
                let old = whole(&steps[..*synced], bytes);
                let length = whole(&steps[*synced..], old.clone()).len();
                bytes = old;
                bytes.resize(length, 0);
                bytes
            }
            Left::Beginning(seed) => {
                let mut dice = Dice(seed);
                let count = synced + dice.below(steps.len() - synced);
                bytes = whole(&steps[..count], bytes);
                let torn = step(&steps[count]);
                let length = if let Step::Write { bytes, .. } = torn { bytes.len() } else { 0 };
                apply(&mut bytes, torn, dice.below(length + 1));
                bytes
            }
            Left::Sectors(seed) => {
                let mut dice = Dice(seed);
                let mut old = whole(&steps[..*synced], bytes);
                let mut new = whole(&steps[*synced..], old.clone());
                old.resize(new.len(), 0);
                for (new, old) in new.chunks_mut(SECTOR).zip(old.chunks(SECTOR)) {
                    if dice.below(2) == 0 {
                        new.copy_from_slice(old);
                    }
                }
                new
            }
        }
    }
}

impl Written {
    fn sync(&mut self, is_whole: bool) {
        self.synced = self.steps.len();
        if is_whole {
            self.synced_modes = self.modes.len();
        }
    }
}

/// Writes the beginning of what a step writes.
fn apply(file: &mut Vec<u8>, step: &Step, most: usize) {
    match step {
        Step::Truncate { length, .. } => file.resize(*length, 0),
        Step::Write { offset, bytes, .. } => {
            let bytes = &bytes[..bytes.len().min(most)];
            let end = offset + bytes.len();
            file.resize(file.len().max(end), 0);
            file[*offset..end].copy_from_slice(bytes);
        }
        other => panic!("{other:?} changes no bytes"),
    }
}

/// Chance that is the same each time.
pub struct Dice(pub u64);

impl Dice {
    /// A number, by the steps of `SplitMix64`.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        number ^ (number >> 31)
    }

    /// A number below another one.
    pub fn below(&mut self, end: usize) -> usize {
        (self.roll() % end as u64) as usize
    }
}
