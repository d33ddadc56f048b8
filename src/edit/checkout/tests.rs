//! Checkouts in a real directory of a real store, with somebody who writes at the worst moments.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use proptest::prelude::*;
use tempfile::TempDir;

use super::{folder::Standing, record::Entry, *};
use crate::{
    edit::{Earnest, apply},
    env::Env,
    format::Form,
    model::{Meta, Timestamp},
    plan::{Draft, Layout, Wish},
    store::blob_id,
    workspace::{Guard, LoadError, Workspace, prepare},
};

struct World {
    _directory: TempDir,
    env: Env,
    workspace: Workspace,
    guard: Guard,
    checkout: Checkout,
}

impl World {
    /// A conversation of two turns, checked out.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let home = [("HOME".into(), root.as_os_str().to_owned())];
        let env = Env::fixed(home, root.clone(), now());
        let (workspace, _) = Workspace::init(&env, &root.join("work")).unwrap();
        let drafts = [("request", "a"), ("message", "b"), ("request", "c"), ("message", "d")]
            .map(|(event_type, body)| draft(event_type, body));
        let meta = Meta { title: Some("Title".to_owned()), ..Meta::default() };
        let (guard, _) = workspace.create(&meta, &drafts).unwrap();
        let checkout = check_out_at(&env, &workspace, &guard, &root.join("co")).unwrap();
        Self { _directory: directory, env, workspace, guard, checkout }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.checkout.directory().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    fn write_event(&self, name: &str, event_type: &str, body: &str) {
        self.write(name, draft(event_type, body).bytes);
    }

    /// Puts a line after another one of the plan.
    fn list(&self, after: &str, line: &str) {
        let plan = self.read("CONVERSATION");
        assert!(plan.contains(after), "{plan}");
        self.write("CONVERSATION", plan.replacen(after, &format!("{after}\n{line}"), 1));
    }

    fn append(&mut self, body: &str) {
        self.workspace.append(&mut self.guard, &[draft("message", body)]).unwrap();
    }

    /// Changes the conversation without the directory; what breaks the rules is not done.
    fn apply(&mut self, wish: impl Fn(&Layout) -> Wish) {
        let wish = |layout: &Layout| Ok::<_, LoadError>(wish(layout));
        let _done = apply(&self.workspace, &mut self.guard, "edit", Earnest::Commit, wish);
    }

    fn edit_there(&mut self, at: usize, body: &str) {
        self.apply(|layout| {
            let mut wish = Wish::unchanged(layout);
            let event_type = layout.stream[at].event.as_ref().unwrap().event_type();
            wish.edited.insert(at, draft(event_type.name(), body));
            wish
        });
    }

    /// Commits what was found, as `jp conversation commit` does.
    fn settle(&mut self, look: &Look) -> Option<Refusal> {
        let Self { env, workspace, guard, checkout, .. } = self;
        workspace.catch_up(guard).unwrap();
        match propose(env, workspace, guard, checkout, look).unwrap() {
            Ok(proposal) => {
                if let Some(proposal) = proposal {
                    commit(workspace, guard, checkout, look, proposal).unwrap();
                }
                if guard.commit() != checkout.commit() {
                    refresh(workspace, guard, checkout, look).unwrap();
                }
                None
            }
            Err(Refusal::Conflicts(conflicts)) => {
                adopt(workspace, guard, checkout, look, &conflicts).unwrap();
                Some(Refusal::Conflicts(conflicts))
            }
            Err(refusal) => Some(refusal),
        }
    }

    #[track_caller]
    fn commit(&mut self) {
        let look = self.checkout.look().unwrap();
        let refusal = self.settle(&look);
        assert!(refusal.is_none(), "{refusal:?}");
    }

