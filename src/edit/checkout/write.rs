//! Writing a version out as a flat directory.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::mpsc,
    thread,
};

use super::{
    Checkout, CheckoutError,
    folder::Folder,
    meta_name,
    record::{Belonging, Entry, Filed, Record},
    record_name,
};
use crate::{
    edit::wiring,
    env::Env,
    format::{FileName, Line, MANIFEST_FILE, META_DIR, RunName, limits},
    fsutil::{self, AtPath, FsError},
    model::{ConversationId, Progress},
    plan::{FlatLine, Layout, Listed},
    store::{ObjectId, Snapshot, blob_id},
    workspace::{Handle, LoadError, Workspace},
};

/// How many files are handed over at once: each time costs as much as a file.
const AT_ONCE: usize = 16;

/// How many times as many wait to be written.
const AHEAD: usize = 4;

/// Writes a version into a directory that is not there yet, or is empty, with what editors need to
/// complete and check its files.
pub fn check_out_at(
    env: &Env,
    workspace: &Workspace,
    version: &Handle,
    directory: &Path,
) -> Result<Checkout, CheckoutError> {
    let path = workspace.build_directory(directory, |aside| {
        check_out(workspace, version, aside)?;
        for (path, bytes) in wiring() {
            let path = aside.join(path);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).at("create directory", parent)?;
            }
            fsutil::write_atomic(&path, &bytes)?;
        }
        Ok::<(), CheckoutError>(())
    })?;
    Checkout::open(&env.cwd().join(path))
}

/// Writes a version into a directory that is empty, and remembers it there.
pub fn check_out(
    workspace: &Workspace,
    version: &Handle,
    directory: &Path,
) -> Result<Checkout, CheckoutError> {
    let id = version.id();
    let snapshot = workspace.snapshot(id, version.commit())?;
    check_manifests(id, &snapshot)?;
    workspace.remember_home()?;
    let folder = Folder::open(directory)?;
    let inner = directory.join(META_DIR);
    std::fs::create_dir(&inner).at("create directory", &inner)?;
    let files = write_files(workspace, version, &snapshot, &folder)?;

    let text = plan_text(workspace, version, &snapshot)?;
    let stat = folder.create(MANIFEST_FILE, text.as_bytes())?;
    let plan = Entry { stored: blob_id(text.as_bytes()), local: None, stat };
    let meta = snapshot.listings.get(&None).and_then(|top| top.meta);
    let meta = match meta {
        Some(stored) => {
            let bytes = workspace.read_blob(id, &stored)?;
            let stat = folder.create(&meta_name(), &bytes)?;
            Some(Entry { stored, local: None, stat })
        }
        None => None,
    };
    let workspace = workspace.store().id().clone();
    let record = Record {
        belonging: Belonging { workspace, id },
        commit: version.commit(),
        plan,
        meta,
        files,
    };
    let recorded = save(&folder, &record)?;
    Ok(Checkout::new(folder, record, recorded))
}

/// The lines of all manifests of a version as one text, with the headings of turns.
pub(super) fn plan_text(
    workspace: &Workspace,
    version: &Handle,
    snapshot: &Snapshot,
) -> Result<String, CheckoutError> {
    let text = text_of(&layout_of(snapshot));
    let is_headed = text.lines().any(|line| Line::Remark(line.to_owned()).as_heading().is_some());
    if is_headed || snapshot.order.is_empty() {
        return Ok(text);
    }
    // Somebody else wrote it. People find their way by turns.
    let conversation = workspace.load(version)?;
    Ok(headed_text(&conversation.into_layout()))
}

/// Where everything stands, without what the events say.
fn layout_of(snapshot: &Snapshot) -> Layout {
    let manifests = snapshot.manifests.iter();
    let manifests = manifests.filter_map(|(run, own)| Some((run.clone(), own.clone()?)));
    let stream = snapshot.order.iter().map(|located| Listed {
        run: located.run.clone(),
        name: located.name.clone(),
        event: None,
        bytes: 0,
    });
    let (manifests, stream) = (manifests.collect(), stream.collect());
    Layout { manifests, stream, ..Layout::default() }
}

