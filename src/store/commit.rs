//! Commits: who wrote what when, and the trailers that group them.

use std::{borrow::Cow, fmt::Write, str::FromStr};

use gix::{ObjectId, objs::CommitRef};

use super::{ObjectError, Objects};
use crate::{
    model::{ConversationId, Timestamp},
    plan::Summary,
};

pub(super) const OPERATION: &str = "Jp-Operation";
pub(super) const ORIGIN: &str = "Jp-Origin";
pub(super) const TURN: &str = "Jp-Turn";
pub(super) const NO_TURN: &str = "none";
pub(super) const BASE: &str = "Jp-Base";
pub(super) const STANDS_FOR: &str = "Jp-State";
pub(super) const REDO: &str = "Jp-Redo";
pub(super) const BEGINS: &str = "Jp-Begins";

/// The most characters of a name, and of a line of a message, that a commit holds.
const NAME: usize = 200;
const LINE: usize = 500;

/// The most lines of a message beside its first.
const LINES: usize = 1000;

/// A commit as it was read.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its id.
    pub id: ObjectId,
    /// The tree of the conversation.
    pub tree: ObjectId,
    /// What it came after.
    pub parents: Vec<ObjectId>,
    /// When it was committed.
    pub committed: Timestamp,
    /// The summary of the tree, unless somebody else wrote the commit.
    pub summary: Option<Summary>,
}

impl Commit {
    /// Reads a commit.
    pub fn read(
        objects: &Objects,
        id: ObjectId,
        buffer: &mut Vec<u8>,
    ) -> Result<Self, ObjectError> {
        let Head { tree, parents, committed, message, .. } = Head::read(objects, id, buffer)?;
        let summary = Summary::from_message(&message, &tree.to_string());
        Ok(Self { id, tree, parents, committed, summary })
    }
}

/// What every commit has, whoever made it.
pub(super) struct Head<'a> {
    pub(super) tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
    pub(super) committed: Timestamp,
    pub(super) message: Cow<'a, str>,
    pub(super) parsed: CommitRef<'a>,
}

impl<'a> Head<'a> {
    /// Reads a commit into a buffer.
    pub(super) fn read(
        objects: &Objects,
        id: ObjectId,
        buffer: &'a mut Vec<u8>,
    ) -> Result<Self, ObjectError> {
        objects.commit(&id, buffer)?;
        let parsed = CommitRef::from_bytes(buffer, gix::hash::Kind::Sha1)
            .map_err(|error| ObjectError::Damaged { id, message: error.to_string() })?;
        let committed = parsed.time().map_or(0, |time| time.seconds);
        Ok(Self {
            tree: parsed.tree(),
            parents: parsed.parents().collect(),
            committed: Timestamp::from_seconds(committed),
            message: text(parsed.message),
            parsed,
        })
    }
}

/// A name and an address, as commits carry them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The name.
    pub name: String,
    /// The address, which need not exist.
    pub email: String,
}

impl Identity {
    /// An identity, without the characters that a commit cannot hold.
    pub fn new(name: &str, email: &str) -> Self {
        let clean = |text: &str, instead: &str| {
            let kept: String =
                text.chars().filter(|c| !c.is_control() && !matches!(c, '<' | '>')).collect();
            // Git strips these from the ends of a name.
            let kept = kept.trim_matches(|c: char| c.is_whitespace() || ".,:;\"'\\".contains(c));
            let kept: String = kept.chars().take(NAME).collect();
            if kept.is_empty() { instead.to_owned() } else { kept }
        };
        Self { name: clean(name, "unknown"), email: clean(email, "unknown").replace(' ', "-") }
    }

    /// Name, address and time on one line, as git writes them.
    pub fn signature(&self, time: Timestamp) -> String {
        let minutes = time.offset_seconds() / 60;
        let sign = if minutes < 0 { '-' } else { '+' };
        let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
        // Git takes no times before 1970.
        let seconds = time.seconds().max(0);
        format!("{} <{}> {seconds} {sign}{hours:02}{minutes:02}", self.name, self.email)
    }
}

