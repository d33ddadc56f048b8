//! Going on with a turn that was interrupted, or discarding it: the flags, what happens without
//! them, and what travels along.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use serde_json::Value;

use crate::{
    loopback::Loopback,
    query::{answer, ask, client, configure, files, only, player, saying},
    support::{Jp, call, hinted, message, question, request, result, start},
};

const ANSWERS: &str = r#"
[[answer]]
text = "One."

[[answer]]
text = "Two."

[[answer]]
text = "Three."
"#;

/// The tool that events of these tests call.
pub const READ: &str = r#"
[tools.read]
command = ["cat >> did; echo contents"]
shell = true
permission = "allow"
parameters = { type = "object" }
"#;

/// A user whose conversation ends with these events.
fn standing(events: &[&str]) -> (Jp, String) {
    let jp = player(ANSWERS);
    configure(&jp, READ);
    let id = jp.start(events);
    jp.run(&["c", "use", &id]).ok();
    (jp, id)
}

/// The question whether a call may be made, as jp asks it.
pub fn may_run(call: &str) -> String {
    question(&format!("{call}-q0"), call).replace(
        "  type: boolean\n",
        "  type: select\n  options:\n    -\n      value: run\n    -\n      value: refuse\n",
    )
}

fn types(jp: &Jp, id: &str) -> Vec<String> {
    let stream = jp.show(id)["stream"].clone();
    let stream = stream.as_array().unwrap().clone();
    stream.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

fn did(jp: &Jp) -> usize {
    std::fs::read_to_string(jp.path("did")).unwrap_or_default().lines().count()
}

// The table of what is missing, and where the turn goes on.

#[test]
fn no_response_after_the_request_asks_the_model_again() {
    let (jp, id) = standing(&[&request("Go\n")]);
    assert_eq!(answer(ask(&jp, &["--continue-turn"])), "One.\n");
    assert_eq!(types(&jp, &id), ["request", "message"]);
    assert_eq!(jp.show(&id)["status"], "idle");
}

#[test]
fn calls_without_a_result_are_made_and_then_the_model_is_asked() {
    let (jp, id) = standing(&[&request("Go\n"), &call("a"), &call("b"), &result("b", "there\n")]);
    assert_eq!(answer(ask(&jp, &["--continue-turn"])), "One.\n");
    assert_eq!(did(&jp), 1, "only the one that has no result");
    let expected = [
        "request",
        "tool-call",
        "tool-call",
        "tool-result",
        "tool-start",
        "tool-result",
        "message",
    ];
    assert_eq!(types(&jp, &id), expected);
}

#[test]
fn an_unanswered_question_is_decided_and_the_call_is_made() {
    let (jp, id) = standing(&[&request("Go\n"), &call("a"), &may_run("a")]);
    assert_eq!(jp.show(&id)["status"], "waiting-for-input (read)");
    // Nobody is there, and the settings allow it meanwhile.
    assert_eq!(answer(ask(&jp, &["--continue-turn"])), "One.\n");
    assert_eq!(did(&jp), 1);
    assert_eq!(types(&jp, &id)[3], "inquiry-response");
}

#[test]
fn all_results_without_a_follow_up_are_sent_to_the_model() {
    let (jp, id) = standing(&[&request("Go\n"), &call("a"), &result("a", "there\n")]);
    assert_eq!(jp.show(&id)["status"], "interrupted (pending follow-up)");
    assert_eq!(answer(ask(&jp, &["--continue-turn"])), "One.\n");
    assert_eq!(did(&jp), 0);
    assert_eq!(types(&jp, &id), ["request", "tool-call", "tool-result", "message"]);
}

/// A turn with an answer that was acted upon and one that has not ended, which have the same id,
/// goes on without the latter.
#[track_caller]
fn goes_on_after_an_answer_known_as(answer_id: &str) {
    let server = Loopback::start([saying("Done.")]);
    let jp = client(&server);
    configure(&jp, READ);
    let part =
        |text: &str| message(text).replace("model:", &format!("answer: {answer_id}\nmodel:"));
    let events = [request("Go\n"), part("First.\n"), call("a"), result("a", "x\n"), part("Brok")];
    let id = jp.start(&events.each_ref().map(String::as_str));
    assert_eq!(answer(jp.run(&["resume", &id])), "Done.\n");
    let body = &server.requests()[0].body;
    assert!(body.contains("First.") && !body.contains("Brok"), "{body}");
    assert_eq!(types(&jp, &id), ["request", "message", "tool-call", "tool-result", "message"]);
    let printed = jp.run(&["c", "print", &id]).ok();
    assert!(printed.contains("First.") && !printed.contains("Brok"), "{printed}");
    assert_eq!(jp.show(&id)["status"], "idle");
}

#[test]
fn an_answer_whose_id_was_given_twice_is_taken_out_only_as_far_as_it_is_open() {
    goes_on_after_an_answer_known_as("0-0");
}

#[test]
fn an_answer_with_the_largest_of_all_numbers_is_followed_by_another() {
    goes_on_after_an_answer_known_as("x-18446744073709551615");
}

// The table of what is stored while the turn goes on.

/// Runs a query whose tools are these, until a line of its output has this in it; what is stored
/// then, as `show` tells it.
fn stored_when(told: &str, calls: &str, tools: &str, unattended: &str) -> Vec<String> {
    let jp = player(&format!("[[answer]]\nstep = [{calls}]\n\n[[answer]]\ntext = \"Done.\"\n"));
    configure(&jp, tools);
    assert!(jp.command("mkfifo").arg(jp.path("hold")).status().unwrap().success());
    let policy = format!("unattended.all={unattended}");
    let mut query = jp.jp(&[
        "q",
        "--no-server",
        "--non-interactive",
        "--new",
        "--format",
        "json",
        "-c",
        &policy,
        "Go",
    ]);
    let mut child = query.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains(told)), "{told}");
    // What is told is on disk, whatever happens to the process now.
    child.kill().unwrap();
    child.wait().unwrap();
    types(&jp, &only(&jp))
}

