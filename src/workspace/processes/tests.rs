use std::{
    os::unix::{fs::PermissionsExt, net::UnixListener},
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::{env::Env, model::Timestamp, store::Lock, workspace::Cleared};

const ALL: Share = Share { names: 10_000, files: 10_000, time: Duration::from_secs(3600) };

struct World {
    directory: TempDir,
    workspace: Workspace,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir_in("/tmp").unwrap();
        let home = directory.path().join("home").into_os_string();
        let now = Timestamp::from_seconds(1_790_000_000);
        let env = Env::fixed([("HOME".into(), home)], directory.path().to_owned(), now);
        let workspace = Workspace::open_or_create(&env).unwrap();
        Self { directory, workspace }
    }

    fn socket(&self, number: u32) -> PathBuf {
        self.directory.path().join(format!("{number}.sock"))
    }

    fn path(&self, number: u32) -> PathBuf {
        entry_path(&self.workspace.processes_dir().unwrap(), id(number))
    }

    /// The entry of another process, with a socket of which only the file is left.
    fn plant(&self, number: u32, process: &Process) -> ProcessEntry {
        drop(UnixListener::bind(self.socket(number)).unwrap());
        let entry = ProcessEntry {
            conversation: id(number),
            workspace: self.workspace.store.id().clone(),
            process: process.clone(),
            started_at: Timestamp::from_seconds(1_790_000_000),
            socket: self.socket(number),
        };
        fsutil::create_dir_private(&self.workspace.processes_dir().unwrap()).unwrap();
        fsutil::write_fleeting(&self.path(number), &entry.encode().unwrap()).unwrap();
        entry
    }

    fn is_left(&self, number: u32) -> (bool, bool) {
        (self.path(number).exists(), self.socket(number).exists())
    }
}

fn id(number: u32) -> ConversationId {
    format!("jp-c{number}").parse().unwrap()
}

/// A process that runs until its input ends.
struct Other(Child);

impl Other {
    fn start() -> Self {
        Self(Command::new("cat").stdin(Stdio::piped()).spawn().unwrap())
    }

    fn process(&self) -> Process {
        Process::of(self.0.id()).unwrap()
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

fn dead() -> Process {
    let other = Other::start();
    let process = other.process();
    other.end();
    process
}

fn elsewhere() -> Process {
    Process { realm: "another run of the system".to_owned(), ..Process::of_this().unwrap() }
}

#[test]
fn whoever_registers_is_found_until_it_lets_go() {
    let world = World::new();
    let (workspace, socket) = (&world.workspace, world.socket(1));
    assert_eq!(workspace.process_of(id(1)), None);
    let listener = UnixListener::bind(&socket).unwrap();
    let registration = workspace.register(id(1), &socket).unwrap();
    let entry = registration.entry().clone();
    assert_eq!(entry.process, Process::of_this().unwrap());
    assert_eq!(workspace.process_of(id(1)), Some(entry.clone()));
    assert_eq!(workspace.process_of(id(2)), None);
    assert_eq!(workspace.processes(), [entry]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&world.path(1)), 0o600);
    assert_eq!(mode(parent(&world.path(1))), 0o700);
    let text = fs::read_to_string(world.path(1)).unwrap();
    let Process { pid, started, realm } = Process::of_this().unwrap();
    let expected = json!({
        "conversation": "jp-c1",
        "workspace": workspace.store.id().as_str(),
        "pid": pid,
        "started": started,
        "realm": realm,
        "started_at": "2026-09-21T14:13:20Z",
        "socket": socket,
    });
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    // The socket goes though somebody listens: it is that of the registration.
    drop(registration);
    assert_eq!(world.is_left(1), (false, false));
    assert_eq!(workspace.processes(), []);
    drop(listener);
}

#[test]
fn what_is_another_s_by_now_stays_when_a_registration_ends() {
    let world = World::new();
    let socket = world.socket(1);
    drop(UnixListener::bind(&socket).unwrap());
    let registration = world.workspace.register(id(1), &socket).unwrap();
    // Another one listens there; the entry is still ours.
    fs::remove_file(&socket).unwrap();
    let other = UnixListener::bind(&socket).unwrap();
    drop(registration);
    assert_eq!(world.is_left(1), (false, true));
    drop(other);
    fs::remove_file(&socket).unwrap();
    // Another one has registered.
    let registration = world.workspace.register(id(1), &socket).unwrap();
    let process = Other::start();
    let entry = world.plant(1, &process.process());
    drop(registration);
    assert_eq!(world.is_left(1), (true, true));
    assert_eq!(world.workspace.process_of(id(1)), Some(entry));
    process.end();
}

#[test]
fn a_living_process_is_not_replaced_and_a_dead_one_is() {
    let world = World::new();
    let other = Other::start();
    let entry = world.plant(1, &other.process());
    let error = world.workspace.register(id(1), &world.socket(2)).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("conversation jp-c1 is served by process {} already", entry.process.pid)
    );
    assert_eq!(world.workspace.process_of(id(1)), Some(entry));
    other.end();
    let registration = world.workspace.register(id(1), &world.socket(2)).unwrap();
    assert_eq!(world.workspace.process_of(id(1)), Some(registration.entry().clone()));
    assert_eq!(world.is_left(1), (true, false), "the socket of the dead one is gone");
    drop(registration);
}

