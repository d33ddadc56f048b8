//! Programs that talk too much, do not listen, hold on, and do not want to end.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use super::*;
use crate::cancel::Cancel;

/// Far more than any of these takes, and far less than what is waited for if something is wrong.
const SOON: Duration = Duration::from_secs(30);

fn shell(script: &str, cwd: &Path) -> Spawn {
    let mut spawn = Spawn::new(["sh", "-c", script], cwd);
    let path = std::env::var("PATH").unwrap();
    spawn.vars.insert("PATH".into(), path.into());
    spawn.grace = Duration::from_secs(10);
    spawn
}

fn text(captured: &Captured) -> String {
    String::from_utf8(captured.bytes.clone()).unwrap()
}

/// Whether a process is there and not merely waiting to be reaped.
fn lives(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    let state = status.ok().and_then(|status| {
        let (_, after) = status.rsplit_once(") ")?;
        after.chars().next()
    });
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

/// Looks again and again until a process is gone: the kernel tells nobody but its parent.
fn wait_for_the_end_of(pid: &str) {
    let began = Instant::now();
    while lives(pid) {
        assert!(began.elapsed() < SOON, "process {pid} lives on");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a program has written its file, and gives what is in it.
fn wait_for(path: &Path) -> String {
    let began = Instant::now();
    loop {
        match std::fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => std::thread::sleep(Duration::from_millis(2)),
        }
        assert!(began.elapsed() < SOON, "{} is not written", path.display());
    }
}

#[test]
fn a_program_sees_what_it_is_given_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let script =
        "cat; env | cut -d= -f1 | grep -vx -e PWD -e SHLVL -e _ | sort; pwd; echo no >&2; exit 3";
    let mut spawn = shell(script, directory.path());
    spawn.stdin = b"given\n".to_vec();
    spawn.vars.insert("ONLY".into(), "this".into());
    let ran = run(&spawn, &Cancel::new()).unwrap();
    let here = directory.path().canonicalize().unwrap();
    assert_eq!(text(&ran.stdout), format!("given\nONLY\nPATH\n{}\n", here.display()));
    assert_eq!(text(&ran.stderr), "no\n");
    assert_eq!((ran.status.code(), ran.ended), (Some(3), Ended::Itself));
    assert!(ran.stdout.is_whole());
}

#[test]
fn output_far_above_the_cap_goes_to_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let overflow = directory.path().join("made/for/it");
    let mut spawn =
        shell("head -c 5000000 /dev/zero; head -c 3000000 /dev/zero >&2", directory.path());
    (spawn.kept, spawn.saved) = (1000, 4_000_000);
    spawn.overflow = Some(overflow);
    let ran = run(&spawn, &Cancel::new()).unwrap();
    let length =
        |captured: &Captured| std::fs::metadata(captured.rest.as_ref().unwrap()).unwrap().len();
    assert_eq!((ran.stdout.bytes.len(), ran.stdout.total), (1000, 5_000_000));
    assert_eq!((ran.stdout.saved, length(&ran.stdout)), (4_000_000, 4_000_000));
    assert_eq!((ran.stderr.bytes.len(), ran.stderr.total), (1000, 3_000_000));
    assert_eq!((ran.stderr.saved, length(&ran.stderr)), (3_000_000, 3_000_000));
    assert!(ran.status.success());
}

#[test]
fn a_huge_input_that_nobody_reads_is_no_trouble() {
    for script in ["exit 0", "exec <&-; echo closed", "head -c 10 >/dev/null; echo some"] {
        let mut spawn = shell(script, Path::new("/"));
        spawn.stdin = vec![b'x'; 20_000_000];
        let ran = run(&spawn, &Cancel::new()).unwrap();
        assert_eq!(ran.status.code(), Some(0), "{script}");
    }
}

#[test]
fn a_huge_input_comes_back_while_it_is_written() {
    let mut spawn = shell("cat", Path::new("/"));
    spawn.stdin = (0..5_000_000_u32).map(|n| (n % 251) as u8).collect();
    spawn.kept = usize::MAX;
    let ran = run(&spawn, &Cancel::new()).unwrap();
    assert!(ran.stdout.bytes == spawn.stdin);
}

#[test]
fn a_grandchild_that_holds_the_pipe_does_not_hold_us_and_does_not_survive() {
    let directory = tempfile::tempdir().unwrap();
    let spawn = shell("sleep 1000 & echo $! >pid; echo done", directory.path());
    let began = Instant::now();
    let ran = run(&spawn, &Cancel::new()).unwrap();
    assert!(began.elapsed() < SOON);
    assert_eq!((text(&ran.stdout).as_str(), ran.ended), ("done\n", Ended::Itself));
    assert!(ran.status.success());
    wait_for_the_end_of(&wait_for(&directory.path().join("pid")));
}

#[test]
fn a_grandchild_that_holds_no_pipe_does_not_survive_either() {
    let directory = tempfile::tempdir().unwrap();
    let script = "trap '' TERM; sleep 1000 >/dev/null 2>&1 & echo $! >pid";
    run(&shell(script, directory.path()), &Cancel::new()).unwrap();
    wait_for_the_end_of(&wait_for(&directory.path().join("pid")));
}

#[test]
fn a_process_that_left_the_group_does_not_hold_us() {
    let directory = tempfile::tempdir().unwrap();
    let script = "setsid sh -c 'echo $$ >pid; exec sleep 1000' & while [ ! -s pid ]; do :; done";
    let mut spawn = shell(script, directory.path());
    spawn.grace = Duration::from_millis(50);
    let began = Instant::now();
    let ran = run(&spawn, &Cancel::new()).unwrap();
    assert!(began.elapsed() < SOON);
    assert!(ran.status.success());
    let pid = wait_for(&directory.path().join("pid"));
    assert!(lives(&pid));
    let ended = std::process::Command::new("kill").arg(&pid).status().unwrap();
    assert!(ended.success());
}

