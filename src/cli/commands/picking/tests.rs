//! What a list gets to know about the conversations of a real workspace.

use tempfile::TempDir;

use super::{own_first, stacks::Stacks};
use crate::{
    env::Env,
    format::Form,
    model::{ConversationId, Meta, Timestamp},
    plan::Draft,
    store::Space,
    ui::{Content, Glance, Reader},
    workspace::{Row, Session, Workspace, prepare},
};

struct World {
    _directory: TempDir,
    env: Env,
    workspace: Workspace,
}

fn event(kind: &str, header: &str, body: &str) -> Draft {
    let text = format!("---\ntype: {kind}\n{header}---\n{body}\n").into_bytes();
    prepare(text, Form::Markdown, None, Timestamp::from_seconds(0)).unwrap()
}

fn turn(number: usize) -> [Draft; 2] {
    let question = event("request", "", &format!("Question {number}"));
    let answer = event("message", "model: acme/large\n", &format!("Answer {number}"));
    [question, answer]
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let vars = [("HOME".into(), root.clone().into()), ("JP_SESSION".into(), "tab".into())];
        let env = Env::fixed(vars, root.join("work"), Timestamp::from_seconds(1_800_000_000));
        let (workspace, _) = Workspace::init(&env, &root.join("work")).unwrap();
        Self { _directory: directory, env, workspace }
    }

    fn begin(&self, title: Option<&str>, events: &[Draft]) -> ConversationId {
        let meta = Meta { title: title.map(str::to_owned), ..Meta::default() };
        self.workspace.create(&meta, events).unwrap().0.id()
    }

    fn rows(&self) -> Vec<Row> {
        self.workspace.overview(Space::Heads).unwrap().rows
    }

    fn stacks(&self) -> Stacks {
        Stacks::open(&self.env, self.rows()).unwrap()
    }
}

#[test]
fn the_conversations_of_a_session_come_first_as_it_turned_to_them() {
    let world = World::new();
    let [one, two, three, four] = std::array::from_fn(|number| world.begin(None, &turn(number)));
    let session = Session::of(&world.env).unwrap();
    let order = |session| {
        let rows = own_first(world.rows(), &world.workspace, session);
        rows.into_iter().map(|(row, is_own)| (row.id, is_own)).collect::<Vec<_>>()
    };
    let all = [four, three, two, one].map(|id| (id, false));
    assert_eq!(order(None), all);
    assert_eq!(order(Some(&session)), all);
    for id in [three, one] {
        world.workspace.turn_to(Some(&session), id).unwrap();
    }
    let own = [(one, true), (three, true), (four, false), (two, false)];
    assert_eq!(order(Some(&session)), own);
}

#[test]
fn the_end_of_a_long_conversation_is_read_and_no_more() {
    let world = World::new();
    let events: Vec<_> = (0..150).flat_map(turn).collect();
    world.begin(None, &events);
    let mut stacks = world.stacks();
    let opening = Some("Question 0".to_owned());
    let glance = Glance { opening, last: "Answer 149".to_owned() };
    assert_eq!(stacks.glance(0), Ok(glance.clone()));
    let text = "Answer 149\nQuestion 149\nAnswer 148\n".to_owned();
    assert_eq!(stacks.content(0, 30), Ok(Content { glance, text }));
    let preview = stacks.preview(0).unwrap();
    let end = "You: Question 149\n\nacme/large: Answer 149";
    assert!(preview.ends_with(end), "{preview}");
    assert!(preview.len() < 4 << 10, "{}", preview.len());
}

#[test]
fn what_tools_said_is_left_out_and_a_title_says_enough() {
    let world = World::new();
    let call = event("tool-call", "tool: read\nid: one\n", "```json\n{}\n```");
    let result = event("tool-result", "id: one\n", "the secret");
    let [question, answer] = turn(0);
    world.begin(Some("Titled"), &[question, answer, turn(1)[0].clone(), call, result]);
    let mut stacks = world.stacks();
    let glance = Glance { opening: None, last: "Question 1".to_owned() };
    assert_eq!(stacks.glance(0), Ok(glance.clone()));
    let text = "Question 1\nAnswer 0\nQuestion 0\n".to_owned();
    assert_eq!(stacks.content(0, usize::MAX), Ok(Content { glance, text }));
    let preview = "You: Question 0\n\nacme/large: Answer 0\n\nYou: Question 1\n\n[calls read]";
    assert_eq!(stacks.preview(0).as_deref(), Ok(preview));
}

#[test]
fn what_is_not_there_is_said_in_words() {
    let world = World::new();
    world.begin(None, &turn(0));
    let mut stacks = world.stacks();
    assert_eq!(stacks.glance(1), Err("it is not listed".to_owned()));
    let elsewhere = Env::fixed([], "/nowhere".into(), Timestamp::from_seconds(0));
    assert!(Stacks::open(&elsewhere, Vec::new()).is_err());
}
