//! A reader that does not read: what is stored does not depend on it, and signals still count.

use std::{
    fs,
    process::{Child, Stdio},
};

use crate::{
    query::{configure, only, player},
    support::{Jp, Output},
};

/// More than a pipe holds.
const LONG: usize = 300_000;

/// Asks in a process whose output goes to pipes that nobody reads.
fn unread(jp: &Jp, shared: bool) -> Child {
    let program = if shared { "exec \"$0\" \"$@\" 2>&1" } else { "exec \"$0\" \"$@\"" };
    let mut command = jp.command("sh");
    command.args([
        "-c",
        program,
        env!("CARGO_BIN_EXE_jp"),
        "q",
        "--non-interactive",
        "--new",
        "Go",
    ]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// A tool that ends when the test has heard of it.
fn with_herald(script: &str) -> Jp {
    let jp = player(script);
    assert!(jp.command("mkfifo").arg(jp.path("fifo")).status().unwrap().success());
    let command = "command = [\"echo ran > fifo\"]\nshell = true\npermission = \"allow\"\n";
    configure(&jp, &format!("\n[tools.herald]\n{command}"));
    jp
}

/// Waits until the tool runs.
fn wait_for_herald(jp: &Jp) {
    assert_eq!(fs::read_to_string(jp.path("fifo")).unwrap(), "ran\n");
}

fn signal(jp: &Jp, child: &Child, signal: &str) {
    let id = child.id().to_string();
    assert!(jp.command("kill").args([signal, &id]).status().unwrap().success());
}

/// Waits until the only conversation is in this state.
fn wait_for_status(jp: &Jp, status: &str) -> String {
    let id = only(jp);
    while jp.show(&id)["status"] != status {}
    id
}

#[test]
fn an_answer_that_nobody_reads_is_stored_and_waits_for_its_reader() {
    let long = "word ".repeat(LONG / 5);
    let jp = with_herald(&format!(
        "[[answer]]\nchunk = 1000\nstep = [\n    {{ text = \"{long}\" }},\n    \
         {{ call = \"herald\", arguments = {{}} }},\n]\n\n[[answer]]\ntext = \"Done.\"\n"
    ));
    for shared in [false, true] {
        let child = unread(&jp, shared);
        wait_for_herald(&jp);
        let id = wait_for_status(&jp, "idle");
        let last = jp.run(&["c", "cat", &id, "5"]).ok();
        assert!(last.contains("finish: stop") && last.ends_with("Done.\n"), "{last}");
        // Nobody is kept from going on meanwhile.
        while jp.run(&["c", "title", &id, "Long"]).code != 0 {}
        let output = Output::from(child.wait_with_output().unwrap());
        assert_eq!(output.code, 0, "{}", output.stderr);
        assert!(output.stdout.starts_with(&long), "{} bytes", output.stdout.len());
        assert!(output.stdout.contains("\nDone.\n"), "{} bytes", output.stdout.len());
        let next = format!("{id} · continue with");
        let talk = if shared { &output.stdout } else { &output.stderr };
        assert!(talk.contains(&next), "{talk}");
        assert_eq!(jp.run(&["c", "rm", &id]).code, 0);
    }
}

#[test]
fn a_query_that_nobody_reads_ends_when_it_is_told_to() {
    let long = "word ".repeat(LONG / 5);
    let jp = with_herald(&format!(
        "[[answer]]\nstep = [\n    {{ text = \"{long}\" }},\n    \
         {{ call = \"herald\", arguments = {{}} }},\n]\n\n\
         [[answer]]\nstep = [{{ text = \"Then\" }}, {{ delay = 600000 }}]\n"
    ));
    for (name, code) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129)] {
        for shared in [false, true] {
            let mut child = unread(&jp, shared);
            wait_for_herald(&jp);
            let id = only(&jp);
            while jp.show(&id)["pending"]["missing"] != "pending LLM response" {}
            signal(&jp, &child, name);
            assert_eq!(child.wait().unwrap().code(), Some(code), "{name}");
            // Whoever interrupts has read enough; whoever is gone wants it asked for anew.
            let (status, has_ended) = match name {
                "-INT" => ("idle", true),
                _ => ("interrupted (pending LLM response)", false),
            };
            assert_eq!(jp.show(&id)["status"], status, "{name}");
            let kept = jp.run(&["c", "cat", &id, "5"]).ok();
            assert_eq!(kept.contains("finish: cancelled"), has_ended, "{kept}");
            assert!(kept.ends_with("Then\n"), "{kept}");
            let output = Output::from(child.wait_with_output().unwrap());
            let talk = format!("`jp conversation print {id}` shows what nobody has read\n");
            assert_eq!(output.stderr.ends_with(&talk), !shared, "{}", output.stderr);
            assert_eq!(jp.run(&["c", "rm", &id]).code, 0);
        }
    }
}

#[test]
fn a_signal_ends_the_wait_for_a_reader() {
    let long = "word ".repeat(LONG / 5);
    let jp = player(&format!("[[answer]]\ntext = \"{long}\"\n"));
    let mut child = unread(&jp, false);
    while jp.run(&["c", "ls", "--format", "json"]).json()[0]["status"] != "idle" {}
    let id = only(&jp);
    while jp.run(&["c", "title", &id, "Long"]).code != 0 {}
    signal(&jp, &child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(jp.show(&id)["status"], "idle");
}

#[test]
fn an_output_that_cannot_be_written_is_an_error_and_the_answer_is_kept() {
    let jp = player("[[answer]]\ntext = \"Yes.\"\n");
    let mut command = jp.command("sh");
    let ask = "exec \"$0\" q --non-interactive --new Go >/dev/full";
    let output = Output::of(command.args(["-c", ask, env!("CARGO_BIN_EXE_jp")]));
    let id = only(&jp);
    output.fails(
        1,
        &format!(
            "error: cannot write the output: No space left on device (os error 28)\n\
             Hint: `jp conversation print {id}` shows what is kept\n"
        ),
    );
}
