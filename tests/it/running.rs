//! Conversations that a process is at: how the list and the details tell it, what a locked one
//! suggests, and what dead processes leave.

use std::{
    fs::{self, File},
    os::unix::{fs::PermissionsExt, net::UnixListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use jp::env::Process;
use serde_json::{Value, json};

use crate::support::{Jp, call, message, question, request};

/// A process that has registered as that which serves a conversation, and holds its lock.
struct Server {
    child: Child,
    entry: PathBuf,
    socket: PathBuf,
    lock: File,
}

impl Server {
    fn start(jp: &Jp, id: &str) -> Self {
        let child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let process = Process::of(child.id()).unwrap();
        let socket = jp.world().join("a.sock");
        drop(UnixListener::bind(&socket).unwrap());
        let entry = plant(jp, id, &process, &socket);
        let doing = json!({
            "pid": process.pid, "acquired_at": "2026-11-03T10:00:00Z", "doing": "query",
        });
        let lock = hold(jp, id, &doing);
        Self { child, entry, socket, lock }
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends as a process that is killed does.
    fn die(mut self) -> (PathBuf, PathBuf) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        drop(self.lock);
        (self.entry, self.socket)
    }
}

/// Writes down that this process serves a conversation at a socket; the path of the entry.
pub fn plant(jp: &Jp, id: &str, process: &Process, socket: &Path) -> PathBuf {
    let workspace = jp.git(&["config", "jp.id"]).trim_end().to_owned();
    let directory = jp.world().join("data/jp/workspace").join(&workspace).join("processes");
    fs::create_dir_all(&directory).unwrap();
    let entry = directory.join(format!("{id}.json"));
    let text = json!({
        "conversation": id, "workspace": workspace, "pid": process.pid,
        "started": process.started, "realm": process.realm,
        "started_at": "2026-11-03T10:00:00Z", "socket": socket,
    });
    fs::write(&entry, text.to_string()).unwrap();
    // Whatever the umask is: what others can write counts as none.
    fs::set_permissions(&entry, fs::Permissions::from_mode(0o600)).unwrap();
    entry
}

/// Holds the lock of a conversation with a file that says this.
fn hold(jp: &Jp, id: &str, says: &Value) -> File {
    let path = jp.store().join(format!("locks/{id}.lock"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, says.to_string()).unwrap();
    let file = File::options().read(true).write(true).open(&path).unwrap();
    file.lock().unwrap();
    file
}

/// How the only conversation stands: in the list, and with each kind of details.
fn standing(jp: &Jp, id: &str) -> Value {
    let listed = jp.run(&["c", "ls", "--format", "json"]).json()[0].clone();
    let shown = jp.show(id);
    let brief = jp.run(&["c", "show", id, "--brief", "--format", "json"]).json();
    let status = listed["status"].as_str().unwrap();
    let text = jp.run(&["c", "ls"]).ok();
    assert!(text.lines().nth(1).unwrap().contains(&format!("  {status}  ")), "{text}");
    let text = jp.run(&["c", "show", id]).ok();
    assert!(text.contains(&format!("\nStatus:   {status}\n")), "{text}");
    let told = ["status", "process", "waiting_for"];
    let of = |value: &Value| told.map(|key| value[key].clone());
    assert_eq!((of(&listed), of(&listed)), (of(&shown), of(&brief)));
    json!(of(&listed))
}

fn answered(jp: &Jp) -> String {
    jp.start(&[&request("One\n"), &message("First\n")])
}

#[test]
fn a_conversation_that_is_served_is_running_until_the_process_ends() {
    let jp = Jp::in_workspace();
    let id = answered(&jp);
    assert_eq!(standing(&jp, &id), json!(["idle", null, null]));
    let server = Server::start(&jp, &id);
    let (pid, socket) = (server.pid(), server.socket.clone());
    let status = format!("running (pid {pid})");
    assert_eq!(standing(&jp, &id), json!([status, {"pid": pid, "socket": socket}, null]));
    let text = jp.run(&["c", "show", &id, "--brief"]).ok();
    let lines = format!("Status:   {status}\nProcess:  {pid}, {}\nTurns:", socket.display());
    assert!(text.contains(&lines), "{text}");
    // It was not then.
    let then = jp.run(&["c", "show", &id, "--at", "turn 0", "--format", "json"]).json();
    assert_eq!((&then["status"], &then["process"]), (&json!("idle"), &Value::Null));
    let (entry, socket) = server.die();
    assert_eq!(jp.run(&["c", "ls", "--format", "json"]).json()[0]["status"], "idle");
    assert!(!entry.exists() && !socket.exists(), "whoever looks clears it away");
}

#[test]
fn a_turn_that_is_written_is_running_and_then_interrupted() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n")]);
    let server = Server::start(&jp, &id);
    let status = format!("running (pid {})", server.pid());
    assert_eq!(standing(&jp, &id)[0], *status);
    server.die();
    assert_eq!(standing(&jp, &id), json!(["interrupted (pending LLM response)", null, null]));
}

#[test]
fn a_conversation_that_waits_for_an_answer_says_so_whether_or_not_a_process_is_there() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &call("c1"), &question("q1", "c1")]);
    let waits = json!({"kind": "run-tool", "tool": "read", "question": "q1"});
    assert_eq!(standing(&jp, &id), json!(["waiting-for-input (read)", null, waits]));
    let server = Server::start(&jp, &id);
    let process = json!({"pid": server.pid(), "socket": server.socket});
    assert_eq!(standing(&jp, &id), json!(["waiting-for-input (read)", process, waits]));
    let text = jp.run(&["c", "show", &id, "--brief"]).ok();
    assert!(text.contains(&format!("\nProcess:  {}, ", server.pid())), "{text}");
    server.die();
}

