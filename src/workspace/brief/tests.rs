//! What is found near the end of a conversation, and how many objects are read for it.

use std::{ffi::OsString, path::PathBuf};

use tempfile::TempDir;

use super::{Brief, OF_A_TURN, PASSED, Questions};
use crate::{
    env::Env,
    format::Form,
    model::{EventKind, Meta, Pending, Status, Timestamp},
    plan::Draft,
    store::Space,
    workspace::{Handle, Row, Workspace, prepare},
};

const NOW: i64 = 1_800_000_000;

struct World {
    _directory: TempDir,
    root: PathBuf,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        Self { _directory: directory, root }
    }

    /// The workspace, opened anew: nothing was read yet.
    fn open(&self) -> Workspace {
        let home = [(OsString::from("HOME"), self.root.join("home").into_os_string())];
        let env = Env::fixed(home, self.root.clone(), Timestamp::from_seconds(NOW));
        Workspace::init(&env, &self.root.join("work")).unwrap().0
    }

    /// A conversation with these events.
    fn conversation(&self, events: &[String]) -> Handle {
        let drafts: Vec<_> = events.iter().map(|event| draft(event)).collect();
        let workspace = self.open();
        let (guard, _) = workspace.create(&Meta::default(), &drafts).unwrap();
        let id = guard.id().to_string();
        drop(guard);
        workspace.select(&id).unwrap()
    }

    /// How a conversation stands, and how many objects were read to find out.
    fn brief(&self, handle: &Handle) -> (Brief, usize) {
        let workspace = self.open();
        let brief = workspace.brief(handle).unwrap();
        (brief, workspace.store.objects().reads())
    }

    /// The questions of a conversation, and how many objects were read for them beside its commit.
    fn questions(&self, handle: &Handle) -> (Questions, usize) {
        let workspace = self.open();
        let row: Row = workspace.row(handle, &mut Vec::new());
        let before = workspace.store.objects().reads();
        let questions = workspace.questions(&row).unwrap();
        (questions, workspace.store.objects().reads() - before)
    }
}

fn draft(event: &str) -> Draft {
    let form = if event.starts_with("---") { Form::Markdown } else { Form::Toml };
    prepare(event.into(), form, None, Timestamp::from_seconds(NOW)).unwrap()
}

fn event(header: &str, body: &str) -> String {
    format!("---\n{header}\n---\n{body}\n")
}

fn request() -> String {
    event("type: request", "Do it")
}

fn message() -> String {
    event("type: message", "Well")
}

fn call(id: usize) -> String {
    event(&format!("type: tool-call\ntool: run\nid: c{id}"), "```json\n{}\n```")
}

fn result(id: usize) -> String {
    event(&format!("type: tool-result\nid: c{id}"), "done")
}

fn question(id: usize) -> String {
    let about = format!("id: q{id}\nkind: tool-question\ntool: run\ncall: c{id}");
    event(&format!("type: inquiry-request\n{about}\nanswer:\n  type: text"), "Which one?")
}

/// So many complete turns of two events.
fn turns(count: usize) -> Vec<String> {
    [request(), message()].into_iter().cycle().take(2 * count).collect()
}

/// A turn that waits for an answer, and for the start of a tool.
fn waiting() -> Vec<String> {
    vec![request(), call(1), call(2), call(3), result(1), question(2)]
}

#[test]
fn a_brief_look_finds_what_loading_everything_finds() {
    let world = World::new();
    let end = |count: usize| [turns(2), waiting()].concat()[..4 + count].to_vec();
    let (tools, response) = (Pending::Tools, Pending::Response);
    for (count, status) in [
        (0, Status::Idle),
        (1, Status::Interrupted(response)),
        (2, Status::Interrupted(tools)),
        (5, Status::Interrupted(tools)),
        (6, Status::WaitingForInput(Some(crate::model::ToolName::new("run")))),
    ] {
        let handle = world.conversation(&end(count));
        let (brief, _) = world.brief(&handle);
        let conversation = world.open().load(&handle).unwrap();
        assert_eq!(brief.row.status, Ok(status), "{count}");
        assert_eq!(brief.incomplete, conversation.stream().incomplete, "{count}");
        assert_eq!(brief.meta, conversation.snapshot.meta);
        assert_eq!(brief.version, conversation.snapshot.version);
        assert_eq!(brief.commit.tree, conversation.snapshot.commit.tree);
        assert_eq!(brief.problems, []);
    }
}

