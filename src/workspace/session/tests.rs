//! Sessions in a real workspace: what they remember, and what they must not.

use std::{fs, path::PathBuf, process::Command, time::Duration};

use tempfile::TempDir;

use super::*;
use crate::{
    env::{Env, Process},
    format::Form,
    model::{ConversationId, Meta, Timestamp},
    store::{Share, Space},
    workspace::{Cleared, Workspace, prepare},
};

const NOW: i64 = 1_800_000_000;

struct World {
    _directory: TempDir,
    root: PathBuf,
    workspace: Workspace,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let (workspace, _) = Workspace::init(&env(&root, NOW), &root.join("work")).unwrap();
        Self { _directory: directory, root, workspace }
    }

    /// The same workspace at another time.
    fn at(&self, time: i64) -> Workspace {
        Workspace::init(&env(&self.root, time), &self.root.join("work")).unwrap().0
    }

    fn conversation(&self) -> ConversationId {
        let text = b"---\ntype: request\n---\nHello\n".to_vec();
        let draft = prepare(text, Form::Markdown, None, Timestamp::from_seconds(NOW)).unwrap();
        self.workspace.create(&Meta::default(), &[draft]).unwrap().0.id()
    }

    fn sessions(&self) -> PathBuf {
        self.workspace.state_dir().unwrap().join("sessions")
    }

    fn files(&self) -> usize {
        fs::read_dir(self.sessions()).unwrap().count()
    }

    fn recall(&self, session: &Session) -> String {
        let Recalled { conversation, note } = self.workspace.session_conversation(session).unwrap();
        let conversation = match conversation {
            SessionConversation::Nothing => "nothing".to_owned(),
            SessionConversation::Active(handle) => format!("active {}", handle.id()),
            SessionConversation::PutAway(handle) => {
                format!("{} {}", handle.space().whereabouts(), handle.id())
            }
            SessionConversation::Gone(id) => format!("gone {id}"),
        };
        note.map_or(conversation.clone(), |note| format!("{conversation}; {note}"))
    }
}

fn env(root: &std::path::Path, time: i64) -> Env {
    let vars = [("HOME".into(), root.into())];
    Env::fixed(vars, root.to_owned(), Timestamp::from_seconds(time))
}

fn named(name: &str) -> Session {
    let vars = [("JP_SESSION".into(), name.into())];
    Session::of(&Env::fixed(vars, "/".into(), Timestamp::from_seconds(0))).unwrap()
}

fn led_by(leader: Process) -> Session {
    let env = Env::fixed([], "/".into(), Timestamp::from_seconds(0));
    Session::of(&env.led_by(leader)).unwrap()
}

fn id(number: i64) -> ConversationId {
    format!("jp-c{number}").parse().unwrap()
}

#[test]
fn each_session_continues_its_own_conversation() {
    let world = World::new();
    let (one, other) = (world.conversation(), world.conversation());
    assert_eq!(world.recall(&named("a")), "nothing");
    assert_eq!(world.workspace.turn_to(Some(&named("a")), one).unwrap(), None);
    assert_eq!(world.recall(&named("b")), "nothing");
    world.workspace.turn_to(Some(&named("b")), other).unwrap();
    assert_eq!(world.recall(&named("a")), format!("active {one}"));
    assert_eq!(world.recall(&named("b")), format!("active {other}"));
    world.workspace.turn_to(Some(&named("a")), other).unwrap();
    let (mapping, _) = world.workspace.session_mapping(&named("a"));
    let history: Vec<_> = mapping.history().iter().map(|activation| activation.id).collect();
    assert_eq!(history, [other, one]);
}

#[test]
fn a_conversation_that_was_put_away_is_not_replaced_by_another() {
    let world = World::new();
    let (earlier, current) = (world.conversation(), world.conversation());
    let session = named("a");
    world.workspace.turn_to(Some(&session), earlier).unwrap();
    world.workspace.turn_to(Some(&session), current).unwrap();
    for (space, expected) in [(Space::Archive, "archived"), (Space::Trash, "in the trash")] {
        let handle = world.workspace.select(&current.to_string()).unwrap();
        world.workspace.shelve(world.workspace.hold(&handle).unwrap(), space).unwrap();
        assert_eq!(world.recall(&session), format!("{expected} {current}"));
    }
    for trashed in world.workspace.trash().unwrap().conversations {
        let hold = world.workspace.hold(&trashed.row.handle()).unwrap();
        world.workspace.forget(hold, trashed.row.commit).unwrap();
    }
    assert_eq!(world.recall(&session), format!("gone {current}"));
}