/// Who brought a commit about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The person, by asking or answering.
    User,
    /// A model, by answering.
    Model,
    /// A tool, by running.
    Tool,
    /// Somebody who changed what was there.
    Edit,
}

impl Origin {
    /// The word that the trailer carries.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Edit => "edit",
        }
    }
}

impl FromStr for Origin {
    type Err = UnknownOrigin;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let all = [Self::User, Self::Model, Self::Tool, Self::Edit];
        all.into_iter().find(|origin| origin.as_str() == word).ok_or(UnknownOrigin)
    }
}

/// A word that no origin has.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an origin: expected user, model, tool or edit")]
pub struct UnknownOrigin;

/// Other commits that a commit speaks of. Undo and redo find their way by them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// The commit before its operation, so that a long operation need not be walked through.
    pub base: Option<ObjectId>,
    /// The commit whose state it brought back, and for which it stands from then on.
    pub stands_for: Option<ObjectId>,
    /// The commit whose state a redo brings back.
    pub redo: Option<ObjectId>,
}

/// Everything of a commit but its tree and parent.
#[derive(Clone, Debug)]
pub struct Description {
    /// The first line of the message.
    pub subject: String,
    /// Lines below it.
    pub body: Vec<String>,
    /// What commits of one command share.
    pub operation: String,
    /// Who brought it about.
    pub origin: Origin,
    /// The turn that it belongs to.
    pub turn: Option<u64>,
    /// The other commits that it speaks of.
    pub links: Links,
    /// The conversation that begins with it.
    pub begins: Option<ConversationId>,
    /// The summary of its tree; without one, readers look at the tree itself.
    pub summary: Option<Summary>,
    /// Who wrote the event.
    pub author: Identity,
    /// When the event happened.
    pub authored: Timestamp,
    /// Who ran jp.
    pub committer: Identity,
    /// When jp ran.
    pub committed: Timestamp,
}

impl Description {
    /// The bytes of a commit object.
    pub fn encode(&self, tree: &ObjectId, parent: Option<&ObjectId>) -> Vec<u8> {
        let mut text = format!("tree {tree}\n");
        if let Some(parent) = parent {
            writeln!(text, "parent {parent}").expect("a String takes any text");
        }
        let author = self.author.signature(self.authored);
        let committer = self.committer.signature(self.committed);
        writeln!(text, "author {author}\ncommitter {committer}").expect("a String takes any text");
        let subject = one_line(&self.subject);
        write!(text, "\n{subject}\n\n").expect("a String takes any text");
        for line in self.body.iter().take(LINES) {
            writeln!(text, "{}", one_line(line)).expect("a String takes any text");
        }
        if !self.body.is_empty() {
            text.push('\n');
        }
        let (operation, origin) = (&self.operation, self.origin.as_str());
        let mut put = |key: &str, value: &dyn std::fmt::Display| {
            writeln!(text, "{key}: {value}").expect("a String takes any text");
        };
        put(OPERATION, operation);
        put(ORIGIN, &origin);
        if let Some(id) = &self.begins {
            put(BEGINS, id);
        }
        let Links { base, stands_for, redo } = &self.links;
        for (key, commit) in [(BASE, base), (STANDS_FOR, stands_for), (REDO, redo)] {
            if let Some(commit) = commit {
                put(key, commit);
            }
        }
        // Most events belong to the last turn, and the summary counts those.
        let turns = self.summary.as_ref().map(|summary| summary.turns);
        match self.turn {
            Some(turn) if turns == Some(turn + 1) => {}
            Some(turn) => put(TURN, &turn),
            None => put(TURN, &NO_TURN),
        }
        if let Some(summary) = &self.summary {
            text.push_str(&summary.to_trailers(&tree.to_string()));
        }
        text.into_bytes()
    }
}

/// A message as text: what is not UTF-8 is replaced.
fn text(message: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(message).map_or_else(|_| String::from_utf8_lossy(message), Cow::Borrowed)
}

/// A text as a line of a message.
fn one_line(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut line: String = text.chars().take(LINE).map(clean).collect();
    if text.chars().nth(LINE).is_some() {
        line.push('…');
    }
    line
}
