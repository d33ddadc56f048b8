//! What changed between two versions: events, fields of `meta.toml`, and the files beside the
//! stream.

use crate::{
    format::FileName,
    model::{Address, ConversationId},
    plan::TreePath,
    store::{ObjectId, Problem},
};

/// What changed between two versions of a conversation, or between two conversations.
#[derive(Clone, Debug)]
pub struct Diff {
    /// The version before.
    pub from: Version,
    /// The version after.
    pub to: Version,
    /// Title, labels and other fields of `meta.toml`.
    pub fields: Vec<FieldChange>,
    /// Events, in the order of the stream: what was removed stands where it was, what was moved
    /// where it is.
    pub events: Vec<EventChange>,
    /// Files beside the stream, and the remarks of the manifests.
    pub files: Vec<FileChange>,
}

impl Diff {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.events.is_empty() && self.files.is_empty()
    }
}

/// A version of a conversation that was compared.
#[derive(Clone, Debug)]
pub struct Version {
    /// The conversation.
    pub id: ConversationId,
    /// The commit.
    pub commit: ObjectId,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// A field of `meta.toml` that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// Its name, with that of its table before it.
    pub key: String,
    /// Its value before.
    pub from: Option<String>,
    /// Its value after.
    pub to: Option<String>,
}

/// An event that was added, removed, edited or moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventChange {
    /// Where it was.
    pub from: Option<Place>,
    /// Where it is.
    pub to: Option<Place>,
    /// Whether it stands elsewhere among the events of both versions.
    pub moved: bool,
}

/// An event in one of the versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its position in the stream, from 0.
    pub position: usize,
    /// The event before it.
    pub follows: Option<FileName>,
    /// The name of its file.
    pub file: FileName,
    /// What is in the file; `None` if it is missing.
    pub blob: Option<ObjectId>,
}

/// What happened to an event or a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It was not there before.
    Added,
    /// It is not there any more.
    Removed,
    /// Its content or its name is another one.
    Edited,
    /// It stands elsewhere, and is the same otherwise.
    Moved,
}

impl Kind {
    /// A word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Edited => "edited",
            Self::Moved => "moved",
        }
    }
}

impl EventChange {
    /// What happened to it; an event that was edited may have been moved as well.
    pub fn kind(&self) -> Kind {
        match (&self.from, &self.to) {
            (None, _) => Kind::Added,
            (_, None) => Kind::Removed,
            (Some(from), Some(to)) if from.blob == to.blob && from.file == to.file => Kind::Moved,
            _ => Kind::Edited,
        }
    }

    /// The name of its file: the present one, if it is there.
    pub fn file(&self) -> Option<&FileName> {
        self.to.as_ref().or(self.from.as_ref()).map(|place| &place.file)
    }

    /// Its number.
    pub fn address(&self) -> Option<Address> {
        self.file().map(FileName::address)
    }

    /// What was and what is in its file.
    pub fn contents(&self) -> (Option<Content>, Option<Content>) {
        let content = |place: &Option<Place>| place.as_ref()?.blob.map(Content::Blob);
        (content(&self.from), content(&self.to))
    }
}

/// A file beside the stream that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Where it stands. The manifest stands for the remarks of all manifests.
    pub path: TreePath,
    /// What was and what is in it.
    pub contents: (Option<Content>, Option<Content>),
}

impl FileChange {
    /// What happened to it.
    pub fn kind(&self) -> Kind {
        match &self.contents {
            (None, _) => Kind::Added,
            (_, None) => Kind::Removed,
            _ => Kind::Edited,
        }
    }
}

/// What is in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A file of the store, which has not been read.
    Blob(ObjectId),
    /// Text that was put together from several files.
    Text(Vec<u8>),
}
