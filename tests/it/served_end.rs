//! How a query in the background is ended while its tools run, and how others learn that it is over.

use std::{fs, path::PathBuf, process::Child};

use jp::env::Process;
use serde_json::json;

use crate::{
    attending::{HELD, did, events_of, let_go, scene, signal, wait_for_hold},
    serve::{detach, entry, slowly, socket, spawn, status, wait, wait_for_text, wait_until, works},
    support::{Jp, Output},
};

/// A query whose tool is held: its conversation, and the process of the tool.
fn held() -> (Jp, String, String) {
    let jp = scene(HELD);
    let id = detach(&jp, &[]);
    wait_for_hold(&jp);
    let tool = fs::read_to_string(jp.path("pid")).unwrap().trim().to_owned();
    assert!(is_there(&tool));
    (jp, id, tool)
}

/// Whether a process is alive, and not only waits for somebody who asks how it ended.
fn is_there(pid: &str) -> bool {
    Process::of(pid.parse().unwrap()).is_some()
}

#[test]
fn a_query_that_is_ended_while_a_tool_runs_ends_the_tool_and_says_so() {
    let (jp, id, tool) = held();
    let (path, pid) = (socket(&jp, &id), entry(&jp, &id).unwrap()["pid"].to_string());
    let killed = jp.run(&["c", "kill", &id]);
    let hint = format!("Hint: `jp resume {id}` goes on if its last turn is not complete\n");
    assert_eq!(
        (killed.code, killed.stdout, killed.stderr),
        (0, format!("{id}: process {pid} has ended\n"), hint)
    );
    assert!(!is_there(&tool) && !is_there(&pid));
    assert_eq!((entry(&jp, &id), path.exists()), (None, false));
    assert_eq!(status(&jp, &id), "interrupted (pending follow-up)");
    // It was stopped in the middle, which is known: nothing has to be asked.
    let results = events_of(&jp, &id, "tool-result");
    let told = "The tool `holds` was stopped because the query was cancelled. What it did until \
                then stays done. It printed nothing.";
    assert_eq!(results.len(), 1, "{results:?}");
    assert_eq!((&results[0]["is_error"], &results[0]["content"]), (&json!(true), &json!(told)));
    let resumed = jp.run(&["resume", &id]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (0, "Done.\n"), "{}", resumed.stderr);
    assert_eq!(did(&jp), ["holds"]);
    jp.assert_sound();
}

#[test]
fn a_query_that_is_ended_by_force_leaves_a_call_of_which_nobody_knows() {
    let (jp, id, tool) = held();
    works(&jp, &["c", "kill", "--force", &id]);
    wait_until(|| !is_there(&tool));
    assert_eq!((entry(&jp, &id), status(&jp, &id).as_str()), (None, PENDING_TOOL));
    let resumed = jp.run(&["resume", &id]);
    let unknown =
        "error: `holds` (call `call-1`) may have run already, and is not run again unasked\n";
    assert!(resumed.stderr.starts_with(unknown), "{}", resumed.stderr);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (1, ""));
    let resumed = jp.run(&["resume", &id, "--skip", "call-1"]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (0, "Done.\n"), "{}", resumed.stderr);
    assert_eq!(did(&jp), ["holds"]);
    jp.assert_sound();
}

const PENDING_TOOL: &str = "interrupted (pending tool execution)";

#[test]
fn a_server_that_does_not_move_is_ended_by_force_with_its_tools() {
    let (jp, id, tool) = held();
    signal(&jp, &id, "-STOP");
    works(&jp, &["c", "kill", "--force", &id]);
    wait_until(|| !is_there(&tool));
    assert_eq!((entry(&jp, &id), status(&jp, &id).as_str()), (None, PENDING_TOOL));
    jp.assert_sound();
}

/// Begins to wait for a query, and is connected to it.
fn waiter(jp: &Jp, id: &str) -> Child {
    let waiter = spawn(jp, &["c", "wait", id]);
    let is_socket = |path: PathBuf| {
        fs::read_link(path).is_ok_and(|to| to.to_string_lossy().starts_with("socket:"))
    };
    wait_until(|| {
        let open = fs::read_dir(format!("/proc/{}/fd", waiter.id())).unwrap();
        open.flatten().any(|entry| is_socket(entry.path()))
    });
    waiter
}

/// Whoever began to wait before the end is told this, with this code, and so is who comes after it;
/// why it failed is told only to the first.
#[track_caller]
fn assert_told(jp: &Jp, id: &str, waiter: Child, word: &str, code: i32, failure: &str) {
    let before = Output::from(waiter.wait_with_output().unwrap());
    let told = (code, format!("{id}: {word}\n"));
    assert_eq!(
        (before.code, before.stdout, before.stderr.as_str()),
        (told.0, told.1.clone(), failure)
    );
    let after = wait(jp, id);
    assert_eq!(((after.code, after.stdout), after.stderr.as_str()), (told, ""));
}

#[test]
fn whoever_waits_learns_the_same_before_the_end_and_after_it() {
    // Complete.
    let (jp, id, _) = held();
    let before = waiter(&jp, &id);
    let_go(&jp, "let go\n");
    assert_told(&jp, &id, before, "complete", 0, "");

    // Waiting for somebody: nobody comes, and then it is over.
    let jp =
        scene(&HELD.replace("text = \"Done.\"", "step = [{ call = \"one\", arguments = {} }]"));
    let id = detach(&jp, &["-c", "detached.patience=100ms"]);
    wait_for_hold(&jp);
    let before = waiter(&jp, &id);
    let_go(&jp, "let go\n");
    assert_told(&jp, &id, before, "waiting", 3, "");
    wait_until(|| entry(&jp, &id).is_none());
    assert_eq!(wait(&jp, &id).code, 3);

    // Failed.
    let failing = HELD.replace("text = \"Done.\"", "step = [{ error = \"refused\" }]");
    let jp = scene(&failing);
    let id = detach(&jp, &[]);
    wait_for_hold(&jp);
    let before = waiter(&jp, &id);
    let_go(&jp, "let go\n");
    let failure = "the request was refused, says the script\n";
    assert_told(&jp, &id, before, "interrupted", 1, failure);

    // Ended, and ended by force.
    for how in [&["c", "kill"][..], &["c", "kill", "--force"]] {
        let jp = slowly(100_000, 10);
        let id = detach(&jp, &[]);
        wait_for_text(&jp, &id);
        let before = waiter(&jp, &id);
        works(&jp, &[how, &[&id]].concat());
        assert_told(&jp, &id, before, "interrupted", 1, "");
    }
}
