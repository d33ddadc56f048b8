//! What changed between two versions of a conversation, or between two conversations.
//!
//! Trees are read, and of the files only those that differ.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    changes::{Content, Diff, EventChange, FieldChange, FileChange, Place, Version},
    compare::{Compared, arrange, pair},
    lines::{LineCount, TextDiff, compare_texts, count_lines},
    script::Effort,
};
use crate::{
    format::{Decoded, FileName, Line, decode},
    model::{ConversationId, Timestamp},
    plan::TreePath,
    store::{Located, ObjectId, Snapshot},
    workspace::{Handle, LoadError, Workspace},
};

/// Finds what changed from one version to another.
///
/// An event is known by its number. Two files with one number and different content are the same
/// event, edited, if both have the same type and timestamp, or if one of them cannot be read; else
/// one event was removed and another one added: numbers are given again after an undo, and forks
/// give the same ones.
pub fn diff(workspace: &Workspace, from: &Handle, to: &Handle) -> Result<Diff, LoadError> {
    let (before, after) = (open(workspace, from)?, open(workspace, to)?);
    let version = |handle: &Handle, snapshot: &Snapshot| Version {
        id: handle.id(),
        commit: handle.commit(),
        problems: snapshot.problems.clone(),
    };
    let mut diff = Diff {
        from: version(from, &before),
        to: version(to, &after),
        fields: Vec::new(),
        events: Vec::new(),
        files: Vec::new(),
    };
    if before.commit.tree == after.commit.tree {
        return Ok(diff);
    }
    diff.fields = fields(&before, &after);
    diff.events = Events { workspace, from: from.id(), to: to.id() }.compare(&before, &after);
    diff.files = files(&before, &after);
    Ok(diff)
}

impl Diff {
    /// Reads and compares the content of a file before and after. What is not there is empty.
    pub fn text(
        &self,
        workspace: &Workspace,
        contents: &(Option<Content>, Option<Content>),
        effort: &mut Effort,
    ) -> Result<TextDiff, LoadError> {
        let (from, to) = self.read(workspace, contents)?;
        Ok(compare_texts(&from, &to, effort))
    }

    /// The same, but only counts the lines that changed.
    pub fn count(
        &self,
        workspace: &Workspace,
        contents: &(Option<Content>, Option<Content>),
        effort: &mut Effort,
    ) -> Result<LineCount, LoadError> {
        let (from, to) = self.read(workspace, contents)?;
        Ok(count_lines(&from, &to, effort))
    }

    fn read(
        &self,
        workspace: &Workspace,
        (from, to): &(Option<Content>, Option<Content>),
    ) -> Result<(Vec<u8>, Vec<u8>), LoadError> {
        let read = |id: ConversationId, content: &Option<Content>| match content {
            None => Ok(Vec::new()),
            Some(Content::Blob(blob)) => workspace.read_blob(id, blob),
            Some(Content::Text(text)) => Ok(text.clone()),
        };
        Ok((read(self.from.id, from)?, read(self.to.id, to)?))
    }
}

fn open(workspace: &Workspace, handle: &Handle) -> Result<Snapshot, LoadError> {
    let snapshot = workspace.snapshot(handle.id(), handle.commit())?;
    if snapshot.is_foreign() {
        return Err(LoadError::Foreign { id: handle.id(), problems: snapshot.problems });
    }
    Ok(snapshot)
}

/// The streams of two versions, about to be compared.
struct Events<'a> {
    workspace: &'a Workspace,
    from: ConversationId,
    to: ConversationId,
}

impl Events<'_> {
    fn compare(&self, before: &Snapshot, after: &Snapshot) -> Vec<EventChange> {
        let (before, after) = (&before.order, &after.order);
        let numbers = |order: &[Located]| {
            order.iter().map(|located| located.name.address()).collect::<Vec<_>>()
        };
        let mut pairs = pair(&numbers(before), &numbers(after));
        pairs.retain(|(from, to)| self.is_same_event(&before[*from], &after[*to]));
        let change = |from: Option<usize>, to: Option<usize>, moved| EventChange {
            from: from.map(|at| place(before, at)),
            to: to.map(|at| place(after, at)),
            moved,
        };
        let arranged = arrange(before.len(), after.len(), &pairs).into_iter();
        let change = |compared| match compared {
            Compared::Removed(at) => Some(change(Some(at), None, false)),
            Compared::Added(at) => Some(change(None, Some(at), false)),
            Compared::Moved(from, to) => Some(change(Some(from), Some(to), true)),
            Compared::Stayed(from, to) => {
                let (old, new) = (&before[from], &after[to]);
                let edited = old.blob != new.blob || old.name != new.name;
                edited.then(|| change(Some(from), Some(to), false))
            }
        };
        arranged.filter_map(change).collect()
    }

    fn is_same_event(&self, before: &Located, after: &Located) -> bool {
        if before.blob == after.blob {
            return true;
        }
        let event = |id: ConversationId, located: &Located| {
            let bytes = self.workspace.read_blob(id, &located.blob?).ok()?;
            event_in(&located.name, &bytes)
        };
        let (from, to) = (event(self.from, before), event(self.to, after));
        from.zip(to).is_none_or(|(from, to)| is_one_event(&from, &to))
    }
}

