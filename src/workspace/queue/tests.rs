//! What waits, what is taken, and what the commits say about it.

use std::{ffi::OsString, path::PathBuf};

use tempfile::TempDir;

use super::*;
use crate::{
    env::Env,
    format::{BriefingFile, encode},
    model::{EventKind, Meta, Request},
    plan::TreePath,
    store::Links,
    workspace::Revision,
};

const NOW: i64 = 1_800_000_000;

/// A conversation with one complete turn.
struct World {
    _directory: TempDir,
    workspace: Workspace,
    guard: Guard,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root: PathBuf = directory.path().canonicalize().unwrap();
        let home = [(OsString::from("HOME"), root.join("home").into_os_string())];
        let env = Env::fixed(home, root.clone(), Timestamp::from_seconds(NOW));
        let workspace = Workspace::init(&env, &root.join("work")).unwrap().0;
        let message = b"---\ntype: message\ntimestamp: 2026-01-01T00:00:00Z\n---\nHello\n";
        let message = crate::workspace::prepare(
            message.to_vec(),
            crate::format::Form::Markdown,
            None,
            Timestamp::from_seconds(NOW),
        );
        let drafts = [request("Hi"), message.unwrap()];
        let (guard, _) = workspace.create(&Meta::default(), &drafts).unwrap();
        Self { _directory: directory, workspace, guard }
    }

    fn enqueue(&mut self, text: &str) -> FileName {
        self.workspace.enqueue(&mut self.guard, &request(text)).unwrap()
    }

    fn file(&self, name: &FileName) -> QueuedFile {
        self.workspace.queued_at(&self.guard, name.address()).unwrap().unwrap()
    }

    fn take(&mut self, name: &FileName, drafts: &[Draft]) -> Result<Vec<Appended>, WriteFailure> {
        let mut operation = self.workspace.begin_operation(&self.guard).unwrap();
        // The same directory changes with the first and with the last event.
        let prompt = (BriefingFile::SystemPrompt, b"Be brief".to_vec());
        let briefing = Briefing { files: [prompt].into() };
        let guard = &mut self.guard;
        self.workspace.take_queued_briefed_in(guard, &mut operation, name, &briefing, drafts)
    }

    /// What waits, and what it says.
    fn queue(&self) -> Vec<(String, String)> {
        let queued = self.workspace.queue(&self.guard).unwrap().into_iter();
        queued.map(|queued| (queued.name.to_string(), text(&queued.event))).collect()
    }

    fn subject(&self) -> String {
        let mut raw = Vec::new();
        self.workspace.store.objects().commit(&self.guard.commit(), &mut raw).unwrap();
        let raw = String::from_utf8(raw).unwrap();
        raw.split("\n\n").nth(1).unwrap().to_owned()
    }

    /// Asserts that the last commit says about the tree what is in it.
    #[track_caller]
    fn assert_summed_up(&self) {
        let (workspace, guard) = (&self.workspace, &self.guard);
        let conversation = workspace.load(guard).unwrap();
        assert_eq!(conversation.problems, []);
        let heading = plan::Heading::from(&conversation.snapshot.meta);
        let found = Summary::new(heading, &conversation.outline().unwrap());
        let told = workspace.store.commit(guard.commit()).unwrap().summary;
        assert_eq!(told, Some(found));
    }
}

fn request(text: &str) -> Draft {
    let request = Request { content: text.to_owned().into(), interrupts: false };
    let event = Event::new(Timestamp::from_seconds(NOW), EventKind::Request(request));
    Draft { bytes: encode(&event).unwrap(), event }
}

fn text(event: &Event) -> String {
    event.request().unwrap().content.to_text_lossy().into_owned()
}

fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs.map(|(name, text)| (name.to_owned(), text.to_owned())).into()
}

#[test]
fn requests_wait_in_their_order_and_each_change_is_a_commit() {
    let mut world = World::new();
    let one = world.enqueue("One");
    assert_eq!(world.subject(), "queue 000-request.md");
    let two = world.enqueue("Two");
    world.assert_summed_up();
    assert_eq!(world.queue(), pairs([("000-request.md", "One"), ("001-request.md", "Two")]));
    let (first, second) = (world.file(&one), world.file(&two));
    world.workspace.requeue(&mut world.guard, &second, &request("Too")).unwrap();
    assert_eq!(world.subject(), "queue 001-request.md anew");
    world.workspace.unqueue(&mut world.guard, &first).unwrap();
    assert_eq!(world.subject(), "unqueue 000-request.md");
    world.assert_summed_up();
    assert_eq!(world.queue(), pairs([("001-request.md", "Too")]));
    let gone = world.workspace.unqueue(&mut world.guard, &first).unwrap_err();
    let why = "stays as it is: `000-request.md` is not queued";
    assert!(gone.to_string().ends_with(why), "{gone}");
    let draft = request("Late");
    let changed = world.workspace.requeue(&mut world.guard, &second, &draft).unwrap_err();
    assert!(changed.to_string().ends_with("`001-request.md` was changed meanwhile"), "{changed}");
    assert_eq!(world.queue(), pairs([("001-request.md", "Too")]));
}

#[test]
fn what_is_taken_keeps_its_bytes_and_leaves_with_the_commit_of_its_request() {
    let mut world = World::new();
    let name = world.enqueue("One");
    world.enqueue("Two");
    let queued = world.workspace.queue(&world.guard).unwrap().swap_remove(0);
    let delta =
        Event::new(Timestamp::from_seconds(NOW), EventKind::ConfigDelta(toml::Table::new()));
    let delta = Draft { bytes: encode(&delta).unwrap(), event: delta };
    let asked = Draft { event: queued.event, bytes: queued.bytes.clone() };
    let appended = world.take(&name, &[delta, asked.clone()]).unwrap();
    let (before, after) = (appended[0].commit, appended[1].commit);
    assert_eq!(after, world.guard.commit());
    assert_eq!(world.workspace.queue(&world.guard.at(before)).unwrap().len(), 2);
    assert_eq!(world.queue(), pairs([("001-request.md", "Two")]));
    let found = world.workspace.file_at(&world.guard, appended[1].address).unwrap();
    let stored = world.workspace.read_blob(world.guard.id(), &found.blob).unwrap();
    assert_eq!(stored, queued.bytes);
    world.assert_summed_up();
    // Nothing is taken twice.
    let commit = world.guard.commit();
    assert!(matches!(world.take(&name, &[asked]), Err(WriteFailure::Queue { .. })));
    assert_eq!(world.guard.commit(), commit);
}

#[test]
fn what_says_something_else_by_now_is_not_taken() {
    let mut world = World::new();
    let name = world.enqueue("One");
    let changed = world.take(&name, &[request("Another")]).unwrap_err();
    assert!(changed.to_string().ends_with("`000-request.md` was changed meanwhile"), "{changed}");
    assert_eq!(world.queue(), pairs([("000-request.md", "One")]));
}

#[test]
fn what_cannot_be_read_is_passed_over_and_keeps_its_number() {
    let mut world = World::new();
    let name = world.enqueue("One");
    let revision = Revision {
        subject: "by hand".to_owned(),
        body: Vec::new(),
        origin: Origin::Edit,
        content: Content::Changed(vec![Change::Put(TreePath::queued(&name), b"---\n".to_vec())]),
        summary: None,
        links: Links::default(),
    };
    world.workspace.revise(&mut world.guard, revision).unwrap();
    assert_eq!(world.queue(), []);
    assert_eq!(world.enqueue("Two").to_string(), "001-request.md");
}
