//! Queries that are left alone: what they hold and run, who is told of them, and what is said when
//! they go wrong.

use std::{
    fs::{self, File},
    time::{Duration, Instant},
};

use crate::{
    attending::{HELD, let_go, scene, wait_for_hold},
    mcp::{declared_by, played},
    query::{configure, player},
    serve::{asking, detach, entry, kill, wait, wait_until, works},
    support::{Jp, Output},
};

/// A user with a server that does not heed the end of its input, behind a shell that waits for it.
fn stubborn() -> Jp {
    let jp = scene(HELD);
    let jp = jp.with_var(played::MANNER, "stubborn").with_var(played::LOG, jp.path("log"));
    let inner = "echo $$ >server-pid; exec \"$@\"";
    let outer = format!("sh -c '{inner}' sh \"$@\"; exit 0");
    configure(&jp, &declared_by("srv", &["sh", "-c", &outer, "sh"]));
    jp
}

/// Whether the server that does not heed the end of its input is there.
fn is_there(jp: &Jp) -> bool {
    let pid = fs::read_to_string(jp.path("server-pid")).unwrap();
    fs::exists(format!("/proc/{}", pid.trim())).unwrap()
}

#[test]
fn an_mcp_server_ends_with_a_query_that_is_killed_even_if_it_does_not_heed_its_input() {
    for by_command in [true, false] {
        let jp = stubborn();
        let id = detach(&jp, &[]);
        wait_for_hold(&jp);
        assert!(is_there(&jp));
        match by_command {
            true => works(&jp, &["c", "kill", "--force", &id]),
            false => {
                kill(&jp, &entry(&jp, &id).unwrap()["pid"].to_string());
                // The tool goes on, and is let go.
                let_go(&jp, "");
            }
        }
        wait_until(|| !is_there(&jp));
    }
}

#[test]
fn what_whoever_began_it_has_open_is_free_while_the_query_runs() {
    let jp = stubborn();
    let words =
        format!("exec 9>l; flock 9; exec '{}' q --detach --new Go", env!("CARGO_BIN_EXE_jp"));
    let output = Output::of(jp.command("sh").args(["-c", &words]));
    assert_eq!(output.code, 0, "{}", output.stderr);
    File::open(jp.path("l")).unwrap().try_lock().unwrap();
    wait_for_hold(&jp);
    assert!(is_there(&jp));
    let_go(&jp, "let go\n");
    assert_eq!(wait(&jp, output.stdout.trim_end()).code, 0);
}

#[test]
fn what_is_to_be_attached_is_read_before_it_is_closed() {
    let jp = player("[[answer]]\nexpect = [\"by number\"]\ntext = \"Done.\"\n");
    jp.write("a.txt", "by number\n");
    let own = env!("CARGO_BIN_EXE_jp");
    let words = format!("exec 9<a.txt; exec '{own}' q --new -a /dev/fd/9 Go");
    let output = Output::of(jp.command("sh").args(["-c", &words]));
    assert_eq!((output.code, output.stdout.as_str()), (0, "Done.\n"), "{}", output.stderr);
}

/// A user with a tool that asks, who is told by a program that then does this.
fn told_by(then: &str) -> Jp {
    let jp = asking();
    let tell = "echo $JP_CONVERSATION $JP_EVENT ${JP_TOOL-unset} >>told";
    configure(&jp, &format!("\n[detached]\nnotify = [\"sh\", \"-c\", \"{tell}; {then}\"]\n"));
    jp
}

fn told(jp: &Jp) -> String {
    fs::read_to_string(jp.path("told")).unwrap_or_default()
}

#[test]
fn each_question_is_told_once_also_if_nobody_answers_it() {
    let jp = told_by("true");
    let id = detach(&jp, &["-c", "detached.patience=\"100ms\""]);
    wait_until(|| entry(&jp, &id).is_none());
    assert_eq!((wait(&jp, &id).code, told(&jp)), (3, format!("{id} waiting writes\n")));
    works(&jp, &["c", "answer", &id, "refuse"]);
    works(&jp, &["resume", "--detach", &id]);
    wait_until(|| told(&jp) == format!("{id} waiting writes\n{id} complete unset\n"));
}

#[test]
fn a_question_that_nobody_may_be_asked_is_told_at_the_end_with_its_tool() {
    let jp = told_by("true");
    let policy = ["--non-interactive", "-c", "unattended.all=\"queue\""];
    let id = detach(&jp, &policy);
    wait_until(|| told(&jp) == format!("{id} waiting writes\n"));
    assert_eq!(wait(&jp, &id).code, 3);
}

