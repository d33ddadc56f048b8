//! Process ids that come again: a terminal whose leader has that of another that is dead is another
//! terminal, and a signal for a process that is dead reaches nobody.
//!
//! Process ids are given out in turn, and come again after thousands of processes. In a namespace of
//! its own the next one can be chosen, so this does not have to wait.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

use jp::{
    env::{Life, Process},
    process::signal::{End, Ended, end},
};
use serde_json::Value;

use crate::{
    support::{Jp, Output},
    user,
};

/// The process id of both leaders.
const LEADER: u32 = 1000;

/// Runs scripts one after another in a namespace of process ids, each in a terminal of its own that
/// is led by a process with the same id.
fn in_turn(jp: &Jp, scripts: &[&str]) -> Output {
    let mut all = "set -eu\n".to_owned();
    for (number, script) in scripts.iter().enumerate() {
        let file = jp.write(&format!("script-{number}"), script);
        // `script` is the next process, and the leader in its terminal the one after.
        let last = LEADER - 2;
        all += &format!(
            "echo {last} >/proc/sys/kernel/ns_last_pid\n\
             script -qec '. {}' /dev/null </dev/null >said-{number}\n",
            file.display()
        );
    }
    let mut command: Command = jp.command("unshare");
    Output::of(in_namespace(&mut command).args(["sh", "-c", &all]))
}

/// Has `unshare` make a namespace of process ids for what follows.
fn in_namespace(unshare: &mut Command) -> &mut Command {
    if !rustix::process::geteuid().is_root() {
        unshare.arg("--map-root-user");
    }
    unshare.args(["--pid", "--fork", "--mount-proc"])
}

/// The mapping files of the only workspace.
fn mappings(data: &Path) -> Vec<Value> {
    let only = fs::read_dir(data.join("jp/workspace")).unwrap().next().unwrap().unwrap().path();
    let entries = fs::read_dir(only.join("sessions")).unwrap();
    let read = |path: &Path| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    entries.map(|entry| read(&entry.unwrap().path())).collect()
}

fn titles(jp: &Jp) -> Vec<(String, u64)> {
    let all = jp.run(&["c", "ls", "--format", "json"]).json();
    let row =
        |row: &Value| (row["title"].as_str().unwrap().to_owned(), row["turns"].as_u64().unwrap());
    let mut titles: Vec<_> = all.as_array().unwrap().iter().map(row).collect();
    titles.sort();
    titles
}

/// Writes down who leads the terminal, and when that process started.
const NOTE: &str = "echo $$ >>leaders; cut -d' ' -f22 /proc/$$/stat >>starts\n";

/// Waits until a process that starts now starts later than the leader by the clock of the kernel,
/// which ticks every ten milliseconds. Without a chosen id thousands of processes lie in between.
const TICK: &str = "start='cut -d\" \" -f22 /proc/$$/stat'\n\
                    until [ \"$(sh -c \"$start\")\" -gt \"$(eval \"$start\")\" ]; do :; done\n";

#[test]
fn a_terminal_whose_leader_has_the_number_of_a_dead_one_does_not_inherit_its_session() {
    let jp = user();
    let asks = "jp q --non-interactive";
    let first = format!("{NOTE}{asks} --new one; {asks} more; cp -r $XDG_DATA_HOME before\n{TICK}");
    let second = format!(
        "{NOTE}{asks} two && echo inherited >>wrong; \
         {asks} --new two; {asks} more || echo lost >>wrong; :"
    );
    let output = in_turn(&jp, &[&first, &second]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    // The number was the same, and a tick of the clock of starts had passed.
    assert_eq!(fs::read_to_string(jp.path("leaders")).unwrap(), format!("{LEADER}\n{LEADER}\n"));
    let starts = fs::read_to_string(jp.path("starts")).unwrap();
    let starts: Vec<u64> = starts.lines().map(|line| line.parse().unwrap()).collect();
    assert!(starts[0] < starts[1], "{starts:?}");
    // Each has continued its own conversation and no other.
    assert!(!jp.path("wrong").exists(), "{}", fs::read_to_string(jp.path("wrong")).unwrap());
    assert_eq!(titles(&jp), [("one".to_owned(), 2), ("two".to_owned(), 2)]);
    // The session of the dead leader was there and is forgotten; that of the other one is there.
    for (data, started) in [(jp.path("before"), starts[0]), (jp.world().join("data"), starts[1])] {
        let mappings = mappings(&data);
        assert_eq!(mappings.len(), 1, "{mappings:?}");
        assert_eq!(mappings[0]["source"], "getsid");
        assert_eq!(mappings[0]["leader"]["pid"], LEADER);
        assert_eq!(mappings[0]["leader"]["started"], started);
    }
}

/// Says that this test runs in a namespace of its own.
const PROBE: &str = "JP_TEST_NAMESPACE";

/// Starts a process that runs until its input ends, with the number of the leaders.
fn numbered() -> Child {
    fs::write("/proc/sys/kernel/ns_last_pid", (LEADER - 1).to_string()).unwrap();
    let child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    assert_eq!(child.id(), LEADER);
    child
}

/// Waits until a process that starts now starts later by the clock of the kernel.
fn tick(since: &Process) {
    let ticks = || {
        let uptime = fs::read_to_string("/proc/uptime").unwrap();
        let seconds = uptime.split_whitespace().next().unwrap();
        seconds.replace('.', "").parse::<u64>().unwrap()
    };
    while ticks() <= since.started + 1 {
        std::thread::yield_now();
    }
}

#[test]
fn a_signal_for_a_dead_process_never_reaches_a_stranger_with_its_number() {
    if std::env::var_os(PROBE).is_none() {
        let own = std::env::current_exe().unwrap();
        let name = "recycled::a_signal_for_a_dead_process_never_reaches_a_stranger_with_its_number";
        let mut command = Command::new("unshare");
        let command = in_namespace(&mut command).arg(own).args(["--exact", name, "--nocapture"]);
        let output = command.env(PROBE, "1").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
        return;
    }
    let mut first = numbered();
    let process = Process::of(first.id()).unwrap();
    assert_eq!(end(&process, End::Ask).unwrap(), Ended::Signalled);
    first.wait().unwrap();
    tick(&process);
    let mut stranger = numbered();
    assert_eq!(process.life(), Life::Dead);
    for how in [End::Ask, End::Force] {
        assert_eq!(end(&process, how).unwrap(), Ended::Gone);
    }
    drop(stranger.stdin.take());
    assert!(stranger.wait().unwrap().success(), "it ended by itself");
    // The same call ends whom it is for.
    let mut third = numbered();
    assert_eq!(end(&Process::of(LEADER).unwrap(), End::Force).unwrap(), Ended::Signalled);
    assert!(!third.wait().unwrap().success());
}
