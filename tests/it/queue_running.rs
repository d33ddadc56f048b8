//! Follow-ups of a query that runs: it is the query that changes its queue, and what it has not asked
//! is never asked, or is asked as it was changed.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::net::{UnixListener, UnixStream},
    thread,
};

use serde_json::{Value, json};

use crate::{
    attending::{HELD, let_go, scene, signal, wait_for_hold},
    fake_editor::FakeEditor,
    queue::{questions, queue},
    serve::{detach, entry, socket, spawn, status, wait, wait_until},
    support::{Jp, Output},
};

/// A query whose tool is held, and that answers so many follow-ups.
fn held(answers: usize) -> (Jp, String) {
    let more: String = (0..answers).map(|_| "\n[[answer]]\ntext = \"More.\"\n").collect();
    let jp = scene(&format!("{HELD}{more}"));
    let id = detach(&jp, &[]);
    wait_for_hold(&jp);
    (jp, id)
}

fn send(jp: &Jp, id: &str, text: &str) -> Value {
    jp.run(&["c", "send", id, text, "--format", "json"]).json()
}

fn change(jp: &Jp, id: &str, args: &[&str]) -> Output {
    jp.run(&[&["c", "queue", id][..], args].concat())
}

#[test]
fn what_is_dropped_is_never_asked_and_what_is_changed_is_asked_as_it_was_changed() {
    let (jp, id) = held(2);
    for (number, text) in ["One?", "Two?", "Three?"].into_iter().enumerate() {
        let sent = send(&jp, &id, text);
        let inverse = format!("jp conversation queue {id} --drop {number}");
        assert_eq!((&sent["address"], &sent["inverse"]), (&json!(number), &json!(inverse)));
    }
    let before = jp.tip(&id);
    let dropped = change(&jp, &id, &["--drop", "1"]);
    let way_back = |commit: &str, file: &str| {
        let commit = &commit[..10];
        format!("Hint: `jp git show {commit}:.conversation/queue/{file}` prints what it said\n")
    };
    assert_eq!(
        (dropped.code, dropped.stdout, dropped.stderr),
        (
            0,
            format!("{id}: 001-request.md is not queued any more\n"),
            way_back(&before, "001-request.md")
        )
    );
    let text = jp.run(&["git", "show", &format!("{before}:.conversation/queue/001-request.md")]);
    assert!(text.ok().ends_with("\nTwo?\n"));
    let before = jp.tip(&id);
    let changed = change(&jp, &id, &["--edit", "2", "--text", "Third?"]);
    assert_eq!(
        (changed.code, changed.stdout, changed.stderr),
        (0, format!("{id}: 002-request.md is changed\n"), way_back(&before, "002-request.md"))
    );
    let editor = FakeEditor::new(&jp).change("query.md", "One?", "First?");
    let edited = editor.edits(&jp, &["c", "queue", &id, "--edit", "0", "--format", "json"]).json();
    assert_eq!((&edited["commit"], &edited["inverse"]), (&json!(jp.tip(&id)), &Value::Null));
    assert_eq!(queue(&jp, &id), json!([[0, "First?"], [2, "Third?"]]));
    // What was done to the queue is on disk, and the turn goes on as if nothing had been.
    assert!(status(&jp, &id).starts_with("running (pid "));
    let_go(&jp, "let go\n");
    assert_eq!(wait(&jp, &id).code, 0);
    assert_eq!(questions(&jp, &id), ["Go", "First?", "Third?"]);
    jp.assert_sound();
}

#[test]
fn what_was_asked_or_changed_meanwhile_is_not_changed_and_nothing_typed_is_lost() {
    // While the editor is open, somebody else changes the follow-up, or drops it.
    for (args, why) in [
        (&["--edit", "0", "--text", "Other?"][..], "`000-request.md` was changed meanwhile"),
        (&["--drop", "0"], "`0` is not queued any more: it was asked or taken out"),
    ] {
        let (jp, id) = held(1);
        send(&jp, &id, "One?");
        let other = jp.jp(&[&["c", "queue", &id][..], args].concat());
        let editor = FakeEditor::new(&jp).run(&other);
        let editor = editor.change("query.md", "One?", "What I wrote");
        let failed = editor.edits(&jp, &["c", "queue", &id, "--edit", "0"]);
        assert_eq!(failed.code, 1, "{}", failed.stderr);
        let told = failed.stderr.split("error: ").last().unwrap();
        assert!(told.contains(why), "{told}");
        let (_, kept) = told.split_once("what you wrote is in `").unwrap();
        let kept = fs::read_to_string(kept.split('`').next().unwrap()).unwrap();
        assert!(kept.contains("What I wrote"), "{kept}");
        let_go(&jp, "let go\n");
        assert_eq!(wait(&jp, &id).code, 0);
        let asked = questions(&jp, &id);
        assert!(!asked.iter().any(|question| question == "What I wrote"), "{asked:?}");
        jp.assert_sound();
    }
}