    /// The words of all events.
    fn bodies(&self) -> Vec<String> {
        let conversation = self.workspace.load(&self.guard).unwrap();
        assert!(conversation.problems.is_empty(), "{:?}", conversation.problems);
        let layout = conversation.into_layout();
        let text = |listed: &crate::plan::Listed| {
            let found = self.workspace.file_at(&self.guard, listed.name.address()).unwrap();
            let bytes = self.workspace.read_blob(self.guard.id(), &found.blob).unwrap();
            let text = String::from_utf8(bytes).unwrap();
            text.rsplit("---\n").next().unwrap().trim_end().to_owned()
        };
        layout.stream.iter().map(text).collect()
    }

    /// Everything that was ever committed.
    fn history(&self) -> String {
        let mut git = Command::new("git");
        git.arg("-C").arg(self.workspace.store().path());
        let id = self.guard.id().to_string();
        let output = git.args(["log", "-p", "--format=", &id]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Everything that is in the directory.
    fn all_files(&self) -> String {
        let mut all = String::new();
        for directory in [self.path("."), self.path(META_DIR)] {
            for entry in fs::read_dir(directory).unwrap().flatten() {
                if entry.file_type().unwrap().is_file() {
                    all += &String::from_utf8_lossy(&fs::read(entry.path()).unwrap());
                }
            }
        }
        all
    }
}

fn now() -> Timestamp {
    "2026-11-16T12:00:00Z".parse().unwrap()
}

fn draft(event_type: &str, body: &str) -> Draft {
    let text = format!("---\ntype: {event_type}\n---\n{body}\n");
    prepare(text.into_bytes(), Form::Markdown, None, now()).unwrap()
}

fn names(look: &Look) -> Vec<&str> {
    look.hand.files.keys().map(String::as_str).collect()
}

/// Sets the record of a file to how it looks now, as if it had been changed without a trace.
fn hide(world: &mut World, name: &str) {
    let Standing::File(stat) = world.checkout.folder.look(name).unwrap() else { panic!("{name}") };
    let filed = world.checkout.record.files.get_mut(&name.parse().unwrap()).unwrap();
    filed.entry.stat = stat;
    world.checkout.recorded = stat.modified;
}

#[test]
fn a_change_within_one_tick_is_seen() {
    let mut world = World::new();
    assert!(world.checkout.look().unwrap().is_clean());
    world.write_event("001-message.md", "message", "B");
    hide(&mut world, "001-message.md");
    let look = world.checkout.look().unwrap();
    assert_eq!(names(&look), ["001-message.md"]);
    // Later, what looks as it did is not read.
    world.checkout.recorded += 1_000_000_000;
    assert!(world.checkout.look().unwrap().is_clean());
}

#[test]
fn a_touched_file_with_the_same_content_is_clean() {
    let world = World::new();
    for name in ["000-request.md", "CONVERSATION", ".conversation/meta.toml"] {
        let text = world.read(name);
        fs::remove_file(world.path(name)).unwrap();
        world.write(name, text);
    }
    let look = world.checkout.look().unwrap();
    assert!(look.is_clean() && names(&look).is_empty(), "{look:?}");
}

#[test]
fn what_is_no_plain_file_is_a_fault_unless_nobody_wants_it() {
    let world = World::new();
    let path = world.path("003-message.md");
    fs::write(world.path("elsewhere"), "x").unwrap();
    let make: [&dyn Fn(); 3] = [
        &|| symlink(world.path("elsewhere"), &path).unwrap(),
        &|| fs::create_dir(&path).unwrap(),
        &|| assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
    ];
    for make in make {
        fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
        make();
        let look = world.checkout.look().unwrap();
        let faults: Vec<_> = look.faults.iter().map(ToString::to_string).collect();
        assert_eq!(faults, ["003-message.md: it is not a plain file"]);
    }
    let plan = world.read("CONVERSATION").replace("003-message.md\n", "");
    world.write("CONVERSATION", plan);
    assert!(world.checkout.look().unwrap().faults.is_empty());
}

#[test]
fn a_missing_plan_is_an_empty_one() {
    let world = World::new();
    fs::remove_file(world.path("CONVERSATION")).unwrap();
    let look = world.checkout.look().unwrap();
    assert!(look.is_emptied() && look.plan_changed && !look.is_clean());
}

#[test]
fn files_that_could_be_events_and_are_not_listed_are_told() {
    let world = World::new();
    for name in ["mine.md", "x.toml", "notes.txt", ".hidden.md", "listed.md"] {
        world.write(name, "x");
    }
    world.list("003-message.md", "listed.md");
    assert_eq!(world.checkout.look().unwrap().stray, ["mine.md", "x.toml"]);
}

#[test]
fn a_directory_that_was_opened_again_is_as_it_was() {
    let mut world = World::new();
    world.write_event("000-request.md", "request", "A");
    world.commit();
    let opened = Checkout::open(world.checkout.directory()).unwrap();
    assert_eq!(opened.record, world.checkout.record);
    assert_eq!(opened.recorded, world.checkout.recorded);
    assert!(opened.look().unwrap().is_clean());
}

#[test]
fn what_was_written_after_a_look_is_another_edit() {
    let mut world = World::new();
    world.append("more");
    world.write_event("000-request.md", "request", "A");
    let look = world.checkout.look().unwrap();
    world.write_event("000-request.md", "request", "AA");
    assert!(world.settle(&look).is_none());
    assert_eq!(world.bodies(), ["A", "b", "c", "d", "more"]);
    assert!(world.read("000-request.md").contains("AA"));
    assert!(!world.path("000-request.md.yours").exists());
    world.commit();
    assert_eq!(world.bodies(), ["AA", "b", "c", "d", "more"]);
}

#[test]
fn what_was_written_after_a_look_in_a_file_that_changes_is_put_aside() {
    let mut world = World::new();
    world.edit_there(1, "theirs");
    let look = world.checkout.look().unwrap();
    world.write_event("001-message.md", "message", "mine");
    assert!(world.settle(&look).is_none());
    assert!(world.read("001-message.md").contains("theirs"));
    assert!(world.read("001-message.md.yours").contains("mine"));
}

#[test]
fn a_plan_that_was_written_after_a_look_stays() {
    let mut world = World::new();
    world.append("more");
    world.write_event("new.md", "message", "new");
    world.list("001-message.md", "new.md");
    let look = world.checkout.look().unwrap();
    // One more remark, which changes no name.
    world.list("000-request.md", "# remember this");
    assert!(world.settle(&look).is_none());
    assert!(
        world.read("CONVERSATION").contains("# remember this\n001-message.md\n005-message.md\n")
    );
    assert_eq!(world.bodies(), ["a", "b", "new", "c", "d", "more"]);
    world.commit();
    assert_eq!(world.bodies(), ["a", "b", "new", "c", "d", "more"]);
    assert!(world.read("CONVERSATION").contains("# remember this\n"));
    assert!(world.history().contains("+# remember this\n"));
}

#[test]
fn a_new_file_that_was_written_after_a_look_stays() {
    for given in ["new.md", "004-message.md"] {
        let mut world = World::new();
        world.write_event(given, "message", "new");
        world.list("003-message.md", given);
        let look = world.checkout.look().unwrap();
        world.write_event(given, "message", "newer");
        assert!(world.settle(&look).is_none());
        assert_eq!(world.bodies(), ["a", "b", "c", "d", "new"]);
        assert!(world.read(given).contains("newer"));
    }
}

#[test]
fn title_and_labels_that_were_written_after_a_look_stay() {
    let mut world = World::new();
    world.append("more");
    let meta = world.read(".conversation/meta.toml");
    world.write(".conversation/meta.toml", meta.replace("Title", "Mine"));
    let look = world.checkout.look().unwrap();
    let newer = meta.replace("Title", "Mine") + "\n[labels]\na = \"1\"\n";
    world.write(".conversation/meta.toml", &newer);
    assert!(world.settle(&look).is_none());
    assert_eq!(world.read(".conversation/meta.toml"), newer);
    world.commit();
    let meta = world.workspace.meta(&world.guard).unwrap();
    assert_eq!((meta.title.as_deref(), meta.labels["a"].as_str()), (Some("Mine"), "1"));
}

#[test]
fn a_commit_that_starts_over_gives_new_files_one_name() {
    let mut world = World::new();
    world.write_event("new.md", "message", "new");
    world.write_event("two.md", "message", "two");
    world.list("003-message.md", "new.md\ntwo.md");
    let look = world.checkout.look().unwrap();
    let World { env, workspace, guard, checkout, .. } = &mut world;
    let proposal = propose(env, workspace, guard, checkout, &look).unwrap().unwrap().unwrap();
    checkout.give_names(&look, &proposal.added).unwrap();
    // Something else is faster, and takes the numbers.
    world.append("more");
    world.append("more still");
    assert!(world.settle(&look).is_none());
    assert_eq!(world.bodies(), ["a", "b", "c", "d", "new", "two", "more", "more still"]);
    world.commit();
    let look = world.checkout.look().unwrap();
    assert!(look.is_clean() && look.stray.is_empty(), "{look:?}");
    assert!(!world.all_files().contains("yours"));
    let count = fs::read_dir(world.path("."))
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(".md"));
    assert_eq!(count.count(), 8);
}

#[test]
fn a_second_name_that_was_left_behind_goes() {
    let mut world = World::new();
    world.write_event("new.md", "message", "new");
    fs::hard_link(world.path("new.md"), world.path("004-message.md")).unwrap();
    world.list("003-message.md", "004-message.md");
    world.commit();
    assert_eq!(world.bodies(), ["a", "b", "c", "d", "new"]);
    assert!(!world.path("new.md").exists());
    let entry: Entry = world.checkout.record.files[&"004-message.md".parse().unwrap()].entry;
    assert_eq!(entry.local(), blob_id(&fs::read(world.path("004-message.md")).unwrap()));
}

/// Something that somebody does in a directory.
#[derive(Clone, Debug)]
enum Deed {
    Write(prop::sample::Index),
    New(prop::sample::Index),
    Stray(prop::sample::Index),
    Unlist(prop::sample::Index),
    Remark(prop::sample::Index),
    Title,
}

/// Something that happens.
#[derive(Clone, Debug)]
enum Happening {
    Here(Deed),
    Append,
    EditThere(prop::sample::Index),
    RemoveThere(prop::sample::Index),
    /// A commit, and what somebody does while it is under way.
    Commit(Vec<Deed>),
}

fn any_deed() -> impl Strategy<Value = Deed> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        4 => at().prop_map(Deed::Write),
        2 => at().prop_map(Deed::New),
        1 => at().prop_map(Deed::Stray),
        1 => at().prop_map(Deed::Unlist),
        1 => at().prop_map(Deed::Remark),
        1 => Just(Deed::Title),
    ]
}

