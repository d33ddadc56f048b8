//! What a killed process leaves behind: everything that it acknowledged, and nothing in the way.
//!
//! A sample of the points is tried; `JP_CRASH_ALL=1` tries all of them.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    fs,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::support::{Interruption, Jp, Output, Victim, message, request};

const JP: &str = env!("CARGO_BIN_EXE_jp");

/// How many calls are tried, before and after each.
const SAMPLE: usize = 24;

/// Before the crash: two events, both acknowledged.
const EARLIER: [&str; 2] = ["000-request.md", "001-message.md"];

#[test]
fn a_conversation_survives_an_append_that_is_killed_anywhere() {
    let scene = || {
        let jp = Jp::in_workspace();
        let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
        for name in ["a.md", "b.md", "c.md"] {
            jp.write(name, message(name));
        }
        (jp, Some(id))
    };
    let failures = kill_everywhere(scene, |id| {
        ["c", "append", id.unwrap(), "a.md", "b.md", "c.md"].map(str::to_owned).to_vec()
    });
    assert_eq!(failures, Vec::<String>::new());
}

#[test]
fn a_store_survives_that_its_first_conversation_is_killed_anywhere() {
    let scene = || {
        let jp = Jp::new();
        jp.write("a.md", request("Question\n"));
        (jp, None)
    };
    let failures =
        kill_everywhere(scene, |_| ["c", "append", "--new", "a.md"].map(str::to_owned).to_vec());
    assert_eq!(failures, Vec::<String>::new());
}

#[test]
fn a_conversation_survives_an_append_that_is_killed_anywhere_while_it_merges_packs() {
    let (prepared, id) = {
        let jp = Jp::in_workspace();
        let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
        let other = jp.start(&[&request("Other\n")]);
        for _ in 0..37 {
            jp.append(&other, &[&message("Other\n")]).ok();
        }
        (jp, id)
    };
    let store = prepared.store();
    let scene = || {
        let jp = Jp::in_workspace();
        fs::remove_dir_all(jp.path(".jp/store")).unwrap();
        let copied = jp.command("cp").arg("-R").arg(&store).arg(jp.path(".jp/store")).status();
        assert!(copied.unwrap().success());
        jp.write("a.md", message("a.md"));
        (jp, Some(id.clone()))
    };
    let failures = kill_everywhere(scene, |id| {
        ["c", "append", id.unwrap(), "a.md"].map(str::to_owned).to_vec()
    });
    assert_eq!(failures, Vec::<String>::new());
}

/// The negative control: if this is not caught, the other tests prove nothing.
#[test]
fn a_program_that_acknowledges_before_it_writes_is_caught() {
    let scene = || {
        let jp = Jp::in_workspace();
        let id = jp.start(&[&request("Question\n"), &message("Answer\n")]);
        jp.write("a.md", message("a.md"));
        (jp, Some(id))
    };
    let failures = kill_everywhere(scene, |id| {
        let id = id.unwrap();
        let script =
            format!("echo '{id} 002 002-message.md'; '{JP}' c append {id} a.md >/dev/null");
        ["sh", "-c", &script].map(str::to_owned).to_vec()
    });
    assert!(failures.iter().any(|failure| failure.contains("acknowledged")), "{failures:?}");
}

/// Kills a program at its calls, each time in a new scene, and returns what went wrong. Arguments
/// that do not begin with `sh` are those of jp.
fn kill_everywhere(
    scene: impl Fn() -> (Jp, Option<String>) + Sync,
    program: impl Fn(Option<&str>) -> Vec<String> + Sync,
) -> Vec<String> {
    kill_and_check(scene, program, check)
}

/// Kills a program at its calls, each time in a new scene, and returns what a check of what is left
/// has to say.
pub fn kill_and_check(
    scene: impl Fn() -> (Jp, Option<String>) + Sync,
    program: impl Fn(Option<&str>) -> Vec<String> + Sync,
    check: impl Fn(&Jp, Option<&str>, &Output) -> Result<(), String> + Sync,
) -> Vec<String> {
    let kill = |call| [Interruption::Before(call), Interruption::After(call)];
    interrupt_and_check(SAMPLE, scene, program, kill, check)
}

/// The same for one process of a query, at a sample of its own calls.
pub fn kill_one_and_check(
    victim: Victim,
    sample: usize,
    scene: impl Fn() -> (Jp, Option<String>) + Sync,
    program: impl Fn(Option<&str>) -> Vec<String> + Sync,
    check: impl Fn(&Jp, Option<&str>, &Output) -> Result<(), String> + Sync,
) -> Vec<String> {
    let kill = |call| [Interruption::Before(call), Interruption::After(call)];
    interrupt_one_and_check(victim, sample, scene, program, kill, check)
}

/// Interferes with a program at a sample of its calls, in two ways at each.
pub fn interrupt_and_check(
    sample: usize,
    scene: impl Fn() -> (Jp, Option<String>) + Sync,
    program: impl Fn(Option<&str>) -> Vec<String> + Sync,
    interruptions: impl Fn(usize) -> [Interruption; 2],
    check: impl Fn(&Jp, Option<&str>, &Output) -> Result<(), String> + Sync,
) -> Vec<String> {
    interrupt_one_and_check(Victim::All, sample, scene, program, interruptions, check)
}