#[test]
fn a_brief_look_reads_as_many_objects_of_a_long_conversation_as_of_a_short_one() {
    let world = World::new();
    let mut counted = Vec::new();
    for count in [2, 50, 1000] {
        let handle = world.conversation(&[turns(count), waiting()].concat());
        let (brief, reads) = world.brief(&handle);
        assert_eq!(brief.row.events, 2 * count as u64 + 6);
        assert_eq!(brief.incomplete.unwrap().turn.entries.len(), 6);
        counted.push(reads);
    }
    // The commit, the top, `.conversation`, `meta.toml`, the manifest, and the events of the turn.
    assert_eq!(counted, [5 + 6; 3]);
    let idle = world.conversation(&turns(1000));
    assert_eq!(world.brief(&idle).1, 5);
}

#[test]
fn a_brief_look_at_a_long_turn_ends_where_everything_is_found() {
    let world = World::new();
    let rounds = |count: usize| (10..10 + count).flat_map(|id| [call(id), result(id), message()]);
    let end = [call(1), question(1)];
    let long: Vec<_> = [request()].into_iter().chain(rounds(400)).chain(end).collect();
    let handle = world.conversation(&long);
    let (brief, reads) = world.brief(&handle);
    let incomplete = brief.incomplete.unwrap();
    assert_eq!(incomplete.turn.entries.len(), OF_A_TURN);
    assert_eq!(incomplete.progress.pending_calls().len(), 1);
    assert!(reads <= OF_A_TURN + 10, "{reads}");
    // A call that waits since the beginning is found, wherever it stands.
    let early: Vec<_> = [request(), call(1)].into_iter().chain(rounds(100)).collect();
    let (brief, _) = world.brief(&world.conversation(&early));
    let entries = brief.incomplete.unwrap().turn.entries;
    let EventKind::ToolCall(call) = &entries[0].event.kind else { panic!("{:?}", entries[0]) };
    assert_eq!((call.id.as_str(), entries.len()), ("c1", 301));
}

#[test]
fn a_list_reads_one_commit_for_each_conversation() {
    let world = World::new();
    for count in [1, 2, 300] {
        world.conversation(&[turns(count), waiting()].concat());
    }
    let workspace = world.open();
    let rows = workspace.overview(Space::Heads).unwrap().rows;
    assert_eq!((rows.len(), workspace.store.objects().reads()), (3, 3));
    assert!(rows.iter().all(|row| row.progress.pending_calls().len() == 2));
}

#[test]
fn a_list_reads_nothing_of_a_conversation_but_its_open_questions() {
    let world = World::new();
    for count in [2, 1000] {
        let handle = world.conversation(&[turns(count), waiting(), vec![result(3)]].concat());
        let (questions, reads) = world.questions(&handle);
        let EventKind::InquiryRequest(inquiry) = &questions.events[0].kind else { panic!() };
        assert_eq!((inquiry.id.as_str(), questions.events.len()), ("q2", 1));
        // The top, `.conversation`, `meta.toml`, the manifest, and the question.
        assert_eq!((questions.problems, reads), (Vec::new(), 5));
    }
    for idle in [turns(2), vec![request(), call(1)]] {
        assert_eq!(world.questions(&world.conversation(&idle)).1, 0);
    }
}

#[test]
fn a_list_gives_up_on_a_question_that_is_far_from_the_end() {
    let world = World::new();
    let calls = (10..10 + PASSED).map(call);
    let far = [vec![request(), call(1), question(1)], calls.collect()].concat();
    let (questions, reads) = world.questions(&world.conversation(&far));
    assert_eq!((questions.events.len(), questions.problems), (0, Vec::new()));
    assert!(reads < 20, "{reads}");
    let (brief, _) = world.brief(&world.conversation(&far));
    assert_eq!(brief.incomplete.unwrap().turn.entries.len(), far.len());
}
