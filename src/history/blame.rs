//! Who wrote each line of an event, and when.
//!
//! The event is followed by its number along the first of the commits before each commit, also into
//! sealed runs, and not into another event that once had its number. A line belongs to the oldest
//! commit that it can be followed back to. That is what git does, except that content which comes
//! back, as by an undo, is known again: it belongs to whoever wrote it first.

use std::collections::HashMap;

use super::{
    diff::{event_in, is_one_event},
    lines::{Lines, script},
    script::Effort,
};
use crate::{
    format::FileName,
    model::{Address, ConversationId},
    store::{Found, ObjectId, Record, Stretch, Trail},
    workspace::{Handle, LoadError, Workspace},
};

/// An event with the commits that wrote its lines.
#[derive(Debug)]
pub struct Blame {
    /// The name of the file.
    pub file: FileName,
    /// The file as it is.
    pub content: Vec<u8>,
    /// The commits that wrote what is left, newest first.
    pub records: Vec<Record>,
    /// For each line of the file, the index of its commit.
    pub owners: Vec<usize>,
    /// Whether every two versions were compared line by line; else a line may be older than told.
    pub exact: bool,
    /// Why the history could not be followed to its beginning; then a line may be older than told.
    pub broken: Option<LoadError>,
}

/// Why the lines of an event have no commits.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum BlameError {
    #[error("`{file}` of conversation {id} has {lines} lines: at most {max} are followed", max = MAX_LINES)]
    TooLong { id: ConversationId, file: FileName, lines: usize },
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Lines of an event that are followed.
const MAX_LINES: usize = 1 << 20;

/// Finds who wrote each line of the event at an address.
pub fn blame(
    workspace: &Workspace,
    handle: &Handle,
    address: Address,
) -> Result<Blame, BlameError> {
    let id = handle.id();
    let found = workspace.file_at(handle, address)?;
    let content = workspace.read_blob(id, &found.blob)?;
    let lines = Lines::of(&content).count();
    if lines > MAX_LINES {
        return Err(BlameError::TooLong { id, file: found.name, lines });
    }
    let trail = Trail::follow(workspace.store().objects(), handle.commit(), &found);
    let past = Past::new(workspace, id, &trail.stretches);
    let Attributed { owners, exact, broken } = past.attribute(&found, &content);
    let broken = broken.or(trail.broken.map(|source| LoadError::object(id, source)));

    let mut records = Vec::new();
    let mut indices = HashMap::new();
    let mut buffer = Vec::new();
    let mut newest_first: Vec<usize> = owners.clone();
    newest_first.sort_unstable();
    newest_first.dedup();
    for stretch in newest_first {
        let commit = trail.stretches.get(stretch).map_or(handle.commit(), |stretch| stretch.since);
        let record = Record::read(workspace.store().objects(), commit, &mut buffer)
            .map_err(|source| LoadError::object(id, source))?;
        indices.insert(stretch, records.len());
        records.push(record);
    }
    let owners = owners.iter().map(|stretch| indices[stretch]).collect();
    Ok(Blame { file: found.name, content, records, owners, exact, broken })
}

/// One event through history.
struct Past<'a> {
    workspace: &'a Workspace,
    id: ConversationId,
    stretches: &'a [Stretch],
    /// Where each content was first.
    oldest: HashMap<ObjectId, usize>,
}

/// The stretch that each line came in with.
struct Attributed {
    owners: Vec<usize>,
    exact: bool,
    broken: Option<LoadError>,
}

impl<'a> Past<'a> {
    fn new(workspace: &'a Workspace, id: ConversationId, stretches: &'a [Stretch]) -> Self {
        let blob = |(at, stretch): (usize, &Stretch)| Some((stretch.found.as_ref()?.blob, at));
        // The last one of a kind stays: they are in the order of age.
        let oldest = stretches.iter().enumerate().filter_map(blob).collect();
        Self { workspace, id, stretches, oldest }
    }

    /// Follows the lines back as far as it goes.
    fn attribute(&self, newest: &Found, content: &[u8]) -> Attributed {
        let mut broken = None;
        let mut effort = Effort::default();
        let mut known = event_in(&newest.name, content);
        let mut at = self.oldest(newest, 0);
        let mut attribution = Attribution::new(content.to_vec(), at);
        while !attribution.is_settled() {
            let Some((older, found)) = self.next_file(at) else { break };
            let bytes = match self.workspace.read_blob(self.id, &found.blob) {
                Ok(bytes) => bytes,
                Err(error) => {
                    broken = Some(error);
                    break;
                }
            };
            at = older;
            let event = event_in(&found.name, &bytes);
            if known
                .as_ref()
                .zip(event.as_ref())
                .is_some_and(|(one, other)| !is_one_event(one, other))
            {
                // Another event had the number then; this one may still have had it before.
                continue;
            }
            known = known.or(event);
            at = self.oldest(found, older);
            attribution.go_back_to(bytes, at, &mut effort);
        }
        Attributed { owners: attribution.owners, exact: attribution.exact, broken }
    }