fn text_of(layout: &Layout) -> String {
    let mut text = String::new();
    for line in layout.flat() {
        match line {
            FlatLine::Remark(_, remark) => text += &remark,
            FlatLine::Event(at) => text += layout.stream[at].name.as_str(),
        }
        text.push('\n');
    }
    text
}

/// The same with a heading before each turn.
fn headed_text(layout: &Layout) -> String {
    let mut text = String::new();
    let mut progress = Progress::default();
    for line in layout.flat() {
        let at = match line {
            FlatLine::Remark(_, remark) => {
                text += &format!("{remark}\n");
                continue;
            }
            FlatLine::Event(at) => at,
        };
        if let Some(event) = &layout.stream[at].event {
            let begins = progress.begins_turn(event);
            progress.push(event);
            if let (true, Line::Remark(heading)) =
                (begins, Line::heading(progress.current_turn().unwrap_or(0)))
            {
                let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
                text += &format!("{gap}{heading}\n");
            }
        }
        text += &format!("{}\n", layout.stream[at].name);
    }
    text
}

/// Fails if the manifests of a version do not tell where everything stands. A file that is missing
/// or cannot be read is for whoever edits.
pub(crate) fn check_manifests(
    id: ConversationId,
    snapshot: &Snapshot,
) -> Result<(), CheckoutError> {
    if snapshot.is_foreign() {
        let problems = snapshot.problems.clone();
        return Err(LoadError::Foreign { id, problems }.into());
    }
    let mut numbers = BTreeSet::new();
    let is_told = snapshot.flawed.is_empty()
        && !snapshot.meta_broken
        && snapshot.manifests.values().all(Option::is_some)
        && snapshot.order.iter().all(|located| numbers.insert(located.name.address()));
    let problem = snapshot.problems.iter().find(|problem| !problem.is_harmless());
    match problem.or(snapshot.problems.first()).filter(|_| !is_told) {
        Some(problem) => Err(CheckoutError::Damaged { id, problem: Box::new(problem.clone()) }),
        None => Ok(()),
    }
}

/// Writes the event files, reading ahead.
fn write_files(
    workspace: &Workspace,
    version: &Handle,
    snapshot: &Snapshot,
    folder: &Folder,
) -> Result<BTreeMap<FileName, Filed>, CheckoutError> {
    let write = |Waiting { name, run, stored, bytes }| {
        let stat = folder.create(FileName::as_str(&name), &bytes)?;
        let entry = Entry { stored, local: None, stat };
        Ok::<(FileName, Filed), FsError>((name, Filed { run, entry, conflict: false }))
    };
    thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel::<Vec<Waiting>>(AHEAD);
        let writer = scope.spawn(move || {
            receive.into_iter().flatten().map(write).collect::<Result<BTreeMap<_, _>, _>>()
        });
        // A line that leads nowhere is told when the plan is read again.
        let order = snapshot.order.iter().filter_map(|located| Some((located, located.blob?)));
        let mut waiting = order.map(|(located, stored)| {
            let bytes = workspace.read_blob(version.id(), &stored)?;
            let (name, run) = (located.name.clone(), located.run.clone());
            Ok::<Waiting, CheckoutError>(Waiting { name, run, stored, bytes })
        });
        let read = loop {
            match waiting.by_ref().take(AT_ONCE).collect::<Result<Vec<Waiting>, _>>() {
                Ok(batch) if batch.is_empty() => break Ok(()),
                Ok(batch) => {
                    // The writer says why it does not go on.
                    if send.send(batch).is_err() {
                        break Ok(());
                    }
                }
                Err(error) => break Err(error),
            }
        };
        drop(send);
        let files = writer.join().expect("the writer does not panic")?;
        read.map(|()| files)
    })
}

/// An event file that is not written yet.
struct Waiting {
    name: FileName,
    run: Option<RunName>,
    stored: ObjectId,
    bytes: Vec<u8>,
}

/// Writes the record of a checkout; returns when.
pub(super) fn save(folder: &Folder, record: &Record) -> Result<i128, FsError> {
    Ok(folder.replace(&record_name(), record.encode().as_bytes())?.modified)
}

/// How many bytes of `meta.toml` are read.
pub(super) const META_LIMIT: u64 = limits::MANIFEST_FILE;
