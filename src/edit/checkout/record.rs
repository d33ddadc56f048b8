//! The record of a checkout: which version its files were written from, and how each looked on disk
//! then, so that what nobody touched need not be read again.
//!
//! One line a file, because it is written after every commit and may tell of thousands of them.

use std::{collections::BTreeMap, fmt::Write, str::FromStr};

use crate::{
    format::{FileName, RunName},
    model::ConversationId,
    plan::TreePath,
    store::{ObjectId, WorkspaceId},
};

const HEAD: &str = "jp checkout 1";
const SAME: &str = "-";

/// How long a line is, about.
const LENGTH: usize = 160;

/// The conversation that a checkout is of. It never changes, so that it can be read before anything
/// is locked, and it stands first, so that the rest need not be read for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Belonging {
    /// The workspace of the conversation.
    pub workspace: WorkspaceId,
    /// The conversation.
    pub id: ConversationId,
}

/// What a checkout remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The conversation.
    pub belonging: Belonging,
    /// The version that the files are of.
    pub commit: ObjectId,
    /// The plan.
    pub plan: Entry,
    /// Title, labels and so on; `None` if the conversation has none.
    pub meta: Option<Entry>,
    /// The event files, by name.
    pub files: BTreeMap<FileName, Filed>,
}

/// An event file of a checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filed {
    /// The sealed run that it stands in, in the store.
    pub run: Option<RunName>,
    /// What it holds.
    pub entry: Entry,
    /// Whether it holds two versions, of which somebody has to make one.
    pub conflict: bool,
}

impl Filed {
    /// Where it stands in the store.
    pub fn path(&self, name: &FileName) -> TreePath {
        TreePath::event_in(self.run.as_ref(), name)
    }
}

/// What a file of a checkout holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What is stored of it.
    pub stored: ObjectId,
    /// What is in the file, if that is not the same: jp marks what it stores of an edit.
    pub local: Option<ObjectId>,
    /// How it looked on disk.
    pub stat: Stat,
}

impl Entry {
    /// The content of the file.
    pub fn local(&self) -> ObjectId {
        self.local.unwrap_or(self.stored)
    }
}

/// How a file looks without being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// When its content changed, in nanoseconds.
    pub modified: i128,
    /// When anything of it changed, in nanoseconds.
    pub changed: i128,
    /// Its number in the file system.
    pub inode: u64,
    /// Its size.
    pub size: u64,
}

impl Record {
    /// The text of its file.
    pub fn encode(&self) -> String {
        let mut text = String::with_capacity(LENGTH * (self.files.len() + 8));
        let Belonging { workspace, id } = &self.belonging;
        text += &format!("{HEAD}\nworkspace {}\nconversation {id}\n", workspace.as_str());
        let mut put = |line: std::fmt::Arguments<'_>| {
            writeln!(text, "{line}").expect("a String takes any text");
        };
        put(format_args!("commit {}", self.commit));
        put(format_args!("plan {}", self.plan));
        if let Some(meta) = &self.meta {
            put(format_args!("meta {meta}"));
        }
        for (name, filed) in &self.files {
            put(format_args!("{}", Line(name, filed)));
        }
        put(format_args!("end {}", self.files.len()));
        text
    }

    /// Reads it, with the commits that stand behind it, and tells how many these are; `None` if any
    /// of the record is not as it was written. What was cut off behind it does not count, and there
    /// is no number then.
    pub fn decode(text: &str) -> Option<(Self, Option<usize>)> {
        let mut lines = whole_lines(text);
        let belonging = Belonging::read(&mut lines)?;
        let mut after = |word: &str| lines.next()?.strip_prefix(word)?.strip_prefix(' ');
        let commit = after("commit")?.parse().ok()?;
        let plan = after("plan")?.parse().ok()?;
        let mut meta = None;
        // They are in order, so that all at once is quicker than one by one.
        let mut files = Vec::new();
        loop {
            let line = lines.next()?;
            if let Some(entry) = line.strip_prefix("meta ") {
                meta = Some(entry.parse().ok()?);
            } else if let Some(count) = line.strip_prefix("end ") {
                if count != files.len().to_string() {
                    return None;
                }
                break;
            } else {
                files.push(read_line(line)?);
            }
        }
        let files = files.into_iter().collect();
        let mut record = Self { belonging, commit, plan, meta, files };
        let mut grown = 0;
        while let Some(line) = lines.next() {
            let Some(later) = Later::read(line, &mut lines) else { return Some((record, None)) };
            record.follow(later);
            grown += 1;
        }
        let is_whole = text.ends_with('\n');
        Some((record, is_whole.then_some(grown)))
    }

    /// Takes in a later commit.
    pub fn follow(&mut self, later: Later) {
        self.commit = later.commit;
        self.files.extend(later.changed);
    }
}

