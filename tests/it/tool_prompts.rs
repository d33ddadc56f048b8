//! Prompts that outlive a process: what nobody could decide stays open, and a later run goes on
//! with the same question.

use std::fs;

use serde_json::Value;

use crate::{
    query::{answer, ask, configure, only, player},
    support::Jp,
};

const SCRIPT: &str = r#"
[[answer]]
step = [{ call = "t", arguments = {} }]

[[answer]]
text = "Done."
"#;

/// A user whose tool `t` appends to `did`, on these terms, and what is settled for nobody.
fn scene(terms: &str) -> Jp {
    let jp = player(SCRIPT);
    let tool = "\n[tools.t]\ncommand = [\"cat >> did; echo secret\"]\nshell = true\n";
    configure(&jp, &format!("{tool}{terms}\n"));
    jp
}

/// The events of the turn with these types.
fn events(jp: &Jp, types: &[&str]) -> Vec<Value> {
    let exported = jp.run(&["c", "export", &only(jp), "--format", "json"]).json();
    let events = exported["turns"][0]["events"].as_array().unwrap().clone();
    events.into_iter().filter(|event| types.iter().any(|it| event["type"] == *it)).collect()
}

/// The questions and answers of the turn: type and id.
fn asked(jp: &Jp) -> Vec<(String, String)> {
    let events = events(jp, &["inquiry-request", "inquiry-response"]);
    let word = |event: &Value, key: &str| event[key].as_str().unwrap().to_owned();
    events.iter().map(|event| (word(event, "type"), word(event, "id"))).collect()
}

fn did(jp: &Jp) -> usize {
    fs::read_to_string(jp.path("did")).unwrap_or_default().lines().count()
}

/// Asks when nobody is there, and the question stays open.
fn left_open(jp: &Jp) -> Vec<(String, String)> {
    let output = ask(jp, &["--new", "Go", "-c", "unattended.all=queue"]);
    let id = only(jp);
    assert_eq!(output.code, 1, "{output:?}");
    let hint = format!("jp resume {id}");
    assert!(output.stderr.contains(&hint), "{}", output.stderr);
    assert_eq!(jp.show(&id)["status"], "waiting-for-input (t)");
    let list = jp.run(&["c", "ls", "--format", "json"]).json();
    assert_eq!(list[0]["status"], "waiting-for-input (t)");
    let asked = asked(jp);
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].0, "inquiry-request");
    asked
}

/// Goes on, and the question that was open has the only answer.
fn goes_on(jp: &Jp, open: &[(String, String)], args: &[&str]) {
    let named = format!("--id={}", only(jp));
    let output = ask(jp, &[&["--no-edit", &named], args].concat());
    assert_eq!(answer(output), "Done.\n");
    let answered = ("inquiry-response".to_owned(), open[0].1.clone());
    assert_eq!(asked(jp), [open[0].clone(), answered]);
    assert_eq!(jp.show(&only(jp))["status"], "idle");
}

#[test]
fn a_permission_that_nobody_could_give_is_given_later() {
    let jp = scene("");
    let open = left_open(&jp);
    assert_eq!(did(&jp), 0);
    // It is as open after another run without anybody.
    let again = ask(&jp, &["--no-edit", "-c", "unattended.all=queue"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert_eq!(asked(&jp), open);
    goes_on(&jp, &open, &["-c", "unattended.all=auto"]);
    assert_eq!(did(&jp), 1);
}

#[test]
fn a_permission_that_is_settled_meanwhile_need_not_be_asked_for() {
    let jp = scene("");
    let open = left_open(&jp);
    configure(&jp, "permission = \"allow\"\n");
    goes_on(&jp, &open, &[]);
    assert_eq!(did(&jp), 1);
    let starts = events(&jp, &["tool-start"]);
    assert_eq!(starts[0]["rest"]["allowed_by"], "settings", "{starts:?}");
}

#[test]
fn a_result_that_nobody_could_decide_about_is_delivered_later_and_the_tool_not_run_again() {
    let jp = scene("permission = \"allow\"\ndeliver = \"ask\"");
    let open = left_open(&jp);
    assert_eq!(did(&jp), 1);
    goes_on(&jp, &open, &["-c", "unattended.all=auto"]);
    assert_eq!(did(&jp), 1);
    assert_eq!(events(&jp, &["tool-result"])[0]["content"], "secret\n");
}

#[test]
fn a_result_is_delivered_even_if_its_tool_is_gone() {
    let jp = scene("permission = \"allow\"\ndeliver = \"ask\"");
    let open = left_open(&jp);
    let gone = ["-c", "tools.t.enable=false", "-c", "unattended.all=auto"];
    goes_on(&jp, &open, &[&["--continue-turn=today"], &gone[..]].concat());
    assert_eq!(did(&jp), 1);
    assert_eq!(events(&jp, &["tool-result"])[0]["content"], "secret\n");
}