#[test]
fn what_a_dead_process_left_is_removed_by_whoever_looks() {
    let world = World::new();
    let process = dead();
    for number in [1, 2, 3] {
        world.plant(number, &process);
    }
    assert_eq!(world.workspace.process_of(id(1)), None);
    assert_eq!(world.is_left(1), (false, false));
    assert_eq!(world.is_left(2), (true, true));
    assert_eq!(world.workspace.processes(), []);
    assert_eq!(world.is_left(2), (false, false));
    assert_eq!(world.is_left(3), (false, false));
    for number in [1, 2, 3] {
        world.plant(number, &process);
    }
    let cleared = world.workspace.clear_stale_within(ALL);
    assert_eq!(cleared, Cleared { processes: 3, ..Cleared::default() });
    assert_eq!(world.is_left(3), (false, false));
}

#[test]
fn a_number_that_was_given_out_again_is_not_taken_for_its_first_owner() {
    let world = World::new();
    let own = Process::of_this().unwrap();
    world.plant(1, &Process { started: own.started - 1, ..own });
    assert_eq!(world.workspace.process_of(id(1)), None);
    assert_eq!(world.is_left(1), (false, false));
}

#[test]
fn a_living_process_loses_nothing_to_those_who_clear() {
    let world = World::new();
    let other = Other::start();
    let entry = world.plant(1, &other.process());
    assert_eq!(world.workspace.clear_stale_within(ALL), Cleared::default());
    assert_eq!(world.workspace.processes(), [entry]);
    assert_eq!(world.is_left(1), (true, true));
    other.end();
}

#[test]
fn a_socket_that_somebody_listens_on_again_stays_when_the_entry_goes() {
    let world = World::new();
    world.plant(1, &dead());
    fs::remove_file(world.socket(1)).unwrap();
    let _next = UnixListener::bind(world.socket(1)).unwrap();
    assert_eq!(world.workspace.process_of(id(1)), None);
    assert_eq!(world.is_left(1), (false, true));
}

#[test]
fn one_that_cannot_be_seen_counts_as_alive_while_its_conversation_is_locked() {
    let world = World::new();
    let workspace = &world.workspace;
    world.plant(1, &elsewhere());
    let lock: Lock = workspace.store.lock(id(1), &workspace.holder()).unwrap();
    assert_eq!(workspace.process_of(id(1)), None, "nobody here can talk to it");
    assert_eq!(workspace.clear_stale_within(ALL), Cleared::default());
    assert_eq!(world.is_left(1), (true, true));
    drop(lock);
    assert_eq!(workspace.process_of(id(1)), None);
    assert_eq!(world.is_left(1), (false, false));
}

#[test]
fn a_file_that_cannot_be_believed_counts_as_none() {
    let world = World::new();
    let (workspace, path) = (&world.workspace, world.path(1));
    let other = Other::start();
    let entry = world.plant(1, &other.process());
    let good = fs::read_to_string(&path).unwrap();
    assert_eq!(workspace.process_of(id(1)), Some(entry));
    let put = |text: &str| fsutil::write_fleeting(&path, text.as_bytes()).unwrap();
    let none = |why: &str| {
        assert_eq!(workspace.process_of(id(1)), None, "{why}");
        assert_eq!(workspace.processes(), [], "{why}");
        workspace.clear_stale_within(ALL);
        assert!(path.symlink_metadata().is_ok(), "{why}");
    };
    put("garbage");
    none("it does not read");
    put(&good.replace("jp-c1", "jp-c2"));
    none("it is about another conversation");
    put(&good.replace(workspace.store.id().as_str(), &"0".repeat(32)));
    none("it is about another workspace");
    put(&good.replace("/tmp/", "tmp/"));
    none("its socket is anywhere");
    put(&format!("{good}{}", " ".repeat(1 << 17)));
    none("it is huge");
    put(&good);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    none("anybody can have written it");
    let elsewhere = world.directory.path().join("elsewhere.json");
    fsutil::write_fleeting(&elsewhere, good.as_bytes()).unwrap();
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    none("it is a link");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    none("it is a directory");
    fs::remove_dir(&path).unwrap();
    let mut mkfifo = Command::new("mkfifo");
    assert!(mkfifo.arg(&path).status().unwrap().success());
    none("it is a pipe");
    other.end();
}

#[test]
fn those_who_come_and_those_who_clear_do_not_get_in_each_other_s_way() {
    let world = World::new();
    let (workspace, process) = (&world.workspace, dead());
    let socket = world.socket(1);
    let entry = world.plant(1, &process);
    let stale = entry.encode().unwrap();
    let (env, path) = (workspace.env.clone(), world.path(1));
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let other = Workspace::open(&env).unwrap().unwrap();
                while !is_done.load(std::sync::atomic::Ordering::SeqCst) {
                    other.clear_entry(id(1), &path);
                }
            });
        }
        for _ in 0..200 {
            // A server that was killed, and the next one.
            fsutil::write_fleeting(&path, &stale).unwrap();
            let sockets = DirectoryLock::take(world.directory.path());
            assert_eq!(Leftover::clear(&socket, &sockets).unwrap(), Leftover::Nothing);
            let listener = UnixListener::bind(&socket).unwrap();
            drop(sockets);
            let registration = workspace.register(id(1), &socket).unwrap();
            assert_eq!(workspace.process_of(id(1)).as_ref(), Some(registration.entry()));
            assert!(socket.exists());
            drop(registration);
            drop(listener);
        }
        is_done.store(true, std::sync::atomic::Ordering::SeqCst);
    });
}