/// The event in a file, if it can be read.
pub(super) fn event_in(name: &FileName, bytes: &[u8]) -> Option<Decoded> {
    // A file without a timestamp says so, and then the one that it gets here is not looked at.
    let unknown = Timestamp::from_seconds(0);
    decode(bytes, name.form(), name.hinted_type(), unknown).ok()
}

/// Whether two events with one number are one event, edited: an edit keeps type and timestamp.
pub(super) fn is_one_event(one: &Decoded, other: &Decoded) -> bool {
    let same_time = one.event.timestamp.instant() == other.event.timestamp.instant();
    one.event.event_type() == other.event.event_type()
        && (same_time || !one.has_timestamp || !other.has_timestamp)
}

fn place(order: &[Located], position: usize) -> Place {
    let before = position.checked_sub(1).and_then(|before| order.get(before));
    Place {
        position,
        follows: before.map(|located| located.name.clone()),
        file: order[position].name.clone(),
        blob: order[position].blob,
    }
}

fn fields(before: &Snapshot, after: &Snapshot) -> Vec<FieldChange> {
    let (before, after) = (fields_of(before), fields_of(after));
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).cloned().collect();
    let change = |(rank, key): (u8, String)| {
        let place = (rank, key);
        let (from, to) = (before.get(&place).cloned(), after.get(&place).cloned());
        (from != to).then_some(FieldChange { key: place.1, from, to })
    };
    keys.into_iter().filter_map(change).collect()
}

/// The fields of `meta.toml`, in the order in which people want to know of them.
fn fields_of(snapshot: &Snapshot) -> BTreeMap<(u8, String), String> {
    let meta = &snapshot.meta;
    let mut fields = BTreeMap::new();
    let mut put =
        |rank: u8, key: &str, value: String| drop(fields.insert((rank, key.to_owned()), value));
    if let Some(title) = &meta.title {
        put(0, "title", title.clone());
    }
    for (key, value) in &meta.labels {
        put(1, &format!("labels.{key}"), value.clone());
    }
    put(2, "format", snapshot.version.to_string());
    if let Some(created) = meta.created {
        put(3, "created", created.to_string());
    }
    if let Some(forked) = &meta.forked {
        put(4, "forked", format!("{} at {}", forked.from, forked.commit));
    }
    for (key, value) in &meta.extra {
        put(5, key, value.to_string());
    }
    fields
}

fn files(before: &Snapshot, after: &Snapshot) -> Vec<FileChange> {
    let (mut from, mut to) = (beside(before), beside(after));
    let listed = |snapshot: &Snapshot| {
        let names = snapshot.order.iter().map(|located| located.name.clone());
        names.collect::<BTreeSet<_>>()
    };
    // What was taken out of the stream, or into it, is told there.
    for (name, blob) in unlisted(before, &listed(after)) {
        from.insert(TreePath::event(&name), Content::Blob(blob));
    }
    for (name, blob) in unlisted(after, &listed(before)) {
        to.insert(TreePath::event(&name), Content::Blob(blob));
    }
    let paths: BTreeSet<_> = from.keys().chain(to.keys()).cloned().collect();
    let change = |path: TreePath| {
        let (from, to) = (from.remove(&path), to.remove(&path));
        (from != to).then_some(FileChange { path, contents: (from, to) })
    };
    paths.into_iter().filter_map(change).collect()
}

/// The remarks, the base configuration and the queue.
fn beside(snapshot: &Snapshot) -> BTreeMap<TreePath, Content> {
    let mut files = BTreeMap::from([(TreePath::manifest(), Content::Text(remarks(snapshot)))]);
    let Some(top) = snapshot.listings.get(&None) else { return files };
    if let Some(config) = top.config {
        files.insert(TreePath::config(), Content::Blob(config));
    }
    let queued = top.queue.iter();
    files.extend(queued.map(|(name, blob)| (TreePath::queued(name), Content::Blob(*blob))));
    files
}

/// The event files that no manifest lists, without those that another version lists.
fn unlisted(snapshot: &Snapshot, elsewhere: &BTreeSet<FileName>) -> Vec<(FileName, ObjectId)> {
    let listed: BTreeSet<_> =
        snapshot.order.iter().map(|located| (&located.run, &located.name)).collect();
    let mut unlisted = Vec::new();
    for (run, listing) in &snapshot.listings {
        for (name, blob) in &listing.files {
            if !listed.contains(&(run, name)) && !elsewhere.contains(name) {
                unlisted.push((name.clone(), *blob));
            }
        }
    }
    unlisted
}

/// The remarks of the manifests in the order of the stream, without blank lines and the headings
/// that jp writes.
fn remarks(snapshot: &Snapshot) -> Vec<u8> {
    let mut text = Vec::new();
    let mut take = |line: &Line| {
        if let Line::Remark(remark) = line
            && !line.is_blank()
            && !is_bare_heading(line)
        {
            text.extend_from_slice(remark.as_bytes());
            text.push(b'\n');
        }
    };
    let lines = |run| match snapshot.manifests.get(&run) {
        Some(Some(manifest)) => manifest.lines(),
        _ => &[],
    };
    for line in lines(None) {
        take(line);
        if let Line::Run(run) = line {
            lines(Some(run.clone())).iter().for_each(&mut take);
        }
    }
    text
}

fn is_bare_heading(line: &Line) -> bool {
    line.as_heading().is_some_and(|(_, words)| words.trim().is_empty())
}
