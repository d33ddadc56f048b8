//! Where the files of a conversation stand, in a directory as in a tree.

use crate::{
    format::{BriefingFile, FileName, RunName, limits},
    plan::TreePath,
    store::{ObjectId, Snapshot},
};

/// The place of a file that belongs to a conversation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// Title, labels and format version.
    Meta,
    /// The configuration that the conversation began with.
    Config,
    /// What a model was told before the last turn.
    Briefing(BriefingFile),
    /// A manifest: that of the top, or of a sealed run.
    Manifest(Option<RunName>),
    /// An event file, at the top or in a sealed run, listed or not.
    Event(Option<RunName>, FileName),
    /// A request that waits for a running turn to end.
    Queued(FileName),
}

impl Place {
    /// The path within the directory.
    pub(super) fn path(&self) -> TreePath {
        match self {
            Self::Meta => TreePath::meta(),
            Self::Config => TreePath::config(),
            Self::Briefing(file) => TreePath::briefing(*file),
            Self::Manifest(None) => TreePath::manifest(),
            Self::Manifest(Some(run)) => TreePath::run_manifest(run),
            Self::Event(run, name) => TreePath::event_in(run.as_ref(), name),
            Self::Queued(name) => TreePath::queued(name),
        }
    }

    /// How many bytes the file may have.
    pub(super) fn limit(&self) -> u64 {
        match self {
            Self::Meta | Self::Config | Self::Briefing(_) | Self::Manifest(_) => {
                limits::MANIFEST_FILE
            }
            Self::Event(..) | Self::Queued(_) => limits::EVENT_FILE,
        }
    }

    /// All files of a tree, each with its content.
    pub(super) fn all(snapshot: &Snapshot) -> Vec<(Self, ObjectId)> {
        let mut all = Vec::new();
        for (run, listing) in &snapshot.listings {
            all.extend(listing.meta.map(|blob| (Self::Meta, blob)));
            all.extend(listing.config.map(|blob| (Self::Config, blob)));
            let briefing = listing.briefing.iter();
            all.extend(briefing.map(|(file, blob)| (Self::Briefing(*file), *blob)));
            all.extend(listing.manifest.map(|blob| (Self::Manifest(run.clone()), blob)));
            let files = listing.files.iter();
            all.extend(files.map(|(name, blob)| (Self::Event(run.clone(), name.clone()), *blob)));
            let queue = listing.queue.iter();
            all.extend(queue.map(|(name, blob)| (Self::Queued(name.clone()), *blob)));
        }
        all
    }
}

/// The bytes of event files that may stand beside a stream, listed nowhere or in the queue, for
/// the conversation to travel as a directory: as many as in the stream itself.
pub(super) const BESIDE: u64 = limits::CONVERSATION;
