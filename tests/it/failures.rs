//! Writes that fail: an error that names path and cause, and nothing lost.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{fs, process::Stdio};

use crate::support::{Interruption, Jp, Output, message, request};

const JP: &str = env!("CARGO_BIN_EXE_jp");

const NO_SPACE: (i32, &str) = (28, "No space left on device");
const IO_ERROR: (i32, &str) = (5, "Input/output error");

/// Calls that can fail on a bad disk.
const FALLIBLE: [&str; 6] = ["write", "truncate", "fsync", "rename", "open", "mkdir"];

#[test]
fn an_append_onto_a_full_disk_names_path_and_cause_at_every_call() {
    fail_everywhere(NO_SPACE);
}

#[test]
fn an_append_onto_a_bad_disk_names_path_and_cause_at_every_call() {
    fail_everywhere(IO_ERROR);
}

fn fail_everywhere((number, cause): (i32, &str)) {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
    jp.write("a.md", message("a"));
    let program = [JP, "c", "append", id.as_str(), "a.md"];
    let calls = jp.calls(&program);
    let mut tried = 0;
    for (index, call) in calls.iter().enumerate() {
        let words: Vec<_> = call.splitn(3, ' ').collect();
        let [name, _, path] = words[..] else { panic!("{call}") };
        if !FALLIBLE.contains(&name) || !path.starts_with(jp.store().to_str().unwrap()) {
            continue;
        }
        tried += 1;
        let before = events(&jp, &id);
        let report = jp.world().join("calls");
        let failing = Interruption::Fail(index + 1, number);
        let output = Output::of(&mut jp.interrupted(failing, &report, &program));
        let after = events(&jp, &id);
        // Who holds the lock is a mere note: that it cannot be written stops nobody.
        if name != "open" && path.contains("/locks/") {
            assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{call}");
            assert_eq!(after.len(), before.len() + 1, "{call}");
            continue;
        }
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{call}: {}", output.stderr);
        let named = output.stderr.contains(&format!(": {cause}\n"))
            && output.stderr.contains(jp.store().to_str().unwrap());
        assert!(output.stderr.starts_with("error: ") && named, "{call}: {}", output.stderr);
        assert_eq!(after[..before.len()], before, "{call}");
        // Only if the ref has moved already is the event there, and then the error says so.
        let moved = output.stderr.contains("may not be on disk");
        assert_eq!(after.len(), before.len() + usize::from(moved), "{call}: {}", output.stderr);
        let next = jp.run(&["c", "append", &id, "a.md"]);
        assert_eq!((next.code, next.stderr.as_str()), (0, ""), "after {call}");
        jp.assert_sound();
    }
    assert!(tried >= 10, "{calls:?}");
}

/// What `show` lists: file names and their content.
fn events(jp: &Jp, id: &str) -> Vec<(String, Vec<u8>)> {
    let details = jp.show(id);
    let stream = details["stream"].as_array().unwrap().iter();
    let content = |event: &serde_json::Value| {
        let address = event["address"].to_string();
        let cat = jp.run(&["c", "cat", id, &address]);
        (event["file"].as_str().unwrap().to_owned(), cat.bytes)
    };
    stream.map(content).collect()
}

#[test]
fn a_store_that_cannot_be_made_leaves_nothing_that_looks_like_one() {
    let first = {
        let jp = Jp::new();
        jp.write("a.md", request("Question\n"));
        jp.calls(&[JP, "c", "append", "--new", "a.md"])
    };
    let renamed = first.iter().position(|call| call.ends_with("/.jp/store")).unwrap();
    for at in (1..=renamed + 1).step_by(6).chain([renamed + 1]) {
        // Without the lock a store is made all the same, only what others left is not cleared.
        if first[at - 1].starts_with("flock ") {
            continue;
        }
        let jp = Jp::new();
        jp.write("a.md", request("Question\n"));
        let report = jp.world().join("calls");
        let failing = Interruption::Fail(at, NO_SPACE.0);
        let program = [JP, "c", "append", "--new", "a.md"];
        let output = Output::of(&mut jp.interrupted(failing, &report, &program));
        let call = &first[at - 1];
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{call}: {}", output.stderr);
        let named = output.stderr.contains(&format!(": {}", NO_SPACE.1));
        assert!(named && output.stderr.contains("`/"), "{call}: {}", output.stderr);
        assert!(!jp.store().exists(), "{call}");
        jp.run(&["c", "append", "--new", "a.md"]).ok();
        jp.assert_sound();
    }
}

/// Runs a script with mounts of its own, if this system lets us; else says why not.
fn with_mounts(jp: &Jp, script: &str) -> Option<Output> {
    let try_out =
        Output::of(jp.command("unshare").args(["-m", "mount", "-t", "tmpfs", "t", "/mnt"]));
    if try_out.code != 0 {
        let why = try_out.stderr.trim_end();
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("not tried, no mounts of our own here: {why}\n").as_bytes(),
        );
        return None;
    }
    Some(Output::of(jp.command("unshare").args(["-m", "sh", "-c", script])))
}

