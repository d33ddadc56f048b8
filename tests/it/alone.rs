//! Queries that are left alone: what they hold and run, who is told of them, and what is said when
//! they go wrong.

use std::fs::{self, File};

use crate::{
    attending::{HELD, let_go, scene, wait_for_hold},
    mcp::{declared_by, played},
    query::{configure, player},
    serve::{detach, entry, kill, wait, wait_until, works},
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

#[test]
fn a_query_that_stays_here_or_keeps_nothing_cannot_be_left() {
    let jp = player("[[answer]]\ntext = \"Done.\"\n");
    for flag in ["--no-server", "--no-persist"] {
        let output = jp.run(&["q", "--detach", flag, "--new", "Go"]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{flag}");
        assert!(output.stderr.contains("cannot be used with"), "{flag}: {}", output.stderr);
    }
}