    /// The oldest stretch with this content. What came between was taken back.
    fn oldest(&self, found: &Found, at: usize) -> usize {
        self.oldest.get(&found.blob).copied().unwrap_or(at)
    }

    /// The first stretch before this one that has a file.
    fn next_file(&self, at: usize) -> Option<(usize, &Found)> {
        let older = self.stretches.iter().enumerate().skip(at + 1);
        older.filter_map(|(at, stretch)| Some((at, stretch.found.as_ref()?))).next()
    }
}

/// The lines of a text, followed back through its versions.
struct Attribution {
    /// For each line, the oldest version that is known to have it.
    owners: Vec<usize>,
    /// Whether all versions could be compared line by line.
    exact: bool,
    /// The oldest version so far.
    oldest: Vec<u8>,
    /// The lines that the oldest version has, each with its place there.
    open: Vec<(usize, usize)>,
}

impl Attribution {
    /// Begins with the newest version.
    fn new(newest: Vec<u8>, version: usize) -> Self {
        let lines = Lines::of(&newest).count();
        Self {
            owners: vec![version; lines],
            exact: true,
            oldest: newest,
            open: (0..lines).map(|line| (line, line)).collect(),
        }
    }

    /// Whether no line can be older than is known.
    fn is_settled(&self) -> bool {
        self.open.is_empty()
    }

    /// Goes on to an older version.
    fn go_back_to(&mut self, older: Vec<u8>, version: usize, effort: &mut Effort) {
        let script = script(&Lines::of(&older), &Lines::of(&self.oldest), effort);
        self.exact &= script.exact;
        let mut regions = script.regions.iter().peekable();
        // How far lines before the next region are from their place in the older version.
        let (mut from, mut to) = (0, 0);
        let mut open = Vec::with_capacity(self.open.len());
        for (line, place) in &self.open {
            while let Some(region) = regions.next_if(|region| region.after.end <= *place) {
                (from, to) = (region.before.end, region.after.end);
            }
            if regions.peek().is_some_and(|region| region.after.start <= *place) {
                continue;
            }
            open.push((*line, place - to + from));
            self.owners[*line] = version;
        }
        self.open = open;
        self.oldest = older;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The version, counted from the oldest, that each line of the newest one came in with.
    fn owners(versions: &[&str]) -> Vec<usize> {
        let newest = versions.len() - 1;
        let mut attribution = Attribution::new(versions[newest].into(), newest);
        for version in (0..newest).rev() {
            attribution.go_back_to(versions[version].into(), version, &mut Effort::default());
        }
        attribution.owners
    }

    #[test]
    fn a_line_belongs_to_the_version_that_it_came_in_with() {
        assert_eq!(owners(&["a\nb\n"]), [0, 0]);
        assert_eq!(owners(&["a\nb\n", "a\nx\nb\n"]), [0, 1, 0]);
        assert_eq!(owners(&["a\nb\nc\n", "b\nc\n", "b\ny\nc\nz\n"]), [0, 2, 0, 2]);
        assert_eq!(owners(&["a\n", "b\n", "a\n"]), [2]);
        assert_eq!(owners(&["", "a", "a\n"]), [2]);
        assert_eq!(owners(&["a\n", ""]), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn lines_are_found_again_in_every_version_since(versions in prop::collection::vec("([a-c]\n){0,8}", 1..6)) {
            let texts: Vec<&str> = versions.iter().map(String::as_str).collect();
            let newest = texts.len() - 1;
            for (line, owner) in owners(&texts).into_iter().enumerate() {
                let text = texts[newest].lines().nth(line).unwrap();
                for version in &texts[owner..] {
                    prop_assert!(version.lines().any(|line| line == text));
                }
            }
        }

        #[test]
        fn going_back_is_the_same_as_going_forth(versions in prop::collection::vec("([a-c]\n){0,8}", 1..6)) {
            let mut forth: Vec<usize> = Vec::new();
            for (number, version) in versions.iter().enumerate() {
                let before = number.checked_sub(1).map_or("", |before| versions[before].as_str());
                let script = script(&Lines::of(before.as_bytes()), &Lines::of(version.as_bytes()), &mut Effort::default());
                for region in script.regions.iter().rev() {
                    forth.splice(region.before.clone(), region.after.clone().map(|_| number));
                }
            }
            let texts: Vec<&str> = versions.iter().map(String::as_str).collect();
            prop_assert_eq!(owners(&texts), forth);
        }
    }
}
