//! Commits: who wrote what when, and the trailers that group them.

use std::fmt::Write;

use gix::{ObjectId, objs::CommitRef};

use super::{ObjectError, Objects};
use crate::{model::Timestamp, plan::Summary};

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
        objects.commit(&id, buffer)?;
        let damaged = |message: String| ObjectError::Damaged { id, message };
        let commit = CommitRef::from_bytes(buffer, gix::hash::Kind::Sha1)
            .map_err(|error| damaged(error.to_string()))?;
        let tree = commit.tree();
        let committed = commit.time().map_or(0, |time| time.seconds);
        let message = String::from_utf8_lossy(commit.message);
        Ok(Self {
            id,
            tree,
            parents: commit.parents().collect(),
            committed: Timestamp::from_seconds(committed),
            summary: Summary::from_message(&message, &tree.to_string()),
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
            if kept.is_empty() { instead.to_owned() } else { kept.to_owned() }
        };
        Self { name: clean(name, "unknown"), email: clean(email, "unknown").replace(' ', "-") }
    }

    fn line(&self, role: &str, time: Timestamp) -> String {
        let minutes = time.offset_seconds() / 60;
        let sign = if minutes < 0 { '-' } else { '+' };
        let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
        // Git takes no times before 1970.
        let seconds = time.seconds().max(0);
        format!("{role} {} <{}> {seconds} {sign}{hours:02}{minutes:02}\n", self.name, self.email)
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
        text.push_str(&self.author.line("author", self.authored));
        text.push_str(&self.committer.line("committer", self.committed));
        let subject = self.subject.replace(|c: char| c.is_control(), " ");
        write!(text, "\n{subject}\n\n").expect("a String takes any text");
        for line in &self.body {
            let line = line.replace(|c: char| c.is_control(), " ");
            writeln!(text, "{line}").expect("a String takes any text");
        }
        if !self.body.is_empty() {
            text.push('\n');
        }
        let (operation, origin) = (&self.operation, self.origin.as_str());
        write!(text, "Jp-Operation: {operation}\nJp-Origin: {origin}\n")
            .expect("a String takes any text");
        // Most events belong to the last turn, and the summary counts those.
        let turns = self.summary.as_ref().map(|summary| summary.turns);
        if let Some(turn) = self.turn.filter(|turn| turns != Some(turn + 1)) {
            writeln!(text, "Jp-Turn: {turn}").expect("a String takes any text");
        }
        if let Some(summary) = &self.summary {
            text.push_str(&summary.to_trailers(&tree.to_string()));
        }
        text.into_bytes()
    }
}
