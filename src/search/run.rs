//! The search itself: gather the files of all conversations, look into each content once, and put
//! what was found back to where it stands.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    HitLine, Pattern, Scope, SearchProblem, Searched, facts::Facts, pattern::MatchingLine,
    resolve::resolve,
};
use crate::{
    format::{TextLines, limits},
    model::Timestamp,
    store::{
        Bygone, Commit, EventFile, ObjectError, ObjectId, Objects, ReadError, Snapshot,
        bygone_files, event_files,
    },
    workspace::{Handle, Workspace},
};

/// What is looked for, and where.
#[derive(Debug)]
pub struct Reach<'a> {
    /// What is looked for.
    pub pattern: &'a Pattern,
    /// In which events.
    pub scope: &'a Scope,
    /// Whether events count that are no longer in a conversation.
    pub past: bool,
    /// Whether the caller wants to know more about events than their files.
    pub details: bool,
}

/// Searches conversations at the commits of their handles, in this order; each is followed by its
/// past, newest first, if that is asked for.
pub fn search(
    workspace: &Workspace,
    handles: &[Handle],
    reach: &Reach<'_>,
) -> (Vec<Searched>, Vec<SearchProblem>) {
    let store = workspace.store();
    let mut problems = Vec::new();
    let mut versions = Vec::new();
    let gathered =
        store.sweep(handles, |objects, buffer, handle| gather(objects, buffer, handle, reach.past));
    for Gathered { versions: own, problems: wrong } in gathered {
        versions.extend(own);
        problems.extend(wrong);
    }
    let mut known = HashSet::new();
    let files = versions.iter().flat_map(|version| &version.files);
    let files: Vec<EventFile> = files.filter(|file| known.insert(file.blob)).copied().collect();
    let looked = store.sweep(&files, |objects, buffer, file| look(objects, buffer, file, reach));
    let blobs = files.into_iter().map(|file| file.blob);
    let looked: Looks =
        blobs.zip(looked).filter_map(|(blob, looked)| Some((blob, looked?))).collect();
    versions.retain(|version| version.files.iter().any(|file| looked.contains_key(&file.blob)));
    let mut found = Vec::new();
    for (own, wrong) in
        store.sweep(&versions, |objects, _, version| resolve(objects, version, &looked, reach))
    {
        found.extend(own);
        problems.extend(wrong);
    }
    (found, problems)
}

/// What is in each content that has a match or cannot be read.
pub(super) type Looks = HashMap<ObjectId, Look>;

/// What is in the content of a file.
#[derive(Debug)]
pub(super) enum Look {
    /// Lines that match.
    Found { lines: Arc<[HitLine]>, facts: Facts },
    /// Nobody knows.
    Unreadable(String),
}

/// A version of a conversation, and the files in it that are searched.
pub(super) struct Version {
    pub handle: Handle,
    pub is_past: bool,
    pub updated: Timestamp,
    pub files: Vec<EventFile>,
}

struct Gathered {
    versions: Vec<Version>,
    problems: Vec<SearchProblem>,
}

fn gather(objects: &Objects, buffer: &mut Vec<u8>, handle: &Handle, past: bool) -> Gathered {
    let mut gathered = Gathered { versions: Vec::new(), problems: Vec::new() };
    if let Err(error) = gather_into(&mut gathered, objects, buffer, handle, past) {
        let (id, why) = (handle.id(), error.to_string());
        gathered.problems.push(SearchProblem::Conversation { id, why });
    }
    gathered
}

fn gather_into(
    gathered: &mut Gathered,
    objects: &Objects,
    buffer: &mut Vec<u8>,
    handle: &Handle,
    past: bool,
) -> Result<(), ReadError> {
    let commit = Commit::read(objects, handle.commit(), buffer)?;
    let updated = commit.committed;
    let files = event_files(objects, &commit.tree)?;
    gathered.versions.push(Version { handle: handle.clone(), is_past: false, updated, files });
    if !past {
        return Ok(());
    }
    // A file that is still there and no longer listed is as much of the past as one that is gone.
    let snapshot = Snapshot::read(objects, commit)?;
    let known = snapshot.order.iter().filter_map(|located| located.blob).collect();
    let (bygone, errors) = bygone_files(objects, handle.commit(), known);
    gathered.versions.extend(bygone.into_iter().map(|Bygone { commit, files }| {
        let handle = handle.at(commit);
        Version { handle, is_past: true, updated, files }
    }));
    let problem =
        |error: ObjectError| SearchProblem::History { id: handle.id(), why: error.to_string() };
    gathered.problems.extend(errors.into_iter().map(problem));
    Ok(())
}

/// Looks into one content; `None` if it has no match.
fn look(
    objects: &Objects,
    buffer: &mut Vec<u8>,
    file: &EventFile,
    reach: &Reach<'_>,
) -> Option<Look> {
    if let Err(error) = objects.blob_into(&file.blob, limits::EVENT_FILE, buffer) {
        return Some(Look::Unreadable(error.to_string()));
    }
    let mut text = None;
    let is_text = |line: &MatchingLine| {
        text.get_or_insert_with(|| TextLines::of(buffer, file.form)).contains(line.number)
    };
    let lines: Arc<[HitLine]> = reach
        .pattern
        .lines(buffer)
        .filter(is_text)
        .map(|line| HitLine { number: line.number, text: buffer[line.range].to_vec() })
        .collect();
    if lines.is_empty() {
        return None;
    }
    let facts = match reach.details || !reach.scope.is_everything() {
        true => Facts::of(buffer, file.form, file.hint),
        false => Facts::default(),
    };
    Some(Look::Found { lines, facts })
}