#[test]
fn a_program_whose_time_is_over_is_ended_with_its_whole_group() {
    let directory = tempfile::tempdir().unwrap();
    let script = "sleep 1000 & echo $! >pid; echo begun; wait";
    let mut spawn = shell(script, directory.path());
    spawn.timeout = Some(Duration::from_secs(1));
    let ran = run(&spawn, &Cancel::new()).unwrap();
    assert!(ran.timed_out() && !ran.cancelled());
    assert_eq!(text(&ran.stdout), "begun\n");
    wait_for_the_end_of(&wait_for(&directory.path().join("pid")));
}

#[test]
fn a_program_that_does_not_want_to_end_is_killed() {
    use std::os::unix::process::ExitStatusExt;
    let directory = tempfile::tempdir().unwrap();
    let script = "trap 'echo asked' TERM; echo $$ >pid; while :; do sleep 0.01; done";
    let mut spawn = shell(script, directory.path());
    (spawn.timeout, spawn.grace) = (Some(Duration::from_secs(1)), Duration::from_secs(1));
    let ran = run(&spawn, &Cancel::new()).unwrap();
    assert_eq!((ran.status.signal(), ran.ended), (Some(9), Ended::TimedOut));
    assert_eq!(text(&ran.stdout), "asked\n");
    assert!(!lives(&wait_for(&directory.path().join("pid"))));
}

#[test]
fn a_program_ends_in_its_own_way_when_it_is_cancelled_from_another_thread() {
    let directory = tempfile::tempdir().unwrap();
    let script = "trap 'echo tidied; exit 7' TERM; echo $$ >pid; while :; do sleep 0.01; done";
    let spawn = shell(script, directory.path());
    let cancel = Cancel::new();
    let ran = std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_for(&directory.path().join("pid"));
            cancel.cancel();
        });
        run(&spawn, &cancel).unwrap()
    });
    assert!(ran.cancelled() && !ran.timed_out());
    assert_eq!((text(&ran.stdout).as_str(), ran.status.code()), ("tidied\n", Some(7)));
}

#[test]
fn many_are_cancelled_at_once() {
    let cancel = Cancel::new();
    let (sender, started) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8)
            .map(|_| {
                let (cancel, sender) = (cancel.clone(), sender.clone());
                scope.spawn(move || {
                    let _told = cancel.listen(|| {});
                    sender.send(()).unwrap();
                    run(&shell("sleep 1000", Path::new("/")), &cancel)
                })
            })
            .collect();
        runs.iter().for_each(|_| started.recv().unwrap());
        cancel.cancel();
        for run in runs {
            match run.join().unwrap() {
                Ok(ran) => assert!(ran.cancelled()),
                // It came too late to be started.
                Err(error) => assert!(matches!(error, RunError::Cancelled { .. }), "{error}"),
            }
        }
    });
}

#[test]
fn a_program_that_wants_the_terminal_is_ended_and_said_to() {
    let script = "kill -TTIN $$; echo went on; sleep 1000";
    let ran = run(&shell(script, Path::new("/")), &Cancel::new()).unwrap();
    assert_eq!((text(&ran.stdout).as_str(), ran.ended), ("", Ended::WantedTerminal));
}

#[test]
fn what_cannot_be_run_says_so_and_has_not_run() {
    let failure = |spawn: &Spawn, cancel: &Cancel| {
        let error = run(spawn, cancel).unwrap_err();
        assert!(!error.may_have_run());
        error.to_string()
    };
    let (cancel, root) = (Cancel::new(), Path::new("/"));
    let none = Spawn::new(Vec::<String>::new(), root);
    assert_eq!(failure(&none, &cancel), "there is no program to run");
    let unknown = Spawn::new(["/no/such/program"], root);
    let expected = "`/no/such/program` cannot be run: No such file or directory";
    assert_eq!(failure(&unknown, &cancel), expected);
    let nowhere = Spawn::new(["/bin/sh"], "/no/such/directory");
    let expected = "`/bin/sh` cannot run in `/no/such/directory`, which is not a directory";
    assert_eq!(failure(&nowhere, &cancel), expected);
    cancel.cancel();
    let expected = "`/bin/sh` was not started: it was cancelled before";
    assert_eq!(failure(&Spawn::new(["/bin/sh"], root), &cancel), expected);
}

#[test]
fn what_runs_can_be_killed_all_at_once_and_nobody_else() {
    let directory = tempfile::tempdir().unwrap();
    let script = "trap '' TERM; echo $$ > $0; while :; do sleep 1; done";
    let start = |name: &str, running: &Running| {
        let path = directory.path().join(name);
        let mut spawn = shell(script, directory.path());
        spawn.argv.push(path.clone().into());
        spawn.running = running.clone();
        let cancel = Cancel::new();
        let ends = cancel.clone();
        let thread = std::thread::spawn(move || run(&spawn, &ends).unwrap());
        (thread, wait_for(&path), cancel)
    };
    let (ours, others) = (Running::default(), Running::default());
    let (first, pid, _) = start("first", &ours);
    let (other, stranger, cancel) = start("other", &others);
    ours.kill_all();
    wait_for_the_end_of(&pid);
    assert_eq!(first.join().unwrap().ended, Ended::Itself);
    assert!(lives(&stranger));
    others.kill_all();
    cancel.cancel();
    other.join().unwrap();
    ours.kill_all();
}
