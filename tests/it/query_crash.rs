//! What a query leaves that is killed anywhere: all that was finished, and nothing that runs twice.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::{
    crash::{kill_and_check, sound},
    query::{answer, ask, configure, only, player},
    support::{Jp, Output},
};

const SCRIPT: &str = r#"
[[answer]]
text = "Hello."

[[answer]]
step = [
    { reasoning = "Hm." },
    { text = "Let me see." },
    { call = "one", arguments = {} },
    { call = "two", arguments = {} },
    { call = "three", arguments = {} },
]

[[answer]]
text = "All done."
"#;

const NAMES: [&str; 3] = ["one", "two", "three"];

fn scene() -> (Jp, Option<String>) {
    let jp = player(SCRIPT);
    for name in NAMES {
        let command = format!("command = [\"cat >> ran-{name}; echo done\"]\nshell = true");
        configure(&jp, &format!("\n[tools.{name}]\n{command}\npermission = \"allow\"\n"));
    }
    answer(ask(&jp, &["--new", "Hello"]));
    let id = only(&jp);
    (jp, Some(id))
}

#[test]
fn a_turn_with_three_tools_survives_that_it_is_killed_anywhere() {
    let failures = kill_and_check(
        scene,
        |id| {
            let id = format!("--id={}", id.unwrap());
            ["q", "--no-server", "--non-interactive", "--format", "json", &id, "Go"]
                .map(str::to_owned)
                .to_vec()
        },
        |jp, id, killed| check(jp, id.unwrap(), killed),
    );
    assert_eq!(failures, Vec::<String>::new());
}

/// Checks what is left, and completes the turn as far as that is safe.
fn check(jp: &Jp, id: &str, killed: &Output) -> Result<(), String> {
    // The order of threads differs from run to run: a late point may come after the end.
    if !matches!(killed.code, 0 | 137) {
        return Err(format!("it ended otherwise: {killed:?}"));
    }
    sound(jp, &jp.store())?;
    let fsck = jp.run(&["c", "fsck", id]);
    if fsck.code != 0 {
        return Err(format!("fsck: {fsck:?}"));
    }
    let kept = events(jp, id);
    for line in killed.stdout.lines().filter(|line| line.ends_with('}')) {
        let told: Value = serde_json::from_str(line).map_err(|e| format!("{line}: {e}"))?;
        let same = |event: &&Value| {
            ["address", "type", "content", "id"].iter().all(|key| event[key] == told[key])
        };
        if told["type"] != "end" && !kept.iter().any(|event| same(&event)) {
            return Err(format!("told and lost: {line}"));
        }
    }
    let status = jp.show(id)["status"].as_str().unwrap().to_owned();
    let expected = expected_status(&kept);
    let all = jp.run(&["c", "ls", "--format", "json"]).json();
    if status != expected || all[0]["status"] != status.as_str() {
        return Err(format!("`{status}` instead of `{expected}`; {all}"));
    }
    go_on(jp, id, &kept)
}

/// The events of the turn, as `export` tells them.
fn events(jp: &Jp, id: &str) -> Vec<Value> {
    let exported = jp.run(&["c", "export", id, "--format", "json"]).ok();
    let value: Value = serde_json::from_str(&exported).unwrap();
    let turns = value["turns"].as_array().unwrap();
    turns.iter().skip(1).flat_map(|turn| turn["events"].as_array().unwrap().clone()).collect()
}

fn count(kept: &[Value], event_type: &str) -> usize {
    kept.iter().filter(|event| event["type"] == event_type).count()
}

fn expected_status(kept: &[Value]) -> &'static str {
    let (calls, results) = (count(kept, "tool-call"), count(kept, "tool-result"));
    let last = kept.last().and_then(|event| event["content"].as_str());
    match kept.len() {
        0 => "idle",
        _ if last == Some("All done.") => "idle",
        // An answer that has not ended does not count.
        _ if calls > 0 && !kept.iter().any(|event| event["finish"] == "tool-calls") => {
            "interrupted (pending LLM response)"
        }
        _ if calls > results => "interrupted (pending tool execution)",
        _ if calls > 0 => "interrupted (pending follow-up)",
        _ => "interrupted (pending LLM response)",
    }
}

fn go_on(jp: &Jp, id: &str, kept: &[Value]) -> Result<(), String> {
    let named = format!("--id={id}");
    let results = count(kept, "tool-result");
    let unsure = count(kept, "tool-start") > results;
    let is_over = expected_status(kept) == "idle";
    let next = match is_over {
        true => Output { stdout: String::new(), bytes: vec![], stderr: String::new(), code: 0 },
        false => ask(jp, &["-E", &named]),
    };
    for name in NAMES {
        // A model that did not get to finish an answer may make a call of the same tool again.
        let ran = fs::read_to_string(jp.path(format!("ran-{name}"))).unwrap_or_default();
        let call = |line: &str| serde_json::from_str::<Value>(line).unwrap()["call_id"].to_string();
        let calls: BTreeSet<_> = ran.lines().map(call).collect();
        if calls.len() < ran.lines().count() {
            return Err(format!("`{name}` ran twice: {ran}"));
        }
    }
    if unsure && (next.code != 1 || !next.stderr.contains("may have run already")) {
        return Err(format!("unsure, but: {next:?}"));
    }
    if !unsure && next.code != 0 {
        return Err(format!("it does not go on: {next:?} after {kept:?}"));
    }
    if unsure || kept.is_empty() {
        if unsure && jp.run(&["c", "undo", id]).code != 0 {
            return Err("it cannot be taken back".to_owned());
        }
        let again = ask(jp, &[&named, "Go"]);
        if again.code != 0 {
            return Err(format!("not even then: {again:?}"));
        }
    }
    let ended = events(jp, id);
    if ended.last().map(|event| &event["content"]) != Some(&"All done.".into()) {
        return Err(format!("it did not end: {ended:?}"));
    }
    sound(jp, &jp.store())
}
