//! `run_command`: a program, its words, and nothing that reads them.

use std::{fs, time::Duration};

use serde_json::json;

use super::*;

#[test]
fn a_program_gets_its_words_as_they_are() {
    let bench = Bench::new();
    let words = ["printf", "%s|", "a b", "$HOME", "*", "; rm -rf .", "\n", "", "\u{202e}"];
    let printed = bench.run("run_command", json!({ "command": words }));
    assert_eq!(printed, Ok("a b|$HOME|*|; rm -rf .|\n||\u{202e}|".to_owned()));
    let subject = bench.tool("run_command").subject(&json!({ "command": words }));
    assert_eq!(subject.argv, Some(words.map(str::to_owned).to_vec()));
    assert_eq!(subject.paths, ["."]);
}

#[test]
fn a_program_runs_in_a_directory_of_the_workspace() {
    let bench = Bench::new().with(&[("d/f", "x")]).link("l", "d").link("out", "..");
    let run = |cwd: &str| bench.run("run_command", json!({ "command": ["pwd", "-P"], "cwd": cwd }));
    let real = bench.root().canonicalize().unwrap();
    assert_eq!(run(""), Ok(format!("{}\n", real.display())));
    assert_eq!(run("d"), Ok(format!("{}\n", real.join("d").display())));
    assert_eq!(run("l"), Ok(format!("{}\n", real.join("d").display())));
    for (cwd, expected) in [
        ("..", "was not run: `..` is outside of the workspace."),
        ("out", "did nothing: `out` leads out of the workspace, through the symbolic link `out`."),
        ("d/f", "did nothing: `d/f` is not a directory."),
        (".git", "was not run: `.git` is off limits: what belongs to git is left to git."),
    ] {
        assert_eq!(run(cwd), Err(format!("The tool `run_command` {expected}")));
    }
}

#[test]
fn what_a_program_prints_is_text() {
    let bench = Bench::new();
    let run = |command: &[&str]| bench.run("run_command", json!({ "command": command }));
    let typed = "{\"jp\": {\"type\": \"error\", \"message\": \"x\"}}";
    assert_eq!(run(&["printf", "%s", typed]), Ok(typed.to_owned()));
    let both = run(&["sh", "-c", "echo out; echo err >&2"]);
    assert_eq!(both, Ok("out\n\nstderr:\nerr\n".to_owned()));
    assert_eq!(run(&["sh", "-c", "echo err >&2"]), Ok("stderr:\nerr\n".to_owned()));
    assert_eq!(
        run(&["sh", "-c", "echo out; echo err >&2; exit 3"]),
        Err("The command `sh` failed with exit status 3.\n\nstderr:\nerr\n\nstdout:\nout"
            .to_owned())
    );
    let missing = run(&["no-such-program", "x"]).unwrap_err();
    assert_eq!(
        missing,
        "The command `no-such-program` was not run: `no-such-program` cannot be run: No such file \
         or directory. It, or the interpreter that its first line names, is not installed or not \
         in `PATH`: there is no shell that would know more."
    );
}

#[test]
fn a_program_sees_no_keys_and_has_its_limits() {
    let mut bench = Bench::new();
    bench.vars.push(("OPENAI_API_KEY".into(), "sk-0123456789".into()));
    bench.vars.push(("EXTRA".into(), "x".into()));
    bench.keys.push("OPENAI_API_KEY".to_owned());
    bench.adjusted.environment = vec!["EXTRA".to_owned(), "OPENAI_API_KEY".to_owned()];
    let printed = bench.run("run_command", json!({ "command": ["env"] })).unwrap();
    let names: Vec<_> = printed.lines().filter_map(|line| line.split('=').next()).collect();
    assert!(names.contains(&"EXTRA") && !names.contains(&"OPENAI_API_KEY"), "{printed}");
    bench.adjusted.timeout = Some(Duration::from_millis(50));
    let asked = json!({ "command": ["sleep", "1000"], "timeout": 1000 });
    let stopped = bench.run("run_command", asked).unwrap_err();
    assert!(
        stopped.starts_with("The command `sleep` was stopped because it was not done after 0.05 s"),
        "{stopped}"
    );
    bench.adjusted.output_limit = Some(8);
    let long = bench.run("run_command", json!({ "command": ["printf", "0123456789"] })).unwrap();
    let saved = fs::read_dir(bench.directory.path().join("outputs")).unwrap().count();
    assert!(long.starts_with("012345\n[2 of 10 bytes are left out here; the whole"), "{long}");
    assert_eq!(saved, 1);
}

#[test]
fn what_is_no_command_is_refused() {
    let bench = Bench::new();
    let check = |arguments| bench.tool("run_command").check(&arguments).unwrap_err();
    let refused = "The tool `run_command` was not run: ";
    let empty = check(json!({ "command": [""] }));
    assert_eq!(empty, format!("{refused}`command` names no program."));
    let nul = check(json!({ "command": ["a", "b\0"] }));
    assert_eq!(nul, format!("{refused}`command` has a NUL in it, which no argument can."));
    let shell = check(json!({ "command": "ls -l" }));
    assert_eq!(
        shell,
        format!("{refused}its arguments are wrong.\n- `command`: expected array, got \"ls -l\"")
    );
}