#[test]
fn a_disk_that_is_really_full_loses_nothing() {
    let jp = Jp::in_workspace();
    jp.write("a.md", request("Question\n"));
    jp.write("b.md", message(&"noise ".repeat(40)));
    let script = format!(
        "set -e; mkdir disk; mount -t tmpfs -o size=256k tmpfs disk; cd disk; '{JP}' init >/dev/null
         id=$('{JP}' c append --new ../a.md | cut -d' ' -f1); n=0
         while '{JP}' c append $id ../b.md >/dev/null 2>../said; do n=$((n+1)); done
         '{JP}' c cat $id $n | cmp - ../b.md
         test $('{JP}' c show $id --format json | grep -c '\"file\"') = $((n+1))
         git -C .jp/store fsck --strict --full >/dev/null 2>&1
         mount -o remount,size=2m \"$PWD\"
         '{JP}' c append $id ../b.md >/dev/null; echo $n"
    );
    let Some(output) = with_mounts(&jp, &script) else { return };
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    assert!(output.stdout.trim_end().parse::<u32>().unwrap() > 3, "{}", output.stdout);
    let said = fs::read_to_string(jp.path("said")).unwrap();
    assert!(said.starts_with("error: nothing was saved to jp-c"), "{said}");
    assert!(said.ends_with(": No space left on device\n"), "{said}");
    assert!(said.contains("/disk/.jp/store/"), "{said}");
}

#[test]
fn a_read_only_store_can_be_read_and_says_why_it_cannot_be_written() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.write("a.md", message("a"));
    let script = format!(
        "mount --bind .jp .jp && mount -o remount,ro,bind .jp || exit 99
         '{JP}' c cat {id} 0; '{JP}' c append {id} a.md; echo $?; '{JP}' c append --new a.md; echo $?"
    );
    let Some(output) = with_mounts(&jp, &script) else { return };
    assert_eq!(output.stdout, format!("{}1\n1\n", request("Question\n")), "{}", output.stderr);
    let lock = format!("{}/locks/", jp.store().display());
    for line in output.stderr.lines() {
        assert!(line.starts_with(&format!("error: cannot open `{lock}jp-c")), "{line}");
        assert!(line.ends_with(".lock`: Read-only file system"), "{line}");
    }
    assert_eq!(output.stderr.lines().count(), 2);
}

#[test]
fn what_was_done_is_told_although_it_cannot_be_printed() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.write("more.md", request("Two\n"));
    jp.run(&["c", "export", &id, "--dir", "out"]).ok();
    let other = jp.start(&[&request("Other\n")]);
    jp.run(&["c", "rm", &other]);
    let damaged = jp.start(&[&request("Damaged\n")]);
    jp.edit(&damaged, "notes.txt", "no place");
    let told = |args: &[&str]| {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let child = jp.jp(args).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        let output = Output::from(child.wait_with_output().unwrap());
        assert_eq!(output.code, 1, "{args:?}: {}", output.stderr);
        let full = "error: cannot write the output: No space left on device (os error 28)\n";
        assert!(output.stderr.contains(full), "{args:?}: {}", output.stderr);
        let done =
            output.stderr.lines().filter_map(|line| line.strip_prefix("Done all the same: "));
        done.collect::<Vec<_>>().join("\n")
    };
    for format in ["text", "json"] {
        let told = |args: &[&str]| told(&[args, &["--format", format]].concat());
        assert_eq!(told(&["c", "append", &id, "more.md"]), format!("{id} 002"));
        assert_eq!(told(&["c", "undo", &id]), format!("{id}: undid: append 002-request.md"));
        assert_eq!(told(&["c", "redo", &id]), format!("{id}: redid: append 002-request.md"));
        let back = told(&["c", "restore", &id, "--at", "~3"]);
        assert!(back.starts_with(&format!("{id}: restored the version of: ")), "{back}");
        assert_eq!(told(&["c", "title", &id, format]), format!("{id}: {format}"));
        assert_eq!(told(&["c", "label", "add", &id, format]), format!("{id}: {}", labels(format)));
        assert_eq!(told(&["c", "archive", &id]), format!("{id} is archived now"));
        assert_eq!(told(&["c", "unarchive", &id]), format!("{id} is active now"));
        assert_eq!(told(&["c", "rm", &id]), format!("{id} is in the trash now"));
        assert_eq!(told(&["c", "restore", &id]), format!("{id} is active now"));
        assert!(told(&["c", "fork", &id]).starts_with("forked as jp-c"));
        assert!(told(&["c", "import", "out"]).starts_with("imported as jp-c"));
        // Nothing was done here.
        assert_eq!(told(&["c", "show", &id]), "");
    }
    let mended = told(&["c", "fsck", "--repair", &damaged]);
    assert!(mended.starts_with(&format!("{damaged}: repaired in commit ")), "{mended}");
    let emptied = told(&["store", "empty-trash", "--older-than", "0", "--yes"]);
    assert_eq!(emptied, "1 deleted");
    assert!(told(&["init", "elsewhere"]).starts_with("Workspace "));
}

/// The labels after a label was added for each format so far.
fn labels(format: &str) -> &'static str {
    if format == "text" { "text" } else { "json text" }
}
