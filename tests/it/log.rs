//! Versions and operations: how they are named, listed and counted.

use serde_json::{Value, json};

use crate::support::{Jp, addresses, attachment, message, request};

#[test]
fn the_end_of_a_turn_is_before_what_waits_for_the_next_one() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.append(&id, &[&attachment()]).ok();
    jp.append(&id, &[&request("Two\n"), &message("Second\n")]).ok();
    assert_eq!(addresses(&jp, &id, &["--at", "turn 0"]), [0, 1]);
}

#[test]
fn a_graph_counts_the_events_of_a_commit_by_hand() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    jp.edit(&id, "000-request.md", request("Eins\n"));
    jp.append(&id, &[&request("Two\n")]).ok();
    let events = |args: &[&str]| -> Vec<Value> {
        let log = jp.run(args).json();
        log.as_array().unwrap().iter().map(|operation| operation["events"].clone()).collect()
    };
    let plain = events(&["c", "log", &id, "--format", "json"]);
    assert_eq!(plain, [json!(1), json!(0), json!(2)]);
    assert_eq!(events(&["c", "log", &id, "--graph", "--format", "json"]), plain);
}

#[test]
fn an_address_is_read_alike_everywhere() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    for given in ["0-nonsense", "0-", "turn"] {
        let codes = [
            jp.run(&["c", "fork", &id, "--from", given]).code,
            jp.run(&["c", "cat", &id, given]).code,
            jp.run(&["c", "blame", &id, given]).code,
        ];
        assert_eq!(codes, [2, 2, 2], "{given}");
    }
}

#[test]
fn commits_by_hand_are_counted_and_followed_one_by_one() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("1\n"), &message("2\n"), &request("3\n"), &message("4\n")]);
    jp.edit(&id, "000-request.md", request("Eins\n"));
    // The file is no request any more, so that the second turn is gone.
    jp.edit(&id, "002-request.md", message("3\n"));
    jp.edit(&id, "001-message.md", message("Zwei\n"));
    jp.edit(&id, "002-request.md", request("3\n"));
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    jp.edit(&id, "CONVERSATION", manifest.replace("003-message.md\n", ""));
    let two_turns = jp.tip(&id);
    jp.edit(&id, "002-request.md", message("Drei\n"));
    let log = jp.run(&["c", "log", &id, "--format", "json"]);
    let log: Value = serde_json::from_str(&log.stdout).unwrap();
    let events: Vec<_> = log.as_array().unwrap().iter().map(|one| one["events"].clone()).collect();
    assert_eq!(events, [0, -1, 0, 0, 0, 0, 4].map(|count| json!(count)));
    let at = |moment: &str, version: &str| {
        let shown = jp.run(&["c", "show", &id, "--at", moment, "--format", "json"]);
        serde_json::from_str::<Value>(&shown.stdout).unwrap()["commit"] == json!(version)
    };
    assert!(at("turn 1", &two_turns) && at("turn 0", &jp.tip(&id)));
}
