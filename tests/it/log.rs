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