fn any_happening() -> impl Strategy<Value = Happening> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        4 => any_deed().prop_map(Happening::Here),
        1 => Just(Happening::Append),
        2 => at().prop_map(Happening::EditThere),
        1 => at().prop_map(Happening::RemoveThere),
        3 => prop::collection::vec(any_deed(), 0..3).prop_map(Happening::Commit),
    ]
}

/// What somebody wrote, by the file that it was written to.
#[derive(Default)]
struct Typed {
    words: BTreeMap<String, String>,
    remarks: Vec<String>,
    count: usize,
}

impl Typed {
    fn words(&mut self, what: &str) -> String {
        self.count += 1;
        format!("{what}-{}-", self.count)
    }

    fn act(&mut self, world: &World, deed: &Deed) {
        let plan = world.read("CONVERSATION");
        let mut lines: Vec<String> = plan.lines().map(str::to_owned).collect();
        let listed = |line: &String| line.ends_with(".md");
        let events: Vec<usize> = (0..lines.len()).filter(|at| listed(&lines[*at])).collect();
        match deed {
            Deed::Write(at) if !events.is_empty() => {
                let name = lines[events[at.index(events.len())]].clone();
                let words = self.words("write");
                let event_type = if name.contains("request") { "request" } else { "message" };
                world.write_event(&name, event_type, &words);
                self.words.insert(name, words);
            }
            Deed::New(at) => {
                let words = self.words("new");
                let name = format!("{words}x.md");
                world.write_event(&name, "message", &words);
                let first = events.first().map_or(lines.len(), |first| first + 1);
                lines.insert(first + at.index(lines.len() - first + 1), name.clone());
                world.write("CONVERSATION", lines.join("\n") + "\n");
                self.words.insert(name, words);
            }
            Deed::Stray(at) => {
                // Where an event may come in.
                let words = self.words("stray");
                let name = format!("{:03}-message.md", 4 + at.index(6));
                world.write(&name, &words);
                self.words.insert(name, words);
            }
            Deed::Unlist(at) if events.len() > 1 => {
                lines.remove(events[at.index(events.len())]);
                world.write("CONVERSATION", lines.join("\n") + "\n");
            }
            Deed::Remark(at) => {
                let words = format!("# {}", self.words("remark"));
                lines.insert(at.index(lines.len() + 1), words.clone());
                world.write("CONVERSATION", lines.join("\n") + "\n");
                self.remarks.push(words);
            }
            Deed::Title => {
                let words = self.words("title");
                let meta = world.read(".conversation/meta.toml");
                let was = meta.lines().find(|line| line.starts_with("title = ")).unwrap();
                let meta = meta.replace(was, &format!("title = \"{words}\""));
                world.write(".conversation/meta.toml", meta);
                self.words.insert("title".to_owned(), words);
            }
            Deed::Write(_) | Deed::Unlist(_) => {}
        }
    }
}