const HELD: &str = "\n[tools.held]\ncommand = [\"cat >/dev/null; cat hold\"]\nshell = true\n\
                    permission = \"allow\"\nparameters = { type = \"object\" }\n";

#[test]
fn a_result_is_stored_as_soon_as_its_tool_has_ended() {
    let calls = "{ call = \"held\", arguments = {} }, { call = \"good\", arguments = {} }";
    let stored = stored_when("\"tool-result\"", calls, HELD, "deny");
    let results = stored.iter().filter(|it| *it == "tool-result").count();
    assert_eq!(results, 1, "the other tool still ran: {stored:?}");
}

#[test]
fn a_question_is_stored_when_a_tool_asks_it() {
    let calls = "{ call = \"held\", arguments = {} }, { call = \"asks\", arguments = {} }";
    let stored = stored_when("\"inquiry-request\"", calls, HELD, "queue");
    assert!(stored.contains(&"inquiry-request".to_owned()), "{stored:?}");
    assert!(!stored.contains(&"inquiry-response".to_owned()), "{stored:?}");
}

#[test]
fn an_answer_is_stored_when_it_is_given() {
    let calls = "{ call = \"held\", arguments = {} }, { call = \"asks\", arguments = {} }";
    let stored = stored_when("\"inquiry-response\"", calls, HELD, "auto");
    assert!(stored.contains(&"inquiry-response".to_owned()), "{stored:?}");
    assert!(!stored.contains(&"message".to_owned()), "{stored:?}");
}

// The flags.

#[test]
fn continue_turn_does_nothing_of_its_own_when_the_turn_is_complete() {
    let (jp, id) = standing(&[&request("Go\n"), &message("Done.\n")]);
    let tip = jp.tip(&id);
    let nothing = format!("Nothing to resume: the last turn of {id} is complete\n");
    for args in [&["q", "--continue-turn"][..], &["q", "-E", "--continue-turn"], &["resume"]] {
        let output = jp.run(args);
        let said = (output.code, output.stdout.as_str(), output.stderr.as_str());
        assert_eq!(said, (0, "", nothing.as_str()), "{args:?}");
    }
    assert_eq!(jp.tip(&id), tip);
    // And the query proceeds normally: there is something to ask.
    let asked = jp.run_with_input(&["q", "--continue-turn"], "More?\n");
    assert_eq!(answer(asked), "One.\n");
}

#[test]
fn discard_turn_does_nothing_of_its_own_when_the_turn_is_complete() {
    let (jp, id) = standing(&[&request("Go\n"), &message("Done.\n")]);
    let tip = jp.tip(&id);
    let output = ask(&jp, &["--discard-turn"]);
    assert_eq!((output.code, output.stdout, output.stderr), (0, String::new(), String::new()));
    assert_eq!(jp.tip(&id), tip);
    assert_eq!(answer(ask(&jp, &["--discard-turn", "More?"])), "One.\n");
}

