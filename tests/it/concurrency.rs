//! Many processes at once: nothing is lost, and nobody waits in silence.

use std::{collections::BTreeSet, process::Child};

use crate::support::{Jp, Output, message, request};

/// Runs a shell script several times at once and returns what each printed.
fn at_once(jp: &Jp, count: usize, script: impl Fn(usize) -> String) -> Vec<Output> {
    let spawn = |index: usize| {
        let mut command = jp.command("sh");
        command.args(["-c", &script(index)]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let children: Vec<Child> = (0..count).map(spawn).collect();
    children.into_iter().map(|child| Output::from(child.wait_with_output().unwrap())).collect()
}

const JP: &str = env!("CARGO_BIN_EXE_jp");

/// Appends a file three times, again and again while the conversation is locked.
fn three_appends(id: &str, file: &str) -> String {
    format!(
        "for n in 1 2 3; do while :; do '{JP}' c append {id} {file} 2>said-$$; code=$?
         test $code = 75 || break; done; test $code = 0 || {{ cat said-$$ >&2; exit $code; }}; done"
    )
}

#[test]
fn eight_processes_append_to_one_conversation_and_nothing_is_lost() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    for writer in 0..8 {
        jp.write(&format!("{writer}.md"), message(&format!("writer {writer}\n")));
    }
    let outputs = at_once(&jp, 8, |writer| three_appends(&id, &format!("{writer}.md")));
    let mut addresses = BTreeSet::new();
    for (writer, output) in outputs.into_iter().enumerate() {
        let said = output.ok();
        assert_eq!(said.lines().count(), 3);
        for line in said.lines() {
            let address = line.split(' ').nth(1).unwrap().to_owned();
            let cat = jp.run(&["c", "cat", &id, &address]).ok();
            assert_eq!(cat, message(&format!("writer {writer}\n")));
            assert!(addresses.insert(address));
        }
    }
    assert_eq!(addresses.len(), 24);
    assert_eq!(jp.show(&id)["events"], 25);
    assert_eq!(jp.git(&["rev-list", "--count", &id]), "26\n");
    jp.assert_sound();
}

#[test]
fn eight_processes_append_to_conversations_of_their_own() {
    let jp = Jp::in_workspace();
    let ids: Vec<_> = (0..8).map(|n| jp.start(&[&request(&format!("Question {n}\n"))])).collect();
    jp.write("a.md", message("a\n"));
    let outputs = at_once(&jp, 8, |writer| three_appends(&ids[writer], "a.md"));
    for (id, output) in ids.iter().zip(outputs) {
        let expected: String = (1..=3).map(|n| format!("{id} 00{n} 00{n}-message.md\n")).collect();
        assert_eq!(output.ok(), expected);
    }
    jp.assert_sound();
}

#[test]
fn twenty_conversations_that_start_at_once_have_ids_of_their_own() {
    let jp = Jp::new();
    jp.write("a.md", request("Question\n"));
    // Not even the store is there yet.
    let outputs = at_once(&jp, 20, |_| format!("'{JP}' c append --new a.md"));
    let mut ids = BTreeSet::new();
    for output in outputs {
        let said = output.ok();
        let id = said.strip_suffix(" 000 000-request.md\n").unwrap().to_owned();
        assert!(ids.insert(id.clone()), "{id} twice");
    }
    let listed = jp.run(&["c", "ls", "--format", "json"]).json();
    let listed = listed.as_array().unwrap().iter();
    let listed: BTreeSet<_> = listed.map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(listed, ids);
    jp.assert_sound();
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn an_append_that_lost_a_race_against_git_starts_over() {
    use crate::support::Interruption;
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.write("a.md", message("a\n"));
    let program = [JP, "c", "append", id.as_str(), "a.md"];
    let is_ref_lock = |call: &&str| call.contains("/refs/heads/") && call.starts_with("open ");
    let locking = {
        let other = Jp::in_workspace();
        let id = other.start(&[&request("Question\n")]);
        other.write("a.md", message("a\n"));
        let calls = other.calls(&[JP, "c", "append", &id, "a.md"]);
        1 + calls.iter().position(|call| is_ref_lock(&call.as_str())).unwrap()
    };
    let report = jp.world().join("calls");
    let mut slow = jp.interrupted(Interruption::Hold(locking), &report, &program);
    slow.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut slow = slow.spawn().unwrap();
    // It has read the conversation and is about to move the ref.
    while !std::fs::read_to_string(&report).unwrap_or_default().lines().any(|c| is_ref_lock(&c)) {
        std::thread::yield_now();
    }
    jp.edit(&id, "001-message.md", message("by git\n"));
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    jp.edit(&id, "CONVERSATION", format!("{manifest}001-message.md\n"));
    drop(slow.stdin.take());
    let output = Output::from(slow.wait_with_output().unwrap());
    assert_eq!(output.ok(), format!("{id} 002 002-message.md\n"));
    assert_eq!(jp.run(&["c", "cat", &id, "1"]).ok(), message("by git\n"));
    assert_eq!(jp.run(&["c", "cat", &id, "2"]).ok(), message("a\n"));
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
    jp.assert_sound();
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn without_patience_a_locked_conversation_answers_at_once_and_names_the_holder() {
    use crate::support::Interruption;
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.write("a.md", message("a\n"));
    let program = [JP, "c", "append", id.as_str(), "a.md"];
    let staging = {
        let other = Jp::in_workspace();
        let id = other.start(&[&request("Question\n")]);
        other.write("a.md", message("a\n"));
        let calls = other.calls(&[JP, "c", "append", &id, "a.md"]);
        1 + calls.iter().position(|call| call.contains("/stage/")).unwrap()
    };
    let report = jp.world().join("calls");
    let mut holder = jp.interrupted(Interruption::Hold(staging), &report, &program);
    holder.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut holder = holder.spawn().unwrap();
    let pid = loop {
        let calls = std::fs::read_to_string(&report).unwrap_or_default();
        if let Some(call) = calls.lines().find(|call| call.contains("/stage/")) {
            break call.split(' ').nth(1).unwrap().to_owned();
        }
        std::thread::yield_now();
    };
    for args in [&["c", "append", &id, "a.md"][..], &["c", "fsck", "--repair", &id]] {
        let output = jp.with_var("JP_LOCK_DURATION", "0").run(args);
        let head = format!("error: conversation {id} is locked (held by pid {pid}, since 20");
        assert!(output.stderr.starts_with(&head), "{}", output.stderr);
        let tail = format!(
            "Z)\nHint: `ps -p {pid}` shows the process that has it\n\
             Hint: `JP_LOCK_DURATION=5m jp …` waits longer for it [default: 30s]\n"
        );
        assert!(output.stderr.ends_with(&tail), "{}", output.stderr);
        assert_eq!((output.code, output.stdout.as_str()), (75, ""));
    }
    // Reading needs no lock.
    assert_eq!(jp.show(&id)["events"], 1);
    drop(holder.stdin.take());
    let output = Output::from(holder.wait_with_output().unwrap());
    assert_eq!(output.ok(), format!("{id} 001 001-message.md\n"));
    assert_eq!(jp.append(&id, &[&message("b\n")]).ok(), format!("{id} 002 002-message.md\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_command_ends_with_130() {
    let jp = Jp::in_workspace();
    let mut command = jp.jp(&["c", "append", "--new", "-"]);
    command.stdin(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let handles_interrupt = |status: &str| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap() & 0b10 != 0
    };
    while !handles_interrupt(&std::fs::read_to_string(&status).unwrap()) {
        std::thread::yield_now();
    }
    let kill = Output::of(jp.command("kill").args(["-INT", &child.id().to_string()]));
    assert_eq!(kill.code, 0, "{}", kill.stderr);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(jp.run(&["c", "ls", "--format", "json"]).ok(), "[]\n");
}