impl Belonging {
    /// How much of a record it takes at most.
    pub const BYTES: u64 = 512;

    /// Reads it from the beginning of a record.
    pub fn decode(text: &str) -> Option<Self> {
        Self::read(&mut whole_lines(text))
    }

    fn read<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        if lines.next()? != HEAD {
            return None;
        }
        let mut after = |word: &str| lines.next()?.strip_prefix(word)?.strip_prefix(' ');
        let workspace = after("workspace")?.parse().ok()?;
        let id = after("conversation")?.parse().ok()?;
        Some(Self { workspace, id })
    }
}

/// A commit that changed the content of files and nothing else. It stands behind the record, so
/// that what is written for it does not grow with the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Later {
    /// The version that the files are of.
    pub commit: ObjectId,
    /// The files that changed.
    pub changed: Vec<(FileName, Filed)>,
}

impl Later {
    /// The text that is put behind that of a record.
    pub fn encode(&self) -> String {
        let lines = self.changed.iter().map(|(name, filed)| format!("{}\n", Line(name, filed)));
        let lines: String = lines.collect();
        format!("then {}\n{lines}end {}\n", self.commit, self.changed.len())
    }

    /// Reads it from its first line and those that follow; `None` if it is cut off.
    fn read<'a>(first: &str, lines: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let commit = first.strip_prefix("then ")?.parse().ok()?;
        let mut changed = Vec::new();
        loop {
            let line = lines.next()?;
            if let Some(count) = line.strip_prefix("end ") {
                let is_whole = count == changed.len().to_string();
                return is_whole.then_some(Self { commit, changed });
            }
            changed.push(read_line(line)?);
        }
    }
}

/// The lines of a text without a last one that does not end.
fn whole_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'))
}

/// The line of an event file.
struct Line<'a>(&'a FileName, &'a Filed);

impl std::fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(name, Filed { run, entry, conflict }) = self;
        let kind = if *conflict { "conflict" } else { "event" };
        match run {
            Some(run) => write!(f, "{kind} {entry} {run}/{name}"),
            None => write!(f, "{kind} {entry} {name}"),
        }
    }
}

fn read_line(line: &str) -> Option<(FileName, Filed)> {
    let (kind, rest) = line.split_once(' ')?;
    let conflict = match kind {
        "event" => false,
        "conflict" => true,
        _ => return None,
    };
    let (entry, path) = rest.rsplit_once(' ')?;
    let (run, name) = match path.split_once('/') {
        Some((run, name)) => (Some(run.parse().ok()?), name),
        None => (None, path),
    };
    Some((name.parse().ok()?, Filed { run, entry: entry.parse().ok()?, conflict }))
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { stored, local, stat } = self;
        let Stat { modified, changed, inode, size } = stat;
        match local {
            Some(local) => write!(f, "{stored} {local} ")?,
            None => write!(f, "{stored} {SAME} ")?,
        }
        write!(f, "{modified} {changed} {inode} {size}")
    }
}

/// A line of a record that is not as it was written.
#[derive(Debug, thiserror::Error)]
#[error("the record of the checkout is damaged")]
pub struct Damaged;

impl FromStr for Entry {
    type Err = Damaged;