#[test]
fn a_program_that_tells_neither_holds_a_query_up_nor_ends_with_it() {
    // It ends when it is told to, or when there is nobody any more who could.
    let hangs = "while test -e told && ! test -e go; do sleep 0.01; done; echo over >>told";
    let jp = told_by(hangs);
    let id = detach(&jp, &[]);
    wait_until(|| told(&jp).lines().count() == 1);
    let began = Instant::now();
    works(&jp, &["c", "kill", &id]);
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert_eq!(entry(&jp, &id), None);
    // One was told of the question, the other of the end, and both go on.
    wait_until(|| told(&jp) == format!("{id} waiting writes\n{id} stopped unset\n"));
    jp.write("go", "");
    wait_until(|| told(&jp).ends_with("over\nover\n"));
}

#[test]
fn a_call_runs_while_a_process_is_at_it_and_is_unknown_when_that_is_gone() {
    let jp = scene(HELD);
    let id = detach(&jp, &[]);
    wait_for_hold(&jp);
    let states = || {
        let listed = jp.run(&["c", "ls", "--format", "json"]).json()[0].clone();
        let brief = jp.run(&["c", "show", &id, "--brief", "--format", "json"]).json();
        [listed, brief, jp.show(&id)].map(|told| told["pending"]["calls"][0]["state"].clone())
    };
    assert_eq!(states(), ["running"; 3]);
    works(&jp, &["c", "kill", "--force", &id]);
    assert_eq!(states(), ["unknown"; 3]);
}

#[test]
fn a_log_is_followed_to_its_end_when_another_query_begins_it_anew() {
    let jp = scene(HELD);
    let id = detach(&jp, &[]);
    wait_for_hold(&jp);
    let shown = jp.world().join("shown");
    let mut follow = jp.jp(&["c", "logs", "-f", &id]);
    let mut follow = follow.stdout(File::create(&shown).unwrap()).spawn().unwrap();
    let shown = || fs::read_to_string(&shown).unwrap();
    wait_until(|| shown().contains("tool started: holds\n"));
    let workspaces = jp.world().join("data/jp/workspace");
    let workspace = fs::read_dir(workspaces).unwrap().next().unwrap().unwrap().path();
    let log = workspace.join("log/query.log");
    let before = fs::metadata(&log).unwrap().len();
    // As another query does it, which is about the same conversation and says more than was there.
    fs::rename(&log, log.with_extension("log.1")).unwrap();
    let padding = "T 1 x\n".repeat(usize::try_from(before).unwrap());
    let anew = format!("T 1 query to x\nT 1 conversation {id}\nT 1 begun anew\nT 2 query to y\n");
    let aside = log.with_extension("aside");
    fs::write(&aside, anew + &padding).unwrap();
    fs::rename(&aside, &log).unwrap();
    wait_until(|| shown().contains("T 1 begun anew\n"));
    // The process that began before still writes where it did.
    let_go(&jp, "let go\n");
    assert!(follow.wait().unwrap().success());
    let told = shown();
    assert_eq!(told.matches("T 1 begun anew\n").count(), 1);
    assert!(told.contains("tool ended: holds\n"), "{told}");
    let order = ["tool started: holds", "T 1 query to x", "tool ended: holds"];
    assert!(order.map(|line| told.find(line)).is_sorted(), "{told}");
}

#[test]
fn a_log_that_cannot_be_read_is_an_error() {
    let jp = player("[[answer]]\ntext = \"Done.\"\n");
    works(&jp, &["q", "--new", "Go"]);
    let workspaces = jp.world().join("data/jp/workspace");
    let workspace = fs::read_dir(workspaces).unwrap().next().unwrap().unwrap().path();
    let log = workspace.join("log/query.log");
    fs::remove_file(&log).unwrap();
    works(&jp, &["c", "logs", "last"]);
    fs::create_dir(&log).unwrap();
    let output = jp.run(&["c", "logs", "last"]);
    let said = format!("error: cannot read `{}`: Is a directory\n", log.display());
    assert_eq!((output.code, output.stderr), (1, said));
}

#[test]
fn a_signal_that_ends_a_query_before_it_has_asked_is_told() {
    let jp = player("[[answer]]\ntext = \"Done.\"\n");
    // Its parent is its escort, and that one's parent is the process of the query.
    let kills = "read pid name state parent rest </proc/$PPID/stat; kill -KILL $parent";
    configure(&jp, &format!("\n[mcp.kills]\ncommand = [\"sh\", \"-c\", \"{kills}\"]\n"));
    for more in [&["--detach"][..], &[]] {
        jp.run(&[&["q", "--new", "Go"][..], more].concat()).fails(
            137,
            "error: the process of this query was ended by signal 9\n\
             Hint: nothing was asked yet: run the command again\n",
        );
    }
}

#[test]
fn a_query_that_stays_here_or_keeps_nothing_cannot_be_left() {
    let jp = player("[[answer]]\ntext = \"Done.\"\n");
    for flag in ["--no-server", "--no-persist"] {
        let output = jp.run(&["q", "--detach", flag, "--new", "Go"]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{flag}");
        assert!(output.stderr.contains("cannot be used with"), "{flag}: {}", output.stderr);
    }
}
