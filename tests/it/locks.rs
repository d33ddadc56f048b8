//! Locks that are waited for: which commands wait and which do not, what is told, and how it ends.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::{
    checkout::{change, checked_out},
    query::{ask, files, only, player},
    support::{Jp, Output, message, request},
};

const JP: &str = env!("CARGO_BIN_EXE_jp");

/// Two turns, and an answer for whoever asks more.
fn talk() -> (Jp, String) {
    let jp = player("[[answer]]\ntext = \"Yes.\"\n");
    let events = [request("One\n"), message("First\n"), request("Two\n"), message("Second\n")];
    let id = jp.start(&events.each_ref().map(String::as_str));
    (jp, id)
}

/// Holds the lock of a conversation as process 4242 of the session `desk`, until it is dropped.
fn hold(jp: &Jp, id: &str) -> File {
    let holder = r#"{"pid":4242,"session":"desk","acquired_at":"2026-11-03T10:00:00Z"}"#;
    hold_saying(jp, id, holder)
}

/// Holds the lock of a conversation with a file that says this.
fn hold_saying(jp: &Jp, id: &str, text: &str) -> File {
    let path = jp.store().join(format!("locks/{id}.lock"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    let file = File::options().read(true).write(true).open(&path).unwrap();
    file.lock().unwrap();
    file
}

/// jp without a terminal, wherever the tests are run.
fn alone(jp: &Jp, args: &[&str]) -> Command {
    let mut command = jp.command("setsid");
    command.arg(JP).args(args);
    command
}

fn run_alone(jp: &Jp, args: &[&str]) -> Output {
    Output::of(&mut alone(jp, args))
}

fn notice(id: &str) -> String {
    format!("Waiting for the lock on conversation {id} (held by pid 4242, session desk)…")
}

/// A command that waits, and has said so.
struct Waiter {
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
    said: String,
}

impl Waiter {
    fn start(jp: &Jp, args: &[&str]) -> Self {
        let mut command = alone(jp, args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains("Waiting for the lock") {
            assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{args:?} did not wait: {said}");
        }
        Self { child, stderr, said }
    }

    fn signal(&self, jp: &Jp, signal: &str) {
        let mut kill = jp.command("kill");
        Output::of(kill.args([signal, &self.child.id().to_string()])).ok();
    }

    fn end(mut self) -> Output {
        let mut stderr = String::new();
        self.stderr.read_to_string(&mut stderr).unwrap();
        let ended = Output::from(self.child.wait_with_output().unwrap());
        Output { stderr: self.said + &stderr, ..ended }
    }
}

/// Asserts that a command waits while the lock is held, and works when it is free.
#[track_caller]
fn assert_waits(jp: &Jp, id: &str, args: &[&str]) -> Output {
    let held = hold(jp, id);
    let waiter = Waiter::start(jp, args);
    assert!(waiter.said.ends_with(&format!("{}\n", notice(id))), "{}", waiter.said);
    drop(held);
    let output = waiter.end();
    assert_eq!(output.code, 0, "{args:?}: {}", output.stderr);
    assert_eq!(output.stderr.matches("Waiting").count(), 1, "{}", output.stderr);
    assert!(!jp.store().join(format!("locks/{id}.lock")).exists(), "{args:?} left the lock");
    output
}

/// Asserts that a command works while the lock is held.
#[track_caller]
fn assert_does_not_wait(jp: &Jp, id: &str, args: &[&str]) -> Output {
    let _held = hold(jp, id);
    let output = run_alone(jp, args);
    assert_eq!(output.code, 0, "{args:?}: {}", output.stderr);
    assert!(!output.stderr.contains("Waiting"), "{}", output.stderr);
    output
}

#[test]
fn query_waits_for_the_lock() {
    let (jp, id) = talk();
    let output = assert_waits(&jp, &id, &["q", &format!("--id={id}"), "Three"]);
    assert_eq!(output.stdout, "Yes.\n");
    assert_eq!(files(&jp, &id).len(), 6);
}

#[test]
fn rm_waits_for_the_lock() {
    let (jp, id) = talk();
    assert_waits(&jp, &id, &["c", "rm", &id]);
    assert_waits(&jp, &id, &["c", "restore", &id]);
    assert_eq!(only(&jp), id);
}

#[test]
fn edit_waits_for_the_lock() {
    let (jp, id) = talk();
    assert_waits(&jp, &id, &["c", "edit", &id, "--title=Another"]);
    assert_eq!(jp.show(&id)["title"], "Another");
    let jp = jp.with_var("JP_EDITOR", "sed -i s/First/Erste/");
    assert_waits(&jp, &id, &["c", "edit", &id, "1"]);
    assert_eq!(jp.run(&["c", "cat", &id, "1"]).ok().lines().last(), Some("Erste"));
}

#[test]
fn show_does_not_wait_for_the_lock() {
    let (jp, id) = talk();
    assert_does_not_wait(&jp, &id, &["c", "show", &id]);
}

#[test]
fn ls_does_not_wait_for_the_lock() {
    let (jp, id) = talk();
    assert_does_not_wait(&jp, &id, &["c", "ls"]);
}

#[test]
fn fork_does_not_wait_for_the_lock_of_its_source() {
    let (jp, id) = talk();
    let held = hold(&jp, &id);
    for args in [&["c", "fork", &id][..], &["c", "fork", &id, "--last", "1"]] {
        let output = run_alone(&jp, args);
        assert_eq!(output.code, 0, "{}", output.stderr);
        let fork = output.stdout.trim_end();
        // The lock of the source says nothing about the fork.
        assert_eq!(run_alone(&jp, &["c", "title", fork, "Mine"]).code, 0);
    }
    drop(held);
}

#[test]
fn print_does_not_wait_for_the_lock() {
    let (jp, id) = talk();
    assert_does_not_wait(&jp, &id, &["c", "print", &id]);
}

#[test]
fn grep_does_not_wait_for_the_lock() {
    let (jp, id) = talk();
    let found = assert_does_not_wait(&jp, &id, &["c", "grep", ".", &id]);
    assert!(!found.stdout.is_empty());
}

#[test]
fn use_does_not_wait_for_the_lock() {
    let (jp, id) = talk();
    assert_does_not_wait(&jp.with_var("JP_SESSION", "another"), &id, &["c", "use", &id]);
}

#[test]
fn nothing_that_only_reads_waits_for_the_lock() {
    let (jp, id) = talk();
    let output = jp.path("exported.md");
    let export = format!("--output={}", output.display());
    for args in [
        &["log", &id][..],
        &["diff", &id],
        &["cat", &id, "1"],
        &["blame", &id, "1"],
        &["export", &id],
        &["export", &id, &export],
        &["export", &id, "--dir", "there"],
        &["fsck", &id],
        &["label", "ls", &id],
        &["title", &id],
        &["checkout", &id, "checkout"],
    ] {
        assert_does_not_wait(&jp, &id, &[&["c"], args].concat());
    }
}

#[test]
fn everything_that_changes_a_conversation_waits_for_the_lock() {
    let (jp, id) = talk();
    jp.write("more.md", request("More\n"));
    let other = jp.start(&[&request("Other\n"), &message("Turn\n")]);
    let picked = format!("{other}:0");
    let first = jp.tip(&id);
    for args in [
        &["append", &id, "more.md"][..],
        &["undo", &id],
        &["redo", &id],
        &["undo", &id],
        &["title", &id, "New"],
        &["label", "add", &id, "a=b"],
        &["label", "rm", &id, "a"],
        &["fsck", "--repair", &id],
        &["pick", &picked, "--into", &id],
        &["move", &id, "--turns", "2", "--before", "0"],
        &["drop", &id, "--turns", "0"],
        &["insert", &id, "more.md"],
        &["restore", &id, "--at", &first],
        &["compact", &id, "--reasoning"],
        &["archive", &id],
        &["unarchive", &id],
    ] {
        assert_waits(&jp, &id, &[&["c"], args].concat());
    }
    jp.assert_sound();
}

#[test]
fn a_commit_of_a_checkout_waits_for_the_lock() {
    let (jp, id) = checked_out();
    change(&jp, "co/000-request.md", "One", "Uno");
    let output = assert_waits(&jp, &id, &["c", "commit", "co"]);
    assert_eq!(output.stdout, "edited   000-request.md\n");
}

#[test]
fn emptying_the_trash_waits_for_the_lock() {
    let (jp, id) = talk();
    assert_eq!(jp.run(&["c", "rm", &id]).code, 0);
    let args = ["store", "empty-trash", "--older-than", "0", "--yes"];
    assert!(assert_waits(&jp, &id, &args).stdout.ends_with("1 deleted\n"));
}

#[test]
fn a_query_that_is_not_kept_takes_no_lock_and_reads_one_state_while_others_write() {
    let (jp, id) = talk();
    let named = format!("--id={id}");
    let query = ["q", "--no-persist", &named, "Three"];
    let tip = jp.tip(&id);
    assert_eq!(assert_does_not_wait(&jp, &id, &query).stdout, "Yes.\n");
    assert_eq!(jp.tip(&id), tip);

    jp.write("more.md", message("More\n"));
    let script = format!("for n in $(seq 40); do '{JP}' c append {id} more.md || exit; done");
    let mut writer = jp.command("sh");
    let mut writer = writer.args(["-c", &script]).stdout(Stdio::null()).spawn().unwrap();
    let mut asked = 0;
    while writer.try_wait().unwrap().is_none() {
        let output = run_alone(&jp, &query);
        let said = (output.code, output.stdout.as_str(), output.stderr.contains("warning"));
        assert_eq!(said, (0, "Yes.\n", false), "{}", output.stderr);
        asked += 1;
    }
    assert!(writer.wait().unwrap().success() && asked > 0, "{asked}");
    assert_eq!(jp.show(&id)["events"], 44);
}

#[test]
fn a_new_query_never_waits() {
    let (jp, id) = talk();
    assert_does_not_wait(&jp, &id, &["q", "--new", "Something else"]);
}

#[test]
fn a_lock_that_is_free_again_soon_is_not_worth_a_word() {
    let (jp, id) = talk();
    jp.write("more.md", message("More\n"));
    // Each of them is in the way of the others for some milliseconds.
    let script = format!("for n in 1 2 3 4 5; do '{JP}' c append {id} more.md || exit; done");
    let spawn = |_| {
        let mut command = jp.command("setsid");
        command.args(["sh", "-c", &script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let writers: Vec<Child> = (0..2).map(spawn).collect();
    for writer in writers {
        assert_eq!(Output::from(writer.wait_with_output().unwrap()).code, 0);
    }
    assert_eq!(jp.show(&id)["events"], 14);
}

#[test]
fn a_time_that_is_over_is_an_error_that_says_who_has_the_lock() {
    let (jp, id) = talk();
    let tip = jp.tip(&id);
    let _held = hold(&jp, &id);
    let begun = Instant::now();
    let output = run_alone(&jp.with_var("JP_LOCK_DURATION", "200ms"), &["c", "undo", &id]);
    assert!(begun.elapsed() >= Duration::from_millis(200));
    output.fails(
        75,
        &format!(
            "error: conversation {id} is still locked after 200ms (held by pid 4242, session desk, since 2026-11-03T10:00:00Z)\n\
             Hint: `ps -p 4242` shows the process that has it\n\
             Hint: `JP_LOCK_DURATION=5m jp …` waits longer for it [default: 30s]\n"
        ),
    );
    let output = Waiter::start(&jp.with_var("JP_LOCK_DURATION", "2s"), &["c", "undo", &id]).end();
    assert_eq!(output.code, 75);
    let lines: Vec<_> = output.stderr.lines().collect();
    assert_eq!((lines[0], lines.len()), (notice(&id).as_str(), 4));
    assert!(lines[1].contains("is still locked after 2s"), "{}", output.stderr);
    assert_eq!(jp.tip(&id), tip);
}

#[test]
fn a_query_whose_time_is_over_says_where_else_to_go() {
    let (jp, id) = talk();
    let _held = hold(&jp, &id);
    let jp = jp.with_var("JP_LOCK_DURATION", "10ms");
    ask(&jp, &[&format!("--id={id}"), "Three"]).fails(
        75,
        &format!(
            "error: conversation {id} is still locked after 10ms (held by pid 4242, session desk, since 2026-11-03T10:00:00Z)\n\
             Hint: `ps -p 4242` shows the process that has it\n\
             Hint: `JP_LOCK_DURATION=5m jp …` waits longer for it [default: 30s]\n\
             Hint: `jp query --id \"…\"` lets you choose another conversation\n\
             Hint: `jp query --id=ID \"…\"` continues the one that you name\n\
             Hint: `jp query --id=last \"…\"` continues the one that was used last\n\
             Hint: `jp query --new \"…\"` begins a new one\n\
             Hint: `jp query --fork --id={id} \"…\"` goes on in a fork of this one\n"
        ),
    );
}

#[test]
fn without_patience_nobody_waits() {
    let (jp, id) = talk();
    let _held = hold(&jp, &id);
    for none in ["0", "0s"] {
        let output = run_alone(&jp.with_var("JP_LOCK_DURATION", none), &["c", "rm", &id]);
        assert_eq!((output.code, output.stdout.as_str()), (75, ""));
        let head = format!("error: conversation {id} is locked (held by pid 4242, session desk, ");
        assert!(output.stderr.starts_with(&head), "{}", output.stderr);
    }
}

#[test]
fn a_time_that_is_none_is_a_mistake_whether_or_not_anybody_waits() {
    let (jp, id) = talk();
    for value in ["soon", "10", "-1s", "PT5S", "\u{1b}[2J"] {
        let shown = value.escape_debug();
        run_alone(&jp.with_var("JP_LOCK_DURATION", value), &["c", "undo", &id]).fails(
            2,
            &format!(
                "error: `JP_LOCK_DURATION` is `{shown}`, which is not a time to wait\n\
                 Hint: write it as `10s`, `2m`, `1h`, `500ms` or `1m 30s`; `0` does not wait at all\n"
            ),
        );
    }
}

#[test]
fn what_a_lock_says_of_its_holder_is_harmless() {
    let (jp, id) = talk();
    let evil = r#"{"pid":1,"session":"\u001b[2J\nerror: no\u202e","acquired_at":"\u001b]0;x"}"#;
    let long = format!(r#"{{"pid":1,"session":"{}","acquired_at":""}}"#, "x".repeat(3000));
    let impatient = jp.with_var("JP_LOCK_DURATION", "0");
    for (text, told) in [
        (evil, "(held by pid 1, session \\u{1b}[2J\\nerror: no\\u{202e})…\n"),
        ("garbage", "(held by another process)…\n"),
        ("", "(held by another process)…\n"),
        (long.as_str(), "xxxxxxxx…)…\n"),
    ] {
        let _held = hold_saying(&jp, &id, text);
        let waiter = Waiter::start(&jp, &["c", "undo", &id]);
        assert!(waiter.said.ends_with(told), "{:?}", waiter.said);
        waiter.signal(&jp, "-INT");
        let (waited, refused) = (waiter.end(), run_alone(&impatient, &["c", "undo", &id]));
        assert_eq!((waited.code, refused.code), (130, 75));
        let harmless = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
        for said in [&waited.stderr, &refused.stderr] {
            assert!(said.chars().all(harmless), "{said:?}");
        }
        let errors = refused.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!(errors, 1, "{}", refused.stderr);
    }
}

#[test]
fn an_interrupt_ends_the_wait_at_once_and_changes_nothing() {
    let (jp, id) = talk();
    let (tip, named) = (jp.tip(&id), format!("--id={id}"));
    let _held = hold(&jp, &id);
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        for args in [&["c", "rm", &id][..], &["q", &named, "Three"]] {
            let waiter = Waiter::start(&jp, args);
            let begun = Instant::now();
            waiter.signal(&jp, signal);
            let output = waiter.end();
            assert_eq!((output.code, output.stdout.as_str()), (code, ""), "{}", output.stderr);
            assert!(begun.elapsed() < Duration::from_secs(10));
        }
    }
    assert_eq!((jp.tip(&id), only(&jp)), (tip, id));
}

/// A query that has the lock of a new conversation and never ends by itself.
fn endless() -> (Jp, Child, String) {
    let jp = player(
        "[[answer]]\nwhen = \"begin\"\nstep = [{ delay = 600000 }, { text = \"Never.\" }]\n\
         [[answer]]\ntext = \"Yes.\"\n",
    );
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    let mut query = alone(&jp, &["q", "--no-server", &format!("--id={id}"), "begin"]);
    let query = query.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while jp.show(&id)["events"] != 3 {
        std::thread::yield_now();
    }
    (jp, query, id)
}

#[test]
fn a_lock_never_outlives_its_holder() {
    let (jp, mut query, id) = endless();
    let said = fs::read_to_string(jp.store().join(format!("locks/{id}.lock"))).unwrap();
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["pid"], &said["session"]), (&query.id().into(), &"one".into()));
    assert_eq!(said["doing"], "query", "so that somebody can be offered to look on");
    let waiter = Waiter::start(&jp, &["c", "title", &id, "Mine"]);
    let held_by = format!("held by pid {}, session one)…\n", query.id());
    assert!(waiter.said.ends_with(&held_by), "{}", waiter.said);
    query.kill().unwrap();
    let begun = Instant::now();
    query.wait().unwrap();
    let output = waiter.end();
    assert_eq!(output.code, 0, "{}", output.stderr);
    // One pause of a quarter of a second, and the work of a busy machine.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(jp.show(&id)["title"], "Mine");
}

#[test]
fn a_lock_whose_file_was_removed_by_hand_leaves_that_of_the_next_alone() {
    let (jp, mut query, id) = endless();
    let path = jp.store().join(format!("locks/{id}.lock"));
    fs::remove_file(&path).unwrap();
    let held = hold(&jp, &id);
    query.kill().unwrap();
    query.wait().unwrap();
    assert!(path.exists(), "it is another's by now");
    let output = run_alone(&jp.with_var("JP_LOCK_DURATION", "0"), &["c", "title", &id, "Mine"]);
    assert_eq!(output.code, 75, "{}", output.stderr);
    // And whoever waits for a file that is replaced gets the one that is there in the end.
    let waiter = Waiter::start(&jp, &["c", "title", &id, "Mine"]);
    fs::remove_file(&path).unwrap();
    drop(held);
    assert_eq!(waiter.end().code, 0);
}

#[test]
fn what_was_put_away_while_somebody_waited_is_not_changed() {
    let (jp, id) = talk();
    let held = hold(&jp, &id);
    let (title, rm) =
        (Waiter::start(&jp, &["c", "title", &id, "Mine"]), Waiter::start(&jp, &["c", "rm", &id]));
    // What the holder does before it lets go.
    let tip = jp.tip(&id);
    jp.git(&["update-ref", &format!("refs/archive/{id}"), &tip]);
    jp.git(&["update-ref", "-d", &format!("refs/heads/{id}")]);
    drop(held);
    let output = title.end();
    assert_eq!(output.code, 1, "{}", output.stderr);
    let put_away = ["is archived", "is in the trash"].map(|place| format!("{id} {place}\n"));
    assert!(put_away.iter().any(|told| output.stderr.contains(told)), "{}", output.stderr);
    let output = rm.end();
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.stdout, format!("{id} is in the trash now\n"));
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_file_system_without_locks_is_refused_at_once() {
    use crate::support::Interruption;
    const ENOLCK: i32 = 37;
    let (jp, id) = talk();
    let program = [JP, "c", "title", id.as_str(), "Mine"];
    let calls = jp.calls(&program);
    let is_lock =
        |call: &&String| call.starts_with("flock ") && call.ends_with(&format!("{id}.lock"));
    let at = 1 + calls.iter().position(|call| is_lock(&call)).unwrap();
    let tip = jp.tip(&id);
    let report = jp.world().join("calls");
    let begun = Instant::now();
    let output = Output::of(&mut jp.interrupted(Interruption::Fail(at, ENOLCK), &report, &program));
    assert!(begun.elapsed() < Duration::from_secs(20), "nobody waits for what will not come");
    let path = jp.store().join(format!("locks/{id}.lock"));
    output.fails(
        1,
        &format!(
            "error: cannot lock `{}`: the file system does not support locks\n",
            path.display()
        ),
    );
    assert_eq!(jp.tip(&id), tip);
}

/// The functions of a file, each with its signature and its body.
fn functions(text: &str) -> Vec<(&str, &str)> {
    let starts: Vec<_> = text.match_indices("fn ").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let all = starts.iter().zip(ends).map(|(start, end)| &text[*start..end]);
    all.filter_map(|function| function.split_once(" {\n")).collect()
}

#[test]
fn whatever_writes_a_conversation_has_its_lock_by_type() {
    const WRITERS: [&str; 5] = ["write(", "move_to(", "forget(", "branch(", "clear_others("];
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/workspace");
    let mut found = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for (signature, body) in functions(&text) {
            if !WRITERS.iter().any(|writer| body.contains(&format!("self.store.{writer}"))) {
                continue;
            }
            found += 1;
            let proof = ["Guard", "Hold", "Lock"].iter().any(|proof| signature.contains(proof));
            // A conversation that begins is locked before it is there.
            assert!(proof || body.contains("self.begin(|lock, id|"), "{signature}");
        }
    }
    assert!(found >= 8, "{found}");
}