#[test]
fn a_damaged_file_is_told_of_and_counts_as_none() {
    let world = World::new();
    let conversation = world.conversation();
    let session = named("a");
    world.workspace.turn_to(Some(&session), conversation).unwrap();
    let path = world.sessions().join(session.file_name());
    let whole = fs::read(&path).unwrap();
    for damage in [&whole[..whole.len() / 2], b"", b"\xff\0garbage", b"[]"] {
        fs::write(&path, damage).unwrap();
        let note = format!(
            "`{}` is not used: it does not read as what a session was about",
            path.display()
        );
        assert_eq!(world.recall(&session), format!("nothing; {note}"));
        assert_eq!(world.workspace.turn_to(Some(&session), conversation).unwrap(), Some(note));
        assert_eq!(world.recall(&session), format!("active {conversation}"));
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let note = format!("`{}` is not used: it is not a file", path.display());
    assert_eq!(world.recall(&session), format!("nothing; {note}"));
    let error = world.workspace.turn_to(Some(&session), conversation).unwrap_err();
    assert!(error.to_string().starts_with("the session cannot be remembered: cannot replace"));
}

#[cfg(unix)]
#[test]
fn what_sessions_are_about_is_for_their_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.workspace.turn_to(Some(&named("a")), id(1)).unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(world.sessions()), 0o700);
    assert_eq!(mode(world.workspace.state_dir().unwrap()), 0o700);
    assert_eq!(mode(world.sessions().join(named("a").file_name())), 0o600);
}

#[test]
fn those_who_activate_at_once_do_not_forget_each_other() {
    let world = World::new();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (env, work) = (env(&world.root, NOW + thread), world.root.join("work"));
            scope.spawn(move || {
                let (workspace, _) = Workspace::init(&env, &work).unwrap();
                for number in 0..10 {
                    workspace.turn_to(Some(&named("a")), id(thread * 10 + number)).unwrap();
                }
            });
        }
    });
    let (mapping, note) = world.workspace.session_mapping(&named("a"));
    assert_eq!((mapping.history().len(), note), (80, None));
    assert_eq!(world.files(), 1);
}

/// Clears without a limit and says how many sessions were over, and how many are left.
fn clear(workspace: &Workspace) -> (usize, usize) {
    let all = Share { names: 10_000, files: 10_000, time: Duration::from_secs(3600) };
    let cleared = workspace.clear_stale_within(all).sessions;
    let sessions = workspace.state_dir().unwrap().join("sessions");
    (cleared, fs::read_dir(sessions).map_or(0, Iterator::count))
}

/// A process that can lead a session.
#[cfg(target_os = "linux")]
struct Other(std::process::Child);

#[cfg(target_os = "linux")]
impl Other {
    fn start() -> Self {
        Self(Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap())
    }