    fn from_str(text: &str) -> Result<Self, Damaged> {
        let parse = || {
            let mut words = text.split(' ');
            let stored = words.next()?.parse().ok()?;
            let local = match words.next()? {
                SAME => None,
                local => Some(local.parse().ok()?),
            };
            let stat = Stat {
                modified: nanoseconds(words.next()?)?,
                changed: nanoseconds(words.next()?)?,
                inode: words.next()?.parse().ok()?,
                size: words.next()?.parse().ok()?,
            };
            words.next().is_none().then_some(Self { stored, local, stat })
        };
        parse().ok_or(Damaged)
    }
}

/// Reads a time; nearly all of them fit into fewer bits, which is quicker.
fn nanoseconds(text: &str) -> Option<i128> {
    text.parse::<i64>().map(i128::from).or_else(|_| text.parse()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(byte: u8, local: bool) -> Entry {
        let id = |byte: u8| ObjectId::from_bytes_or_panic(&[byte; 20]);
        let stat = Stat { modified: -3, changed: i128::from(byte) << 70, inode: 7, size: 9 };
        Entry { stored: id(byte), local: local.then(|| id(byte + 1)), stat }
    }

    fn record() -> Record {
        let files = [("000-request.md", None), ("101-message.md", Some("100"))];
        let files = files.map(|(name, run)| {
            let run = run.map(|run: &str| run.parse().unwrap());
            let conflict = run.is_some();
            (name.parse().unwrap(), Filed { entry: entry(4, conflict), run, conflict })
        });
        Record {
            belonging: Belonging {
                workspace: WorkspaceId::from_random([7; 16]),
                id: "jp-c17528832001".parse().unwrap(),
            },
            commit: entry(1, false).stored,
            plan: entry(2, false),
            meta: Some(entry(3, false)),
            files: files.into_iter().collect(),
        }
    }

    fn later(byte: u8) -> Later {
        let (name, filed) = record().files.into_iter().next_back().unwrap();
        let filed = Filed { entry: entry(byte, true), conflict: false, ..filed };
        Later { commit: entry(byte, false).stored, changed: vec![(name, filed)] }
    }

    #[test]
    fn a_record_reads_as_it_was_written() {
        let record = record();
        assert_eq!(Record::decode(&record.encode()), Some((record.clone(), Some(0))));
        let bare = Record { meta: None, files: BTreeMap::new(), ..record };
        assert_eq!(Record::decode(&bare.encode()), Some((bare, Some(0))));
    }

    #[test]
    fn commits_behind_a_record_count_as_far_as_they_are_whole() {
        let (mut record, one, two) = (record(), later(7), later(9));
        let first = record.encode();
        record.follow(one.clone());
        let second = first.clone() + &one.encode();
        assert_eq!(Record::decode(&second), Some((record.clone(), Some(1))));
        let whole = second.clone() + &two.encode();
        for length in second.len() + 1..whole.len() {
            assert_eq!(Record::decode(&whole[..length]), Some((record.clone(), None)), "{length}");
        }
        record.follow(two);
        assert_eq!(Record::decode(&whole), Some((record.clone(), Some(2))));
        // What cannot be is where the reading ends.
        let noise = format!("{whole}\0\0\0");
        assert_eq!(Record::decode(&noise), Some((record.clone(), None)));
        assert_eq!(Record::decode(&format!("{noise}\n")), Some((record, None)));
    }

    #[test]
    fn what_a_record_belongs_to_is_read_from_its_beginning() {
        let (record, text) = (record(), record().encode());
        let beginning = &text[..text.find("commit").unwrap()];
        assert!(beginning.len() as u64 <= Belonging::BYTES);
        assert_eq!(Belonging::decode(beginning), Some(record.belonging));
        assert_eq!(Belonging::decode(&beginning[..beginning.len() - 1]), None);
    }

    #[test]
    fn every_torn_line_is_seen() {
        let whole = record().encode();
        assert!((0..whole.len()).all(|length| Record::decode(&whole[..length]).is_none()));
        assert_eq!(Record::decode(&whole.replace("event", "evil")), None);
        assert_eq!(Record::decode(&whole.replace("jp checkout 1", "jp checkout 2")), None);
    }
}
