//! Undo and redo in a real store, against a history in memory.

use std::{path::Path, process::Command};

use proptest::prelude::*;
use tempfile::TempDir;

use super::{redo, restore, undo};
use crate::{
    env::Env,
    format::Form,
    model::{Meta, Timestamp},
    plan::{Change, Draft, TreePath},
    store::{Content, Links, ObjectId, Origin},
    workspace::{Guard, Revision, Workspace, prepare},
};

struct World {
    _directory: TempDir,
    workspace: Workspace,
    guard: Guard,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let env = env(&root);
        let (workspace, _) = Workspace::init(&env, &root.join("work")).unwrap();
        let (guard, _) =
            workspace.create(&Meta::default(), &[draft("request", "Question\n")]).unwrap();
        Self { _directory: directory, workspace, guard }
    }

    fn tree(&self) -> ObjectId {
        self.workspace.store().commit(self.guard.commit()).unwrap().tree
    }

    /// Runs git on the store, which takes no lock of ours.
    fn git(&self, args: &[&str]) -> String {
        let mut git = Command::new("git");
        for name in ["GIT_AUTHOR", "GIT_COMMITTER"] {
            git.env(format!("{name}_NAME"), "Ann").env(format!("{name}_EMAIL"), "ann@example.com");
        }
        let output = git.arg("-C").arg(self.workspace.store().path()).args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Whether it changed anything.
    fn act(&mut self, action: &Action, past: &[ObjectId]) -> bool {
        let Self { workspace, guard, .. } = self;
        match action {
            Action::Append(count) => {
                let drafts = vec![draft("message", "More\n"); *count];
                workspace.append(guard, &drafts).unwrap();
                true
            }
            Action::Title(title) => {
                let set = workspace.revise_meta(guard, "title", |meta| {
                    meta.title = Some(title.clone());
                });
                set.unwrap().is_some()
            }
            Action::Label(key, value) => {
                let set = workspace.revise_meta(guard, "label", |meta| {
                    meta.labels.insert(key.clone(), value.clone());
                });
                set.unwrap().is_some()
            }
            Action::Edit(body) => {
                let path = TreePath::event(&"000-request.md".parse().unwrap());
                let change = Change::Put(path, draft("request", body).bytes);
                let revision = Revision {
                    subject: "edit".to_owned(),
                    body: Vec::new(),
                    origin: Origin::Edit,
                    content: Content::Changed(vec![change]),
                    summary: None,
                    links: Links::default(),
                };
                workspace.revise(guard, revision).unwrap();
                true
            }
            Action::Restore(which) => {
                let version = guard.at(past[which % past.len()]);
                restore(workspace, guard, &version).unwrap().is_some()
            }
            Action::Undo | Action::Redo => unreachable!("they are not operations"),
        }
    }
}

fn env(root: &Path) -> Env {
    let home = [("HOME".into(), root.as_os_str().to_owned())];
    let now: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
    Env::fixed(home, root.to_owned(), now)
}

fn draft(event_type: &str, body: &str) -> Draft {
    let text = format!("---\ntype: {event_type}\n---\n{body}");
    let now: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
    prepare(text.into_bytes(), Form::Markdown, None, now).unwrap()
}

#[derive(Clone, Debug)]
enum Action {
    Append(usize),
    Title(String),
    Label(String, String),
    Edit(String),
    Restore(usize),
    Undo,
    Redo,
}

fn operation() -> impl Strategy<Value = Action> {
    prop_oneof![
        (1..4usize).prop_map(Action::Append),
        "[a-c]".prop_map(Action::Title),
        ("[a-b]", "[x-y]").prop_map(|(key, value)| Action::Label(key, value)),
        "[a-z]{1,8}\n".prop_map(Action::Edit),
        any::<usize>().prop_map(Action::Restore),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![4 => operation(), 2 => Just(Action::Undo), 1 => Just(Action::Redo)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn as_many_undos_give_the_first_tree_and_redos_the_last(
        actions in prop::collection::vec(action(), 1..24),
    ) {
        let mut world = World::new();
        let mut trees = vec![world.tree()];
        let mut past = vec![world.guard.commit()];
        let mut place = 0_usize;
        for action in &actions {
            match action {
                Action::Undo => {
                    let undone = undo(&world.workspace, &mut world.guard).unwrap();
                    prop_assert_eq!(undone.is_some(), place > 0);
                    place = place.saturating_sub(1);
                }
                Action::Redo => {
                    let redone = redo(&world.workspace, &mut world.guard).unwrap();
                    prop_assert_eq!(redone.is_some(), place + 1 < trees.len());
                    place = (place + 1).min(trees.len() - 1);
                }
                operation => {
                    if world.act(operation, &past) {
                        trees.truncate(place + 1);
                        trees.push(world.tree());
                        past.push(world.guard.commit());
                        place += 1;
                    }
                }
            }
            prop_assert_eq!(world.tree(), trees[place]);
        }
        while place > 0 {
            undo(&world.workspace, &mut world.guard).unwrap().unwrap();
            place -= 1;
            prop_assert_eq!(world.tree(), trees[place]);
        }
        prop_assert_eq!(undo(&world.workspace, &mut world.guard).unwrap(), None);
        while place + 1 < trees.len() {
            redo(&world.workspace, &mut world.guard).unwrap().unwrap();
            place += 1;
            prop_assert_eq!(world.tree(), trees[place]);
        }
        prop_assert_eq!(redo(&world.workspace, &mut world.guard).unwrap(), None);
    }
}

#[test]
fn a_title_is_set_although_git_was_faster() {
    let mut world = World::new();
    let (tip, tree) = (world.guard.commit().to_string(), world.tree().to_string());
    let by_hand = world.git(&["commit-tree", &tree, "-p", &tip, "-m", "by hand"]);
    world.git(&["update-ref", &format!("refs/heads/{}", world.guard.id()), &by_hand]);
    let World { workspace, guard, .. } = &mut world;
    let title = |meta: &mut Meta| meta.title = Some("New".to_owned());
    let set = workspace.revise_meta(guard, "title New", title).unwrap().unwrap();
    let commit = workspace.store().commit(set).unwrap();
    assert_eq!(commit.parents, [ObjectId::from_hex(by_hand.as_bytes()).unwrap()]);
    assert_eq!(workspace.meta(guard).unwrap().title.as_deref(), Some("New"));
}