#[test]
fn a_query_that_holds_the_lock_is_running_and_others_who_hold_it_are_not() {
    let jp = Jp::in_workspace();
    let id = answered(&jp);
    let says = json!({"pid": 4242, "acquired_at": "2026-11-03T10:00:00Z", "doing": "query"});
    let held = hold(&jp, &id, &says);
    let process = json!({"pid": 4242, "socket": null});
    assert_eq!(standing(&jp, &id), json!(["running (pid 4242)", process, null]));
    drop(held);
    assert_eq!(standing(&jp, &id), json!(["idle", null, null]), "only the file is left");
    let says = json!({"pid": 4242, "acquired_at": "2026-11-03T10:00:00Z"});
    let _held = hold(&jp, &id, &says);
    assert_eq!(standing(&jp, &id), json!(["idle", null, null]));
}

#[test]
fn one_that_is_locked_by_a_server_says_how_to_join_it_get_past_it_and_end_it() {
    let jp = Jp::in_workspace();
    let id = answered(&jp);
    let server = Server::start(&jp, &id);
    let pid = server.pid();
    let impatient = jp.with_var("JP_LOCK_DURATION", "0");
    let error = format!(
        "error: conversation {id} is locked (held by pid {pid}, since 2026-11-03T10:00:00Z)\n\
         Hint: `ps -p {pid}` shows the process that has it\n\
         Hint: `JP_LOCK_DURATION=5m jp …` waits longer for it [default: 30s]\n\
         Hint: `jp conversation attach {id}` follows what it does, and answers its questions\n"
    );
    let end = format!("Hint: `jp conversation kill {id}` ends it\n");
    impatient.run(&["c", "rm", &id]).fails(75, &format!("{error}{end}"));
    let past = format!(
        "Hint: `jp query --fork --id={id} \"…\"` goes on in a fork of this one\n\
         Hint: `jp query --new \"…\"` begins a new one\n"
    );
    let query = ["q", "--non-interactive", &format!("--id={id}"), "Two"];
    impatient.run(&query).fails(75, &format!("{error}{past}{end}"));
    server.die();
}

#[test]
fn what_a_dead_process_left_is_cleared_by_the_next_command() {
    let jp = Jp::in_workspace();
    let id = answered(&jp);
    let (entry, socket) = Server::start(&jp, &id).die();
    assert!(entry.exists() && socket.exists());
    jp.run(&["c", "cat", &id, "0"]).ok();
    assert!(!entry.exists() && !socket.exists());
}