#[test]
fn nobody_else_gets_between_two_follow_ups_and_the_end_of_a_query_ends_them_all() {
    let (jp, id) = held(2);
    send(&jp, &id, "One?");
    send(&jp, &id, "Two?");
    // Somebody waits for the lock all the time, and gets it when the queue is empty.
    let patient = jp.with_var("JP_LOCK_DURATION", "1m");
    let titling = spawn(&patient, &["c", "edit", &id, "--title=Late"]);
    let_go(&jp, "let go\n");
    assert_eq!(wait(&jp, &id).code, 0);
    let titled = Output::from(titling.wait_with_output().unwrap());
    assert_eq!(titled.code, 0, "{}", titled.stderr);
    assert_eq!(questions(&jp, &id), ["Go", "One?", "Two?"]);
    let subjects = jp.git(&["log", "--format=%s", &id]);
    assert!(subjects.lines().next().unwrap().contains("title"), "{subjects}");
    assert_eq!(subjects.matches("title").count(), 1, "{subjects}");

    // Whoever ends the query in the middle of its first turn finds all that waits still waiting.
    let (jp, id) = held(2);
    send(&jp, &id, "One?");
    signal(&jp, &id, "-TERM");
    wait_until(|| !status(&jp, &id).starts_with("running"));
    assert_eq!(queue(&jp, &id), json!([[0, "One?"]]));
    jp.assert_sound();
}

/// Stands between a server and the next client of it: what the client says is handed on, and what
/// the server answers is not.
fn swallow_answer(jp: &Jp, id: &str, then: impl FnOnce() + Send + 'static) {
    let path = socket(jp, id);
    let moved = path.with_extension("moved");
    fs::rename(&path, &moved).unwrap();
    let listener = UnixListener::bind(&path).unwrap();
    thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        let mut server = UnixStream::connect(moved).unwrap();
        let mut lines = BufReader::new(client.try_clone().unwrap()).lines();
        for _ in ["hello", "what it has to say"] {
            writeln!(server, "{}", lines.next().unwrap().unwrap()).unwrap();
        }
        let answer = BufReader::new(server).lines().next().unwrap().unwrap();
        assert_eq!(answer, "{\"type\":\"queued\",\"number\":0}");
        then();
        drop(client);
    });
}

#[test]
fn a_follow_up_is_queued_once_if_the_server_dies_before_it_can_say_so() {
    let (jp, id) = held(1);
    let mut kill = jp.command("kill");
    kill.args(["-KILL", &entry(&jp, &id).unwrap()["pid"].to_string()]);
    swallow_answer(&jp, &id, move || assert!(kill.status().unwrap().success()));
    let sent = send(&jp, &id, "One?");
    assert_eq!(sent["address"], json!(0));
    assert_eq!(queue(&jp, &id), json!([[0, "One?"]]));
    jp.assert_sound();
}

#[test]
fn whoever_is_cut_off_by_a_server_tries_again_and_says_nothing_twice() {
    let (jp, id) = held(1);
    let path = socket(&jp, &id);
    let moved = path.with_extension("moved");
    fs::rename(&path, &moved).unwrap();
    let listener = UnixListener::bind(&path).unwrap();
    let closing = thread::spawn(move || {
        drop(listener.accept().unwrap());
        fs::rename(moved, path).unwrap();
    });
    assert_eq!(send(&jp, &id, "One?")["address"], json!(0));
    closing.join().unwrap();
    assert_eq!(queue(&jp, &id), json!([[0, "One?"]]));
    let_go(&jp, "let go\n");
    assert_eq!(wait(&jp, &id).code, 0);
    assert_eq!(questions(&jp, &id), ["Go", "One?"]);
}
