//! What killed processes and closed terminals leave, cleared away at the end of each command.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Stdio},
};

use crate::{
    query::player,
    support::{Jp, Output, message, request},
};

/// A user whose workspace has a conversation, a lock file that nobody holds, and a session whose
/// conversation is gone.
struct Left {
    jp: Jp,
    id: String,
}

impl Left {
    fn new() -> Self {
        let jp = Jp::in_workspace();
        let id = jp.start(&[&request("Question\n")]);
        let left = Self { jp, id };
        fs::create_dir_all(left.session().parent().unwrap()).unwrap();
        left.leave();
        left
    }

    fn lock(&self) -> PathBuf {
        self.jp.store().join("locks/jp-c17.lock")
    }

    fn session(&self) -> PathBuf {
        let id = self.jp.git(&["config", "jp.id"]);
        let state = self.jp.world().join("data/jp/workspace").join(id.trim_end());
        state.join("sessions/jp_session-a-d0ac56aa544c3dc81cee8ddd34acb176.json")
    }

    fn leave(&self) {
        fs::write(self.lock(), "{\"pid\":1,\"acquired_at\":\"then\"}").unwrap();
        let history = "[{\"id\": \"jp-c17\", \"activated_at\": \"2026-01-31T12:00:00Z\"}]";
        let source = "{\"type\": \"env\", \"key\": \"JP_SESSION\"}";
        let mapping = format!("{{\"history\": {history}, \"source\": {source}}}");
        fs::write(self.session(), mapping).unwrap();
    }

    fn is_there(&self) -> (bool, bool) {
        (self.lock().exists(), self.session().exists())
    }
}

#[test]
fn every_command_on_conversations_clears_stale_locks_and_sessions() {
    let left = Left::new();
    let id = left.id.as_str();
    for args in [
        &["c", "ls"][..],
        &["c", "show", id],
        &["c", "print", id],
        &["c", "title", id, "Carrots"],
        &["c", "label", "ls"],
        &["store", "stats"],
        &["q", "--non-interactive", "--new", "Hello"],
    ] {
        left.leave();
        assert_eq!(left.jp.run(args).code, 0, "{args:?}");
        assert_eq!(left.is_there(), (false, false), "{args:?}");
    }
}

#[test]
fn a_command_that_fails_clears_too_and_fails_as_it_would() {
    let left = Left::new();
    let output = left.jp.run(&["c", "show", "jp-c99"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.starts_with("error: "), "{output:?}");
    assert_eq!(left.is_there(), (false, false));
}

#[test]
fn what_works_on_no_conversation_leaves_the_workspace_alone() {
    let left = Left::new();
    for args in [
        &["config", "show"][..],
        &["models"],
        &["tools", "ls"],
        &["c", "template", "request"],
        &["schema", "request"],
        &["completions", "bash"],
        &["reference"],
        &["store", "path"],
        &["--version"],
        &["--help"],
    ] {
        assert_eq!(left.jp.run(args).code, 0, "{args:?}");
        assert_eq!(left.is_there(), (true, true), "{args:?}");
    }
    left.jp.run(&["c", "no-such-command"]);
    let completed = left.jp.with_var("JP_COMPLETE", "fish");
    completed.run(&["--", "jp", "c", "show", ""]).ok();
    assert_eq!(left.is_there(), (true, true));
}

#[test]
fn clearing_that_fails_is_silent() {
    let left = Left::new();
    let (locks, session) = (left.lock(), left.session());
    for directory in [locks.parent().unwrap(), session.parent().unwrap()] {
        fs::remove_dir_all(directory).unwrap();
        fs::write(directory, "in the way").unwrap();
    }
    left.jp.run(&["c", "ls"]).ok();
    left.jp.run(&["c", "show", &left.id]).ok();
}

#[test]
fn a_living_query_keeps_its_lock_and_a_killed_one_does_not() {
    let jp = player("[[answer]]\nstep = [{ text = \"One.\" }, { delay = 600000 }]\n");
    let args = ["q", "--no-server", "--non-interactive", "--new", "--format", "json", "Go"];
    let mut command = jp.jp(&args);
    let mut query: Child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // Kept open: a query that nobody reads would stop.
    let mut answer = BufReader::new(query.stdout.take().unwrap());
    let mut line = String::new();
    answer.read_line(&mut line).unwrap();
    assert!(line.contains("\"request\""), "{line}");
    let locks = jp.store().join("locks");
    let count = || fs::read_dir(&locks).unwrap().count();
    jp.run(&["c", "ls"]).ok();
    assert_eq!(count(), 1);
    query.kill().unwrap();
    query.wait().unwrap();
    assert_eq!(count(), 1);
    jp.run(&["c", "ls"]).ok();
    assert_eq!(count(), 0);
}

const JP: &str = env!("CARGO_BIN_EXE_jp");

#[test]
fn processes_that_clear_take_no_lock_from_those_that_write() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.write("a.md", message("a\n"));
    let lock = jp.store().join(format!("locks/{id}.lock"));
    // Each leaves a lock file as a killed process would before it takes the lock.
    let append = format!(
        "for n in 1 2 3 4 5; do while :; do : >>'{}'; '{JP}' c append {id} a.md 2>said-$$; code=$?
         test $code = 75 || break; done; test $code = 0 || {{ cat said-$$ >&2; exit $code; }}; done",
        lock.display()
    );
    let clear = format!("while ! test -e over; do '{JP}' c ls >/dev/null || exit 1; done");
    let start = |script: &String| {
        let mut command = jp.command("sh");
        command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let clearing: Vec<_> = (0..2).map(|_| start(&clear)).collect();
    let writing: Vec<_> = (0..4).map(|_| start(&append)).collect();
    let output = |child: Child| Output::from(child.wait_with_output().unwrap());
    let said: Vec<_> = writing.into_iter().map(output).collect();
    jp.write("over", "");
    for output in clearing.into_iter().map(output).chain(said) {
        output.ok();
    }
    assert_eq!(jp.show(&id)["events"], 21);
    assert_eq!(jp.git(&["rev-list", "--count", &id]), "22\n");
    jp.assert_sound();
    assert!(!lock.exists());
}