fn interrupt_one_and_check(
    victim: Victim,
    sample: usize,
    scene: impl Fn() -> (Jp, Option<String>) + Sync,
    program: impl Fn(Option<&str>) -> Vec<String> + Sync,
    interruptions: impl Fn(usize) -> [Interruption; 2],
    check: impl Fn(&Jp, Option<&str>, &Output) -> Result<(), String> + Sync,
) -> Vec<String> {
    let command = |id: Option<&str>| {
        let mut program = program(id);
        if program[0] != "sh" {
            program.insert(0, JP.to_owned());
        }
        program
    };
    let calls = {
        let (jp, id) = scene();
        let program = command(id.as_deref());
        jp.calls_of(victim, &program.iter().map(String::as_str).collect::<Vec<_>>()).len()
    };
    let all = std::env::vars().any(|(name, value)| name == "JP_CRASH_ALL" && value == "1");
    let least = sample.min(calls);
    let sample = if all { calls } else { least };
    let points: Vec<_> = (0..sample)
        .map(|index| 1 + index * (calls - 1) / (sample - 1))
        .flat_map(interruptions)
        .collect();
    assert!(points.len() >= 2 * least && calls >= 15, "{calls} calls");
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(point) = points.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let (jp, id) = scene();
                    let program = command(id.as_deref());
                    let program: Vec<_> = program.iter().map(String::as_str).collect();
                    let report = jp.world().join("calls");
                    let mut command = jp.interrupted_in(victim, *point, &report, &program);
                    let output = Output::of(&mut command);
                    let checked = check(&jp, id.as_deref(), &output);
                    if let Err(failure) = checked {
                        let calls = fs::read_to_string(&report).unwrap();
                        let last = calls.lines().last().unwrap_or_default();
                        failures.lock().unwrap().push(format!("{point:?} ({last}): {failure}"));
                    }
                }
            });
        }
    });
    failures.into_inner().unwrap()
}

/// Checks what a killed process left, and that work goes on.
pub fn check(jp: &Jp, id: Option<&str>, killed: &Output) -> Result<(), String> {
    if killed.code != 137 {
        return Err(format!("it was not killed: {killed:?}"));
    }
    for file in id.map_or(&[][..], |_| &EARLIER[..]) {
        let (id, address) = (id.unwrap_or_default(), &file[..3]);
        let body = if *file == EARLIER[0] { request("Question\n") } else { message("Answer\n") };
        expect_event(jp, id, address, &body).map_err(|why| format!("lost: {why}"))?;
    }
    for (index, line) in killed.stdout.lines().enumerate() {
        let words: Vec<_> = line.split(' ').collect();
        let [id, address, _] = words[..] else { return Err(format!("half a line: {line}")) };
        let name = ["a.md", "b.md", "c.md"][index];
        let body = fs::read_to_string(jp.path(name)).unwrap();
        expect_event(jp, id, address, &body).map_err(|why| format!("acknowledged: {why}"))?;
    }
    let store = jp.store();
    if store.exists() {
        sound(jp, &store)?;
    }
    let next = jp.write("next.md", message("next"));
    let next = next.to_str().unwrap();
    let appended = match id {
        Some(id) => jp.run(&["c", "append", id, next]),
        None => jp.run(&["c", "append", "--new", next]),
    };
    if (appended.code, appended.stderr.as_str()) != (0, "") {
        return Err(format!("the next append fails: {appended:?}"));
    }
    let words: Vec<_> = appended.stdout.trim_end().split(' ').collect();
    expect_event(jp, words[0], words[1], &message("next"))?;
    sound(jp, &store)?;
    // What a new conversation left belongs to an id that nobody uses again; a merge clears up
    // after another merge.
    for directory in ["stage", "locks"] {
        for entry in fs::read_dir(store.join(directory)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if id.is_some_and(|id| name.starts_with(id)) {
                return Err(format!("left in {directory}: {name}"));
            }
        }
    }
    Ok(())
}

fn expect_event(jp: &Jp, id: &str, address: &str, expected: &str) -> Result<(), String> {
    let found = jp.run(&["c", "cat", id, address]);
    if found.code == 0 && found.bytes == expected.as_bytes() {
        return Ok(());
    }
    Err(format!("{id} {address}: expected {expected:?}, found {found:?}"))
}

/// Whether git finds nothing wrong.
pub fn sound(jp: &Jp, store: &Path) -> Result<(), String> {
    let args = ["fsck", "--strict", "--full", "--no-progress", "--no-dangling"];
    let fsck = Output::of(jp.command("git").arg("-C").arg(store).args(args));
    let quiet = fsck.stderr.lines().all(|line| line.starts_with("notice:"));
    if fsck.code == 0 && fsck.stdout.is_empty() && quiet {
        return Ok(());
    }
    Err(format!("git fsck: {fsck:?}"))
}