#[test]
fn discard_turn_takes_the_turn_out_in_one_commit_that_can_be_undone_and_redone() {
    let first = [request("First\n"), message("Done.\n")];
    let turn = [request("Go\n"), call("a"), start("a")];
    let events: Vec<_> = first.iter().chain(&turn).map(String::as_str).collect();
    let (jp, id) = standing(&events);
    let before = jp.tree(&id);
    let output = ask(&jp, &["--discard-turn", &format!("--id={id}")]);
    assert_eq!((output.code, output.stdout.as_str()), (0, ""), "{}", output.stderr);
    let said = format!("Discarded the incomplete turn of {id} (3 events)\n");
    assert!(output.stderr.starts_with(&said), "{}", output.stderr);
    assert_eq!(types(&jp, &id), ["request", "message"]);
    assert_eq!(jp.show(&id)["status"], "idle");
    let parent = jp.git(&["rev-parse", &format!("{id}~1^{{tree}}")]);
    assert_eq!(parent.trim_end(), before, "one commit");
    let undo = hinted(&output.stderr).remove(0);
    let undo: Vec<_> = undo.iter().map(String::as_str).collect();
    assert_eq!(undo, ["conversation", "undo", &id]);
    assert_eq!(jp.run(&undo).code, 0);
    assert_eq!(jp.tree(&id), before);
    assert_eq!(jp.show(&id)["status"], "interrupted (pending tool execution)");
    assert_eq!(jp.run(&["c", "redo", &id]).code, 0);
    assert_eq!(types(&jp, &id), ["request", "message"]);
    assert_eq!(did(&jp), 0);
}

#[test]
fn discard_turn_with_a_text_starts_afresh_with_it() {
    let (jp, id) = standing(&[&request("Go\n"), &call("a")]);
    assert_eq!(answer(ask(&jp, &["--discard-turn", "Something else"])), "One.\n");
    assert_eq!(types(&jp, &id), ["request", "message"]);
    let printed = jp.run(&["c", "print", &id]).ok();
    assert!(printed.contains("Something else") && !printed.contains("Go\n"), "{printed}");
    // Two operations: the question, and the discarding before it.
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(types(&jp, &id), [""; 0]);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(types(&jp, &id), ["request", "tool-call"]);
}

#[test]
fn settings_are_stored_for_what_is_asked_in_place_of_the_only_turn() {
    let (jp, id) = standing(&[&request("Go\n")]);
    configure(&jp, "\n[providers.other]\napi = \"script\"\nfile = \"~/script.toml\"\n");
    answer(ask(&jp, &["--discard-turn", "-m", "other/y", "Something else"]));
    assert_eq!(types(&jp, &id), ["config-delta", "request", "message"]);
    answer(ask(&jp, &["And more"]));
    let exported = jp.run(&["c", "export", &id, "--format", "json"]).json();
    let events = exported["turns"][1]["events"].as_array().unwrap();
    assert_eq!(events.last().unwrap()["model"], "other/y");
}

#[test]
fn continue_turn_with_a_text_is_a_mistake_that_says_why() {
    let (jp, id) = standing(&[&request("Go\n")]);
    let tip = jp.tip(&id);
    ask(&jp, &["--continue-turn", "And hurry"]).fails(
        2,
        "error: `--continue-turn` takes no text: the turn goes on as if it had never been \
         interrupted, and a text would change it\n\
         Hint: `jp resume`, and then ask; or `--discard-turn` to ask this instead\n",
    );
    assert_eq!(jp.tip(&id), tip);
    for args in [&["--continue-turn", "--discard-turn"][..], &["--continue-turn", "--new"]] {
        assert_eq!(ask(&jp, args).code, 2, "{args:?}");
    }
    assert_eq!(ask(&jp, &["--again", "a", "Hello"]).code, 2);
}

#[test]
fn no_edit_without_a_text_sends_the_last_request_again() {
    let (jp, id) = standing(&[&request("Go\n")]);
    assert_eq!(answer(ask(&jp, &["-E"])), "One.\n");
    assert_eq!(types(&jp, &id), ["request", "message"]);
    let complete = ask(&jp, &["-E"]);
    assert_eq!(complete.code, 2);
    assert!(complete.stderr.contains("the last turn is complete"), "{}", complete.stderr);
}

