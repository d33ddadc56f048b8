//! The programs of the documentation, as they stand: that of the guide to checkpoints, killed in the
//! middle and run again, and the client of the protocol.

use std::{ffi::OsString, fs, path::Path};

use serde_json::json;

use crate::support::{Jp, Output};

/// The Python of a page.
fn program(page: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(page);
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("\n```python\n").expect("the page has a program");
    rest.split_once("\n```\n").expect("the program has an end").0.to_owned() + "\n"
}

/// A user with the programs, and with `jp` where they look for it.
fn user() -> Jp {
    let mut path = OsString::from(Path::new(env!("CARGO_BIN_EXE_jp")).parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let jp = Jp::in_workspace().with_var("PATH", path);
    jp.write("agent.py", program("guides/checkpoints.md"));
    jp.write("client.py", program("protocol.md"));
    jp
}

fn python(jp: &Jp, args: &[&str]) -> Output {
    Output::of(jp.command("python3").arg("agent.py").args(args))
}

#[test]
fn the_program_runs_to_its_end() {
    let jp = user();
    let said = python(&jp, &[]).ok();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines[1..], ["It is in note-c1.txt."]);
    let roles: Vec<_> = jp
        .messages(lines[0], &[])
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].clone())
        .collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "assistant"].map(|role| json!(role)));
    assert_eq!(jp.show(lines[0])["status"], "idle");
    jp.assert_sound();
}

#[test]
fn the_program_goes_on_with_the_call_that_it_died_in() {
    let jp = user();
    let crashed = python(&jp.with_var("CRASH", "1"), &[]);
    let id = crashed.stdout.trim_end();
    assert_eq!((crashed.code, crashed.stderr.as_str()), (1, ""));
    assert_eq!(jp.show(id)["status"], "interrupted (pending tool execution)");
    let commit = jp.tip(id);
    let note = jp.path("note-c1.txt");
    assert_eq!(fs::read_to_string(&note).unwrap(), "Carrots from March on");
    fs::write(&note, "written once").unwrap();
    let said = python(&jp, &[id]).ok();
    assert_eq!(said, format!("{id}\nIt is in note-c1.txt.\n"));
    assert_eq!(fs::read_to_string(&note).unwrap(), "written once");
    assert_eq!(
        (jp.show(id)["status"].clone(), jp.show(id)["turns"].clone()),
        (json!("idle"), json!(1))
    );
    // The snapshot from before is still there, and a third run has nothing to do.
    assert_eq!(jp.messages(id, &["--at", &commit]).as_array().unwrap().len(), 3);
    let tip = jp.tip(id);
    assert_eq!((python(&jp, &[id]).ok(), jp.tip(id)), (said, tip));
}

#[test]
fn the_client_prints_what_a_query_says_and_ends_with_it() {
    let jp = user();
    // Far more than fits into one line of the protocol, and then something that comes slowly.
    let long = "A carrot. ".repeat(150_000);
    let slowly: String = (0..100).map(|part| format!("\"{part} \", ")).collect();
    let script = format!("[[answer]]\npause = 20\nstep = [{{ text = [\"{long}\", {slowly}] }}]\n");
    jp.write("../home/script.toml", script);
    let settings = "[assistant]\nmodel = \"play/x\"\n\n\
                    [providers.play]\napi = \"script\"\nfile = \"~/script.toml\"\n";
    jp.write("../config/jp/config.toml", settings);
    let asked = jp.run(&["q", "--detach", "--new", "Go"]);
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    let id = asked.stdout.trim_end();
    let shown = Output::of(jp.command("python3").args(["client.py", id]));
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    let end: String = (90..100).map(|part| format!("{part} ")).collect();
    assert!(shown.stdout.ends_with(&end), "{}", shown.stdout.len());
    // Once nobody serves it, it says so.
    let gone = Output::of(jp.command("python3").args(["client.py", id]));
    assert_eq!((gone.code, gone.stderr.as_str()), (1, "no server is at it\n"));
}
