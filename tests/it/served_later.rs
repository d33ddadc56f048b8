//! What is left of a server: questions that outlive it, also by a reboot, and entries whose process
//! id belongs to somebody else by now.

use std::{
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use jp::env::{Life, Process};
use serde_json::json;

use crate::{
    attending::events_of,
    query::listed,
    running::plant,
    serve::{asking, detach, did, entry, status, wait, wait_until},
    support::{Jp, message, request},
};

/// A conversation whose server has lost its patience: its question is open.
fn left_open() -> (Jp, String) {
    let jp = asking();
    let id = detach(&jp, &["-c", "detached.patience=50ms"]);
    wait_until(|| entry(&jp, &id).is_none());
    assert_eq!((status(&jp, &id), did(&jp)), ("waiting-for-input (writes)".to_owned(), 0));
    (jp, id)
}

/// Asserts that the question was asked once and answered once, and the tool run so often.
#[track_caller]
fn is_answered(jp: &Jp, id: &str, ran: usize) {
    assert_eq!((status(jp, id), wait(jp, id).code, did(jp)), ("idle".to_owned(), 0, ran));
    let asked = events_of(jp, id, "inquiry-request");
    let answered = events_of(jp, id, "inquiry-response");
    assert_eq!((asked.len(), answered.len()), (1, 1), "{asked:?} {answered:?}");
    assert_eq!(asked[0]["id"], answered[0]["id"]);
    jp.assert_sound();
}

#[test]
fn a_question_that_outlived_its_server_is_answered_in_each_way() {
    let ways: [(&[&[&str]], usize); 5] = [
        (&[&["c", "answer", "ID", "run"], &["resume", "ID"]], 1),
        (&[&["c", "answer", "ID", "run"], &["q", "--continue-turn", "--id=ID"]], 1),
        (&[&["c", "answer", "ID", "run", "--resume"]], 1),
        (&[&["c", "answer", "ID", "refuse", "--resume"]], 0),
        (&[&["resume", "ID", "-c", "unattended.run=auto"]], 1),
    ];
    for (commands, ran) in ways {
        let (jp, id) = left_open();
        for command in commands {
            let command: Vec<_> = command.iter().map(|word| word.replace("ID", &id)).collect();
            let output = jp.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(output.code, 0, "{command:?}: {}", output.stderr);
        }
        is_answered(&jp, &id, ran);
    }
}

#[test]
fn a_question_that_outlived_its_server_goes_on_in_the_background() {
    let (jp, id) = left_open();
    let answered = jp.run(&["c", "answer", &id, "run"]);
    assert_eq!(answered.code, 0, "{}", answered.stderr);
    let resumed = jp.run(&["resume", "--detach", &id]);
    assert_eq!((resumed.code, resumed.stdout), (0, format!("{id}\n")), "{}", resumed.stderr);
    assert_eq!(wait(&jp, &id).code, 0);
    is_answered(&jp, &id, 1);
}

/// A process that has nothing to do with jp.
struct Stranger {
    child: Child,
    process: Process,
}

impl Stranger {
    fn start() -> Self {
        let child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let process = Process::of(child.id()).unwrap();
        Self { child, process }
    }

    /// Ends by itself, as only one can that was left alone.
    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success(), "somebody has ended it");
    }
}

/// A socket that nobody listens on any more, as a killed server leaves it.
fn dead_socket(jp: &Jp) -> PathBuf {
    let path = jp.world().join("dead.sock");
    drop(UnixListener::bind(&path).unwrap());
    path
}

/// What a process left that had this number and began at another time, or before the last reboot.
fn left_by(jp: &Jp, id: &str, process: &Process) -> [PathBuf; 2] {
    let socket = dead_socket(jp);
    [plant(jp, id, process, &socket), socket]
}

fn earlier(process: &Process) -> Process {
    Process { started: process.started - 1, ..process.clone() }
}