#[test]
fn without_a_flag_and_anybody_to_ask_nothing_goes_on_and_both_ways_are_named() {
    let turns = [
        (vec![request("Go\n")], "interrupted (pending LLM response)"),
        (vec![request("Go\n"), call("a")], "interrupted (pending tool execution)"),
        (vec![request("Go\n"), call("a"), result("a", "x\n")], "interrupted (pending follow-up)"),
        (vec![request("Go\n"), call("a"), question("a-q0", "a")], "waiting-for-input (read)"),
    ];
    for (events, status) in turns {
        let (jp, id) = standing(&events.iter().map(String::as_str).collect::<Vec<_>>());
        let tip = jp.tip(&id);
        for args in [&["Hello"][..], &["--no-persist", "Hello"]] {
            let output = ask(&jp, args);
            assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{status}");
            let said = format!("error: conversation {id} has an incomplete turn: {status}");
            assert!(output.stderr.starts_with(&said), "{}", output.stderr);
            let ways = hinted(&output.stderr);
            let id_of = format!("--id={id}");
            assert_eq!(ways[0], ["query", "--continue-turn", &id_of]);
            assert_eq!(ways[1], ["query", "--discard-turn", &id_of]);
            if status.starts_with("waiting") {
                assert!(output.stderr.contains("May I?"), "the question: {}", output.stderr);
            }
        }
        assert_eq!((jp.tip(&id), did(&jp)), (tip, 0), "{status}");
    }
}

#[test]
fn what_is_piped_in_does_not_get_into_a_turn_that_goes_on() {
    let (jp, id) = standing(&[&request("Go\n")]);
    let output = jp.run_with_input(&["q", "--non-interactive", "--continue-turn"], "noise\n");
    assert_eq!(answer(output), "One.\n");
    assert_eq!(types(&jp, &id), ["request", "message"]);
}

// What travels along.

#[test]
fn configuration_that_changed_in_the_turn_applies_when_it_goes_on() {
    let delta = "[assistant]\nmodel = \"other/y\"\n\n[event]\ntype = \"config-delta\"\n\
                 timestamp = \"2026-01-31T12:00:00+01:00\"\n";
    let (jp, id) = standing(&[delta, &request("Go\n"), &call("a")]);
    configure(&jp, "\n[providers.other]\napi = \"script\"\nfile = \"~/script.toml\"\n");
    answer(ask(&jp, &["--continue-turn"]));
    let exported = jp.run(&["c", "export", &id, "--format", "json"]).json();
    let events = exported["turns"][0]["events"].as_array().unwrap();
    assert_eq!(events.last().unwrap()["model"], "other/y");
}

#[test]
fn a_fork_takes_the_turn_along_and_both_go_on_by_themselves() {
    let (jp, id) = standing(&[&request("Go\n"), &call("a"), &question("a-q0", "a")]);
    let fork = jp.run(&["c", "fork", &id, "--format", "json"]);
    let fork: Value = serde_json::from_str(&fork.stdout).unwrap();
    let fork = fork["id"].as_str().unwrap().to_owned();
    assert_eq!(jp.show(&fork)["status"], "waiting-for-input (read)");
    answer(jp.run(&["resume", &fork, "--skip", "a"]));
    assert_eq!(did(&jp), 0);
    assert_eq!(jp.show(&id)["status"], "waiting-for-input (read)", "the other one still waits");
    answer(jp.run(&["resume", &id]));
    assert_eq!(did(&jp), 1);
    let last = |id: &str| jp.run(&["c", "print", id, "--tools"]).ok();
    assert!(last(&fork).contains("The user decided not to run this."));
    assert!(last(&id).contains("contents"));
}