/// Each case has a store of its own, so there are few, unless somebody asks for more.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    match default.cases {
        256 => ProptestConfig { cases: 16, ..default },
        _ => default,
    }
}

proptest! {
    #![proptest_config(config())]

    /// The law of a checkout: what somebody wrote last in a file is in a file, or was committed.
    #[test]
    fn nothing_that_was_written_is_ever_lost(
        happenings in prop::collection::vec(any_happening(), 1..14)
    ) {
        let mut world = World::new();
        let mut typed = Typed::default();
        for happening in &happenings {
            match happening {
                Happening::Here(deed) => typed.act(&world, deed),
                Happening::Append => {
                    world.append("came in");
                }
                Happening::EditThere(at) => {
                    let count = world.bodies().len();
                    world.edit_there(at.index(count), "edited there");
                }
                Happening::RemoveThere(at) => {
                    let count = world.bodies().len();
                    let at = at.index(count);
                    world.apply(|layout| Wish::without(layout, |own| own == at));
                }
                Happening::Commit(deeds) => {
                    let look = world.checkout.look().unwrap();
                    for deed in deeds {
                        typed.act(&world, deed);
                    }
                    let _refusal = world.settle(&look);
                }
            }
            if !matches!(happening, Happening::Commit(_)) {
                continue;
            }
            let kept = world.all_files() + &world.history();
            for words in typed.words.values().chain(&typed.remarks) {
                prop_assert!(kept.contains(words), "{} after {:?}", words, happening);
            }
        }
    }
}

/// The paths of a checkout lead nowhere else.
#[test]
fn a_record_is_opened_where_it_is() {
    let world = World::new();
    assert!(Checkout::open(Path::new("/nonexistent")).is_err());
    let opened = Checkout::open(world.checkout.directory()).unwrap();
    assert_eq!(opened.plan_path(), world.path("CONVERSATION"));
    assert_eq!(opened.events(), 4);
}