    fn leader(&self) -> Process {
        Process::of(self.0.id()).unwrap()
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn stale_getsid_goes_only_when_the_leader_is_dead() {
    let world = World::new();
    let process = Other::start();
    let session = led_by(process.leader());
    let conversation = world.conversation();
    world.workspace.turn_to(Some(&session), conversation).unwrap();
    assert_eq!(clear(&world.at(NOW * 2)), (0, 1));
    process.end();
    // Its conversation is there all the same.
    assert_eq!(clear(&world.workspace), (1, 0));
    assert_eq!(world.recall(&session), "nothing");
}

#[cfg(target_os = "linux")]
#[test]
fn stale_getsid_stays_while_the_leader_lives_whatever_became_of_its_conversations() {
    let world = World::new();
    let process = Other::start();
    let session = led_by(process.leader());
    // Another process may be about to begin it.
    world.workspace.turn_to(Some(&session), id(1)).unwrap();
    assert_eq!(clear(&world.at(NOW * 2)), (0, 1));
    assert_eq!(world.recall(&session), "gone jp-c1");
    process.end();
}

#[cfg(target_os = "linux")]
#[test]
fn stale_getsid_goes_when_the_number_of_the_leader_is_that_of_another_process() {
    let world = World::new();
    let process = Other::start();
    let leader = process.leader();
    let session = led_by(leader.clone());
    world.workspace.turn_to(Some(&session), id(1)).unwrap();
    let recycled = led_by(Process { started: leader.started - 1, ..leader });
    world.workspace.turn_to(Some(&recycled), id(2)).unwrap();
    assert_eq!(clear(&world.workspace), (1, 1));
    assert_eq!(world.recall(&session), "gone jp-c1");
    assert_eq!(world.recall(&recycled), "nothing");
    process.end();
}

#[test]
fn stale_getsid_of_another_system_goes_after_a_month_or_when_nothing_is_left() {
    let world = World::new();
    let leader = Process { pid: 1, started: 1, realm: "elsewhere".to_owned() };
    let session = led_by(leader);
    world.workspace.turn_to(Some(&session), world.conversation()).unwrap();
    assert_eq!(clear(&world.at(NOW + 29 * 24 * 60 * 60)), (0, 1));
    assert_eq!(clear(&world.at(NOW + 31 * 24 * 60 * 60)), (1, 0));
    world.workspace.turn_to(Some(&session), id(1)).unwrap();
    assert_eq!(clear(&world.workspace), (1, 0));
}

/// A session that is known by a variable goes when none of its conversations is there: those in the
/// archive and in the trash are.
fn goes_when_nothing_is_left(session: &Session) {
    let world = World::new();
    let conversation = world.conversation();
    world.workspace.turn_to(Some(session), conversation).unwrap();
    world.workspace.turn_to(Some(session), id(1)).unwrap();
    let much_later = world.at(NOW * 2);
    assert_eq!(clear(&much_later), (0, 1));
    for space in [Space::Archive, Space::Trash] {
        let handle = world.workspace.select(&conversation.to_string()).unwrap();
        world.workspace.shelve(world.workspace.hold(&handle).unwrap(), space).unwrap();
        assert_eq!(clear(&much_later), (0, 1), "{space:?}");
    }
    for trashed in world.workspace.trash().unwrap().conversations {
        let hold = world.workspace.hold(&trashed.row.handle()).unwrap();
        world.workspace.forget(hold, trashed.row.commit).unwrap();
    }
    assert_eq!(clear(&world.workspace), (1, 0));
}

fn known_by(variable: &str) -> Session {
    let vars = [(variable.into(), "%7".into())];
    Session::of(&Env::fixed(vars, "/".into(), Timestamp::from_seconds(0))).unwrap()
}

#[test]
fn stale_jp_session_goes_only_when_none_of_its_conversations_exists() {
    goes_when_nothing_is_left(&known_by("JP_SESSION"));
}

#[test]
fn stale_tmux_pane_goes_only_when_none_of_its_conversations_exists() {
    goes_when_nothing_is_left(&known_by("TMUX_PANE"));
}

#[test]
fn stale_variables_of_other_terminals_go_only_when_none_of_their_conversations_exists() {
    for variable in ["WEZTERM_PANE", "TERM_SESSION_ID", "ITERM_SESSION_ID"] {
        goes_when_nothing_is_left(&known_by(variable));
    }
}

#[test]
fn stale_locks_and_sessions_go_together_and_a_lock_only_when_nobody_holds_it() {
    let world = World::new();
    let handle = world.workspace.select(&world.conversation().to_string()).unwrap();
    let guard = world.workspace.lock(handle).unwrap();
    fs::write(world.workspace.store().lock_path(id(2)), "").unwrap();
    world.workspace.turn_to(Some(&named("a")), id(1)).unwrap();
    let cleared = world.workspace.clear_stale();
    assert_eq!(cleared, Cleared { locks: 1, sessions: 1, processes: 0, answers: 0 });
    assert!(world.workspace.store().lock_path(guard.id()).exists());
    assert_eq!(world.workspace.clear_stale(), Cleared::default());
}

#[test]
fn clearing_looks_at_a_few_files_each_time_and_gets_to_all() {
    let world = World::new();
    for number in 0..100 {
        world.workspace.turn_to(Some(&named(&number.to_string())), id(1)).unwrap();
    }
    let share = Share { names: 4096, files: 32, time: Duration::from_secs(3600) };
    assert_eq!(world.workspace.clear_stale_within(share).sessions, 32);
    let cleared: usize = (0..3).map(|_| world.workspace.clear_stale_within(share).sessions).sum();
    assert_eq!((cleared, world.files()), (68, 0));
}

#[test]
fn those_who_clear_at_once_forget_no_session_that_somebody_turns_to() {
    let world = World::new();
    let conversation = world.conversation();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (env, work) = (env(&world.root, NOW), world.root.join("work"));
            scope.spawn(move || {
                let (workspace, _) = Workspace::init(&env, &work).unwrap();
                for number in 0..25 {
                    workspace
                        .turn_to(Some(&named(&format!("over {thread} {number}"))), id(1))
                        .unwrap();
                    let lasting = named(&format!("{thread} {number}"));
                    workspace.turn_to(Some(&lasting), conversation).unwrap();
                    clear(&workspace);
                }
            });
        }
    });
    clear(&world.workspace);
    assert_eq!(world.files(), 100);
    let active = format!("active {conversation}");
    for session in (0..4).flat_map(|a| (0..25).map(move |b| format!("{a} {b}"))) {
        assert_eq!(world.recall(&named(&session)), active);
    }
}

#[test]
fn clearing_leaves_what_it_cannot_judge() {
    let world = World::new();
    world.workspace.turn_to(Some(&named("a")), id(1)).unwrap();
    let path = world.sessions().join(named("a").file_name());
    fs::write(&path, "garbage").unwrap();
    assert_eq!(clear(&world.workspace), (0, 1));
    assert_eq!(clear(&World::new().workspace), (0, 0));
}