/// The same numbers, in another run of the system.
fn before_a_reboot(process: &Process) -> Process {
    let (_, namespace) = process.realm.split_once(' ').unwrap();
    let realm = format!("11111111-2222-3333-4444-555555555555 {namespace}");
    Process { realm, ..process.clone() }
}

fn none_is_left(left: &[PathBuf]) {
    assert!(!left.iter().any(|path| Path::exists(path)), "{left:?}");
}

#[test]
fn whoever_has_the_number_of_a_dead_server_is_never_ended_for_it() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    for known_as in [earlier, before_a_reboot] {
        for args in [&["c", "kill", "ID"][..], &["c", "kill", "--force", "ID"]] {
            let stranger = Stranger::start();
            let left = left_by(&jp, &id, &known_as(&stranger.process));
            let args: Vec<_> = args.iter().map(|word| word.replace("ID", &id)).collect();
            jp.run(&args.iter().map(String::as_str).collect::<Vec<_>>()).fails(
                1,
                &format!(
                    "error: no process is running for {id}\n\
                     Hint: `jp conversation show {id}` tells how far it is\n"
                ),
            );
            none_is_left(&left);
            stranger.end();
        }
    }
    // The same entry is believed if it is right, and then its process is ended.
    let mut served = Stranger::start();
    let [entry, _] = left_by(&jp, &id, &served.process);
    let killed = jp.run(&["c", "kill", "--force", &id]);
    assert_eq!(killed.code, 0, "{}", killed.stderr);
    assert!(!served.child.wait().unwrap().success() && !entry.exists());
}

#[test]
fn after_a_reboot_a_question_is_still_open_and_nobody_is_taken_for_its_server() {
    for command in [&["c", "ls"][..], &["c", "show", "ID"], &["c", "attach", "ID"]] {
        let (jp, id) = left_open();
        let stranger = Stranger::start();
        let left = left_by(&jp, &id, &before_a_reboot(&stranger.process));
        let command: Vec<_> = command.iter().map(|word| word.replace("ID", &id)).collect();
        let output = jp.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
        match command[1].as_str() {
            "attach" => output.fails(
                1,
                &format!(
                    "error: no process is running for {id}\n\
                     Hint: `jp resume {id}` goes on with its last turn\n"
                ),
            ),
            _ => assert!(output.ok().contains("waiting-for-input (writes)")),
        }
        none_is_left(&left);
        let row = &listed(&jp)[0];
        assert_eq!(
            (&row["status"], &row["process"]),
            (&json!("waiting-for-input (writes)"), &json!(null))
        );
        let answered = jp.run(&["c", "answer", &id, "run", "--resume"]);
        let said = (answered.code, answered.stdout.as_str());
        assert_eq!(said, (0, "Done.\n"), "{}", answered.stderr);
        is_answered(&jp, &id, 1);
        stranger.end();
    }
}

#[test]
fn after_a_reboot_a_turn_goes_on_beside_what_the_last_server_left() {
    // Nobody has looked in between: whoever goes on registers in the same place.
    let (jp, id) = left_open();
    let stranger = Stranger::start();
    let process = before_a_reboot(&stranger.process);
    for args in [["c", "answer", &id, "run"].as_slice(), &["resume", "--detach", &id]] {
        let left = left_by(&jp, &id, &process);
        let output = jp.run(args);
        assert_eq!(output.code, 0, "{args:?}: {}", output.stderr);
        assert_eq!(wait(&jp, &id).code, i32::from(args[0] == "c"), "{args:?}");
        wait_until(|| entry(&jp, &id).is_none());
        none_is_left(&left);
    }
    is_answered(&jp, &id, 1);
    stranger.end();
}

#[test]
fn a_process_lives_until_its_last_thread_has_ended() {
    let mut command = Command::new(crate::support::helper("leaderless"));
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let stat = || std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    wait_until(|| stat().contains(") Z "));
    let process = Process::of(child.id()).expect("it has its files and locks until then");
    assert_eq!(process.life(), Life::Alive);
    drop(child.stdin.take());
    child.wait().unwrap();
    assert_eq!(process.life(), Life::Dead);
}