#[test]
fn a_fork_that_ends_in_the_middle_of_a_turn_can_go_on() {
    let events = [
        request("Go\n"),
        call("a"),
        call("b"),
        result("a", "one\n"),
        result("b", "two\n"),
        message("Done.\n"),
    ];
    let (jp, id) = standing(&events.iter().map(String::as_str).collect::<Vec<_>>());
    for (until, status, ran) in [
        ("000", "interrupted (pending LLM response)", 0),
        ("002", "interrupted (pending tool execution)", 2),
        ("003", "interrupted (pending tool execution)", 1),
        ("004", "interrupted (pending follow-up)", 0),
    ] {
        let fork = jp.run(&["c", "fork", &id, "--until", until]);
        assert_eq!(fork.code, 0, "{}", fork.stderr);
        let fork = fork.stdout.trim_end().to_owned();
        assert_eq!(jp.show(&fork)["status"], status, "{until}");
        let before = did(&jp);
        answer(jp.run(&["resume", &fork]));
        assert_eq!(did(&jp) - before, ran, "{until}");
        assert_eq!(jp.show(&fork)["status"], "idle", "{until}");
    }
    assert_eq!(jp.show(&id)["events"], 6);
}

#[test]
fn a_turn_goes_on_in_a_fork_if_that_is_wanted() {
    let (jp, id) = standing(&[&request("Go\n"), &call("a")]);
    answer(jp.run(&["resume", &id, "--fork"]));
    assert_eq!(jp.show(&id)["status"], "interrupted (pending tool execution)");
    assert_eq!(did(&jp), 1);
    answer(jp.run(&["resume", &id]));
    assert_eq!(did(&jp), 2, "each of them for itself");
}

#[test]
fn a_conversation_that_was_interrupted_goes_on_in_another_store() {
    let script = "[[answer]]\nstep = [{ text = \"Look.\" }, { call = \"asks\", arguments = {} }]\n\
                  [[answer]]\ntext = \"Done.\"\n";
    let here = player(script);
    let output = ask(&here, &["--new", "Go", "-c", "unattended.all=queue"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let id = only(&here);
    here.run(&["c", "export", &id, "--dir", "../out"]);
    let there = player(script);
    let moved = here.path("../out");
    let imported = there.run(&["c", "import", moved.to_str().unwrap()]);
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    let other = only(&there);
    assert_eq!(there.show(&other)["status"], "waiting-for-input (asks)");
    assert_eq!(there.tree(&other), here.tree(&id), "byte for byte");
    let resumed = there.run(&["resume", &other, "-c", "unattended.all=auto"]);
    assert_eq!(answer(resumed), "Done.\n");
    assert_eq!(there.show(&other)["status"], "idle");
    assert_eq!(here.show(&id)["status"], "waiting-for-input (asks)");
}

#[test]
fn an_edit_leaves_the_turn_as_it_is_and_it_goes_on_with_what_was_edited() {
    let (jp, id) = standing(&[&request("Frist\n"), &call("a")]);
    let editor = jp.with_var("JP_EDITOR", "sed -i s/Frist/First/");
    let edited = editor.run(&["c", "edit", &id, "0"]);
    assert_eq!(edited.code, 0, "{}", edited.stderr);
    assert_eq!(jp.show(&id)["status"], "interrupted (pending tool execution)");
    answer(jp.run(&["resume"]));
    let printed = jp.run(&["c", "print", &id]).ok();
    assert!(printed.contains("First") && printed.contains("One."), "{printed}");
}

#[test]
fn what_the_model_was_told_is_kept_beside_the_conversation() {
    let jp = player(ANSWERS);
    jp.write("AGENTS.md", "Speak plainly.\n");
    answer(ask(&jp, &["--new", "Hello"]));
    let id = only(&jp);
    let prompt = jp.git(&["show", &format!("{id}:.conversation/system-prompt.md")]);
    assert_eq!(prompt, "Speak plainly.");
    let tools = jp.git(&["show", &format!("{id}:.conversation/tools.json")]);
    let tools: Value = serde_json::from_str(&tools).unwrap();
    assert!(tools.as_array().unwrap().iter().any(|tool| tool["name"] == "asks"), "{tools}");
    // It is written only if it changes.
    let blob = |name: &str| jp.git(&["rev-parse", &format!("{id}:.conversation/{name}")]);
    let before = (blob("system-prompt.md"), blob("tools.json"));
    answer(ask(&jp, &["Again"]));
    assert_eq!((blob("system-prompt.md"), blob("tools.json")), before);
    jp.write("AGENTS.md", "Speak up.\n");
    answer(ask(&jp, &["And again"]));
    assert_ne!(blob("system-prompt.md"), before.0);
    assert_eq!(blob("tools.json"), before.1);
    assert_eq!(jp.run(&["c", "fsck", &id]).code, 0);
    assert_eq!(files(&jp, &id).len(), 6);
}
