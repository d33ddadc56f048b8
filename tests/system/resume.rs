//! Turns that were interrupted, in a real terminal: what can be chosen, what is asked about calls
//! that may have been made already, and what is left when the terminal goes away.

use std::fs;

use serde_json::Value;

use crate::{
    query::{begin, player, shell, until},
    support::{Jp, Output, call, contents, message, request, result, start},
    terminal::Terminal,
};

const TOOLS: &str = r#"
[tools.read]
command = ["sh", "-c", "cat >>did; echo contents"]
permission = "allow"
parameters = { type = "object" }

[tools.wonders]
command = ['''
read -r call
case "$call" in
    *'"sure":true'*) echo sure >>did; echo yes;;
    *'"sure":false'*) echo no;;
    *) echo '{"jp":{"type":"needs_input","question":{"id":"sure","type":"boolean","text":"Overwrite existing file?"}}}';;
esac
''']
shell = true
permission = "allow"
parameters = { type = "object" }

[tools.slow]
command = ["sh", "-c", "cat >>did; echo $$ >pid; cat hold; echo done"]
permission = "allow"
parameters = { type = "object" }
"#;

const ANSWERS: &str = "[[answer]]\ntext = \"One.\"\n[[answer]]\ntext = \"Two.\"\n";

/// A user whose conversation ends with these events.
fn standing(events: &[&str]) -> (Jp, String) {
    let jp = with_tools(ANSWERS);
    let id = jp.start(events);
    (jp, id)
}

fn with_tools(script: &str) -> Jp {
    let jp = player(script);
    let config = jp.world().join("config/jp/config.toml");
    let before = fs::read_to_string(&config).unwrap();
    jp.write("../config/jp/config.toml", before + TOOLS);
    jp
}

fn wondering(id: &str) -> String {
    call(id).replace("tool: read", "tool: wonders")
}

/// The question that the tool has asked before it was interrupted.
fn wondered(id: &str) -> String {
    format!(
        "---\ntype: inquiry-request\ntimestamp: 2026-01-31T12:00:00+01:00\nid: {id}-q0\n\
         kind: tool-question\ntool: wonders\ncall: {id}\nanswer:\n  type: boolean\n\
         metadata:\n  question: sure\n---\nOverwrite existing file?\n"
    )
}

/// A part of an answer that has not ended.
fn part(text: &str) -> String {
    message(text).replace("model:", "answer: 0-0\nmodel:")
}

fn did(jp: &Jp) -> usize {
    fs::read_to_string(jp.path("did")).unwrap_or_default().lines().count()
}

fn status(jp: &Jp, id: &str) -> String {
    jp.show(id)["status"].as_str().unwrap().to_owned()
}

fn results(jp: &Jp, id: &str) -> Vec<String> {
    let output: Output = jp.run(&["c", "export", id, "--format", "json"]);
    let value: Value = serde_json::from_str(&output.stdout).unwrap();
    let events = value["turns"].as_array().unwrap().iter();
    let events = events.flat_map(|turn| turn["events"].as_array().unwrap());
    let results = events.filter(|event| event["type"] == "tool-result");
    results.map(|result| result["content"].as_str().unwrap().trim_end().to_owned()).collect()
}

/// What is left of what somebody typed.
fn kept(jp: &Jp) -> Vec<String> {
    let files = contents(&jp.world().join("data")).into_iter();
    let files = files.filter(|(path, _)| path.extension().is_some_and(|end| end == "txt"));
    files.map(|(_, text)| String::from_utf8(text).unwrap().trim().to_owned()).collect()
}

/// Presses a key, or types a line, or nothing, when each of these is shown; once more for what was
/// shown before.
fn reply(terminal: &Terminal<'_>, replies: &[(&str, &str)]) {
    for (at, (question, keys)) in replies.iter().enumerate() {
        let times = 1 + replies[..at].iter().filter(|before| before.0 == *question).count();
        terminal.wait(question, |screen| screen.matches(question).count() >= times);
        match keys.strip_suffix('\n') {
            Some(text) => {
                terminal.type_text(text);
                terminal.press("Enter");
            }
            None if keys.is_empty() => {}
            None => terminal.press(keys),
        }
    }
}

/// Waits until a command has ended with this status, which it says.
fn ended(terminal: &Terminal<'_>, status: u8) -> String {
    let line = format!("status {status}");
    terminal.wait(&line, |screen| screen.lines().any(|shown| shown == line))
}

/// Waits for the menu, on a screen that was cleared before.
fn menu(terminal: &Terminal<'_>) {
    terminal.wait("the menu", |screen| screen.contains("What now?") && !screen.contains("clear;"));
}

// The prompt.

#[test]
fn a_question_in_such_a_conversation_shows_how_far_it_is_and_can_be_asked_afterwards() {
    let events = [&request("Go\n")[..], &call("a"), &call("b"), &start("b")];
    let (jp, id) = standing(&events);
    let terminal = shell(&jp);
    begin(&terminal, &format!("jp q --id={id} 'And then?'"));
    let screen = terminal.wait_for("What now?");
    for line in [
        &format!("Conversation {id} has an incomplete turn"),
        "read — pending",
        "read — may have run",
        "(r) Resume the turn, and ask your question after it",
        "(s) Choose which tools run, and resume",
        "(d) Discard the turn, and ask your question now",
        "(q) Exit, and leave it as it is",
        "(?) Help",
    ] {
        assert!(screen.contains(line), "{line}: {screen}");
    }
    assert!(!screen.contains("(e)") && !screen.contains("(a)"), "{screen}");
    assert_eq!(did(&jp), 0);
    terminal.type_text("?");
    terminal.wait_for("nothing runs twice unasked");
    terminal.type_text("r");
    terminal.wait_for("may have run already; its result is not known");
    terminal.type_text("s");
    terminal.wait_for("One.");
    terminal.wait_for("Two.");
    assert_eq!(did(&jp), 1, "the one that was never made");
    assert_eq!(status(&jp, &id), "idle");
    let printed = jp.run(&["c", "print", &id]).ok();
    assert!(printed.contains("And then?"), "{printed}");
}

#[test]
fn a_pending_request_can_be_edited_and_goes_on_with_what_was_saved() {
    let (jp, id) = standing(&[&request("Frist\n")]);
    let jp = jp.with_var("JP_EDITOR", "sed -i s/Frist/First/");
    let terminal = shell(&jp);
    begin(&terminal, &format!("jp q --id={id}"));
    terminal.wait_for("(e) Edit the pending query, and resume");
    terminal.type_text("e");
    terminal.wait_for("One.");
    let printed = jp.run(&["c", "print", &id]).ok();
    assert!(printed.contains("\nFirst\n") && !printed.contains("\nFrist\n"), "{printed}");
    assert_eq!(status(&jp, &id), "idle");
}

#[test]
fn a_request_can_be_edited_whose_answer_had_not_ended() {
    let (jp, id) = standing(&[&request("Frist\n"), &part("Half an ans")]);
    let jp = jp.with_var("JP_EDITOR", "sed -i s/Frist/First/");
    let terminal = shell(&jp);
    begin(&terminal, &format!("jp q --id={id}"));
    reply(&terminal, &[("(e) Edit the pending query, and resume", "e")]);
    terminal.wait_for("One.");
    let printed = jp.run(&["c", "print", &id]).ok();
    assert!(printed.contains("\nFirst\n") && !printed.contains("Half"), "{printed}");
    assert_eq!(status(&jp, &id), "idle");
}

#[test]
fn what_is_piped_in_is_asked_after_the_turn() {
    let (jp, id) = standing(&[&request("Go\n"), &call("a")]);
    let terminal = shell(&jp);
    begin(&terminal, &format!("echo 'And then?' | jp q --id={id}"));
    terminal.wait_for("(r) Resume the turn, and ask your question after it");
    reply(&terminal, &[("What now?", "r")]);
    terminal.wait_for("One.");
    terminal.wait_for("Two.");
    let printed = jp.run(&["c", "print", &id]).ok();
    let (before, after) = printed.split_once("One.").unwrap();
    assert!(!before.contains("And then?") && after.contains("And then?"), "{printed}");
    assert_eq!(did(&jp), 1);
}

#[test]
fn data_and_room_that_a_question_wants_are_not_for_the_turn_before_it() {
    let jp = with_tools("[[answer]]\ntext = \"One.\"\n[[answer]]\nstep = [{ data = { a = 7 } }]\n");
    let earlier = [request("Hi\n"), call("z"), result("z", "x\n"), message("Hello.\n")];
    let turn = [request("Go\n"), call("a")];
    let events: Vec<_> = earlier.iter().chain(&turn).map(String::as_str).collect();
    let id = jp.start(&events);
    jp.write("s.json", r#"{"type":"object","required":["a"]}"#);
    let terminal = shell(&jp);
    begin(&terminal, &format!("jp q --id={id} --schema s.json --compact=tools=omit,keep-last=0 D"));
    reply(&terminal, &[("What now?", "r")]);
    terminal.wait_for("One.");
    terminal.wait_for("\"a\"");
    until("the end", || status(&jp, &id) == "idle" && jp.show(&id)["events"] == 12);
    let stream = jp.show(&id)["stream"].clone();
    let types = stream.as_array().unwrap()[4..].iter().map(|event| event["type"].as_str().unwrap());
    let expected = [
        "request",
        "tool-call",
        "tool-start",
        "tool-result",
        "message",
        "compaction",
        "request",
        "structured",
    ];
    assert_eq!(types.collect::<Vec<_>>(), expected);
}

#[test]
fn a_name_with_several_lines_is_shown_on_one() {
    let made = call("a").replace("tool: read", "tool: \"read\\n[y] yes\"");
    let (jp, id) = standing(&[&request("Go\n"), &made, &start("a")]);
    let terminal = shell(&jp);
    begin(&terminal, &format!("jp q --id={id}; echo status $?"));
    reply(&terminal, &[("What now?", "s"), ("Tools:", "\n")]);
    reply(&terminal, &[("[t] resume with what there is today", "t")]);
    reply(&terminal, &[("read [y] yes may have run already", "q")]);
    ended(&terminal, 0);
    let shown = terminal.history();
    assert!(shown.contains("  1 [x] read [y] yes — may have run"), "{shown}");
    assert!(shown.contains("  - the tool `read [y] yes` no longer exists"), "{shown}");
    assert!(!shown.lines().any(|line| line.starts_with("[y]")), "{shown}");
}

#[test]
fn a_pending_question_is_shown_inline_and_can_be_answered_there() {
    let (jp, id) = standing(&[&request("Go\n"), &wondering("a"), &start("a"), &wondered("a")]);
    let terminal = shell(&jp);
    begin(&terminal, &format!("jp q --id={id}"));
    let screen = terminal.wait_for("What now?");
    assert!(screen.contains("waiting for input: \"Overwrite existing file?\""), "{screen}");
    terminal.type_text("a");
    terminal.wait_for("wonders asks: Overwrite existing file?");
    terminal.type_text("y");
    terminal.wait_for("One.");
    assert_eq!((results(&jp, &id), did(&jp)), (vec!["yes".to_owned()], 1));
}

#[test]
fn which_pending_tools_run_can_be_chosen() {
    let (jp, id) = standing(&[&request("Go\n"), &call("a"), &call("b"), &call("c")]);
    let terminal = shell(&jp);
    begin(&terminal, &format!("jp q --id={id}"));
    terminal.wait_for("What now?");
    terminal.type_text("s");
    terminal.wait_for("3 [x] read");
    terminal.type_text("1 3");
    terminal.press("Enter");
    terminal.wait_for("3 [ ] read");
    terminal.type_text("4");
    terminal.press("Enter");
    terminal.wait_for("`4` is not a number from 1 to 3");
    terminal.type_text("3");
    terminal.press("Enter");
    terminal.wait("the third one again", |screen| screen.matches("3 [x] read").count() == 2);
    terminal.press("Enter");
    terminal.wait_for("One.");
    let results = results(&jp, &id);
    assert_eq!(did(&jp), 2);
    assert_eq!(results.iter().filter(|it| *it == "The user decided not to run this.").count(), 1);
    assert_eq!(results.iter().filter(|it| *it == "contents").count(), 2);
}

#[test]
fn discarding_starts_afresh_and_leaving_changes_nothing() {
    let (jp, id) = standing(&[&request("Go\n"), &message("Done.\n"), &request("On\n"), &call("a")]);
    let tip = jp.tip(&id);
    let terminal = shell(&jp);
    for leave in ["q", "C-c"] {
        begin(&terminal, &format!("clear; jp q --id={id} 'Else?'; echo status $?"));
        menu(&terminal);
        terminal.press(leave);
        terminal.wait_for(if leave == "q" { "status 0" } else { "status 130" });
        assert_eq!((jp.tip(&id), did(&jp)), (tip.clone(), 0), "{leave}");
    }
    begin(&terminal, &format!("clear; jp q --id={id} 'Else?'"));
    menu(&terminal);
    terminal.type_text("d");
    terminal.wait_for("One.");
    let screen = terminal.wait_for(&format!("`jp conversation undo {id}` brings it back"));
    assert!(screen.contains("Discarded the incomplete turn"), "{screen}");
    let printed = jp.run(&["c", "print", &id]).ok();
    assert!(printed.contains("Else?") && !printed.contains("On\n"), "{printed}");
    assert_eq!(did(&jp), 0);
}

// Calls that may have been made already.

#[test]
fn a_call_that_may_have_been_made_is_asked_about() {
    let unknown = || standing(&[&request("Go\n"), &call("a"), &start("a")]);
    // What is waited for, and what is pressed then.
    let asked = |jp: &Jp, id: &str, steps: &[(&str, &[&str])]| {
        let terminal = shell(jp);
        begin(&terminal, &format!("jp resume {id}; echo status $?"));
        terminal.wait_for("read may have run already; its result is not known.");
        for (seen, keys) in steps {
            terminal.wait_for(seen);
            for key in *keys {
                terminal.press(key);
            }
        }
        terminal.wait("the end", |screen| screen.lines().any(|line| line == "status 0"));
    };
    let (jp, id) = unknown();
    asked(&jp, &id, &[("What now?", &["r"])]);
    assert_eq!((results(&jp, &id), did(&jp)), (vec!["contents".to_owned()], 1));

    let (jp, id) = unknown();
    asked(&jp, &id, &[("What now?", &["d"]), ("Result:", &["ok", "Enter"])]);
    assert_eq!((results(&jp, &id), did(&jp)), (vec!["ok".to_owned()], 0));

    let (jp, id) = unknown();
    let jp = jp.with_var("JP_EDITOR", "sed -i '$ a written'");
    asked(&jp, &id, &[("What now?", &["d"]), ("Result:", &["Enter"])]);
    assert_eq!((results(&jp, &id)[0].trim(), did(&jp)), ("written", 0));

    let (jp, id) = unknown();
    jp.write("result.txt", "from a file\n");
    let steps: [(&str, &[&str]); 3] = [
        ("What now?", &["f"]),
        ("File:", &["nowhere", "Enter"]),
        ("cannot read", &["result.txt", "Enter"]),
    ];
    asked(&jp, &id, &steps);
    assert_eq!((results(&jp, &id), did(&jp)), (vec!["from a file".to_owned()], 0));

    let (jp, id) = unknown();
    asked(&jp, &id, &[("What now?", &["s"])]);
    assert!(results(&jp, &id)[0].contains("not known"), "{:?}", results(&jp, &id));
    assert_eq!(did(&jp), 0);

    let (jp, id) = unknown();
    let tip = jp.tip(&id);
    asked(&jp, &id, &[("What now?", &["q"])]);
    assert_eq!((jp.tip(&id), did(&jp)), (tip, 0));
}

#[test]
fn a_result_can_be_named_as_on_the_command_line_and_has_to_be_something() {
    let unknown = || standing(&[&request("Go\n"), &call("a"), &start("a")]);
    let (jp, id) = unknown();
    jp.write("result.txt", "from a file\n");
    let terminal = shell(&jp);
    begin(&terminal, &format!("jp resume {id}; echo status $?"));
    reply(&terminal, &[("What now?", "f"), ("File:", "@result.txt\n")]);
    ended(&terminal, 0);
    assert_eq!((results(&jp, &id), did(&jp)), (vec!["from a file".to_owned()], 0));
    drop(terminal);

    let (jp, id) = unknown();
    let jp = jp.with_var("JP_EDITOR", "true");
    let terminal = shell(&jp);
    begin(&terminal, &format!("jp resume {id}; echo status $?"));
    reply(&terminal, &[("What now?", "d"), ("Result:", "\n"), ("Nothing was written.", "")]);
    terminal.wait("the question again", |screen| screen.matches("What now?").count() == 2);
    terminal.type_text("r");
    ended(&terminal, 0);
    assert_eq!((results(&jp, &id), did(&jp)), (vec!["contents".to_owned()], 1));
    assert_eq!(kept(&jp), [""; 0]);
}

/// A user who is asked about two calls and types a result for the first, and the keys for that.
fn asked_twice(editor: &str) -> (Jp, String, [(&'static str, &'static str); 2]) {
    let events = [request("Go\n"), call("a"), call("b"), start("a"), start("b")];
    let (jp, id) = standing(&events.each_ref().map(String::as_str));
    let typed = if editor.is_empty() { "by hand\n" } else { "\n" };
    let jp = jp.with_var("JP_EDITOR", editor);
    (jp, id, [("What now?", "d"), ("Result:", typed)])
}

const WRITES: &str = "sed -i '$ a by hand'";

#[test]
fn what_was_typed_is_kept_when_somebody_leaves_at_the_next_question() {
    for editor in ["", WRITES] {
        for (leave, code) in [("C-c", 130), ("C-d", 130), ("q", 0)] {
            let (jp, id, typed) = asked_twice(editor);
            let tip = jp.tip(&id);
            let terminal = shell(&jp);
            begin(&terminal, &format!("jp resume {id}; echo status $?"));
            reply(&terminal, &[typed[0], typed[1], ("What now?", leave)]);
            let screen = ended(&terminal, code);
            assert!(screen.contains("What you typed is in `"), "{screen}");
            assert_eq!((kept(&jp), jp.tip(&id)), (vec!["by hand".to_owned()], tip));
            // It is told again to whoever is asked again, and stays.
            begin(&terminal, &format!("clear; jp resume {id}; echo status $?"));
            terminal.wait_for("What was typed earlier is in `");
            reply(&terminal, &[("What now?", "s"), ("What now?", "s")]);
            ended(&terminal, 0);
            assert_eq!(kept(&jp), ["by hand"]);
        }
    }
}

#[test]
fn what_was_typed_is_not_kept_beside_the_conversation_that_has_it() {
    for editor in ["", WRITES] {
        let (jp, id, typed) = asked_twice(editor);
        let terminal = shell(&jp);
        begin(&terminal, &format!("jp resume {id}; echo status $?"));
        reply(&terminal, &[typed[0], typed[1], ("What now?", "s")]);
        let screen = ended(&terminal, 0);
        assert!(!screen.contains("What you typed"), "{screen}");
        assert_eq!((results(&jp, &id)[0].trim(), kept(&jp)), ("by hand", vec![]));
    }
}

#[test]
fn what_was_written_is_kept_when_the_editor_fails() {
    let (jp, id, typed) = asked_twice("sh fails.sh");
    jp.write("fails.sh", "echo half >>\"$1\"\nexit 1\n");
    let terminal = shell(&jp);
    begin(&terminal, &format!("jp resume {id}; echo status $?"));
    reply(&terminal, &typed);
    let screen = ended(&terminal, 1);
    assert!(screen.contains("result.txt"), "{screen}");
    assert_eq!(kept(&jp), ["half"]);
}

#[test]
fn an_answer_that_was_typed_is_kept_when_somebody_leaves_at_the_next_question() {
    let asks = wondered("a").replace("type: boolean", "type: text");
    let events = [request("Go\n"), wondering("a"), call("b"), start("a"), start("b"), asks];
    let (jp, id) = standing(&events.each_ref().map(String::as_str));
    let terminal = shell(&jp);
    begin(&terminal, &format!("jp q --id={id}; echo status $?"));
    reply(&terminal, &[("What now?", "a"), ("wonders asks:", "with care\n"), ("What now?", "C-c")]);
    let screen = ended(&terminal, 130);
    assert!(screen.contains("What you typed is in `"), "{screen}");
    assert_eq!(kept(&jp), ["with care"]);
}

// What has changed meanwhile.

/// A user whose question failed, and whose system prompt is another one now.
fn changed() -> Jp {
    let jp = with_tools("[[answer]]\nstep = [{ error = \"refused\" }]\n");
    jp.write("AGENTS.md", "Speak plainly.\n");
    assert_eq!(jp.run(&["q", "--non-interactive", "--new", "Go"]).code, 1);
    jp.write("AGENTS.md", "Speak up.\n");
    jp
}

/// Goes on, discards the turn for this reason, and sees that the question is asked in its place.
fn asked_instead(jp: &Jp, command: &str, why: &str) {
    let terminal = shell(jp);
    begin(&terminal, command);
    reply(&terminal, &[("What now?", "r"), (why, ""), ("What now?", "d")]);
    terminal.wait_for("Instead.");
    let printed = jp.run(&["c", "print", &newest(jp)]).ok();
    assert!(printed.contains("Else?") && !printed.contains("\nGo\n"), "{printed}");
}

#[test]
fn a_question_is_asked_in_place_of_a_turn_that_cannot_go_on() {
    let script = "[[answer]]\nwhen = \"Else?\"\ntext = \"Instead.\"\n";
    let commands = ["jp q --id=last-created 'Else?'", "echo 'Else?' | jp q --id=last-created"];
    for command in commands {
        let jp = changed();
        jp.write("script.toml", script);
        asked_instead(&jp, command, "the system prompt has changed");
    }
    for command in commands {
        let jp = with_tools(&format!("{script}[[answer]]\ntext = \"One.\"\n"));
        let config = fs::read_to_string(jp.world().join("config/jp/config.toml")).unwrap();
        let refuses = jp.write("refuses.toml", "[[answer]]\nstep = [{ error = \"refused\" }]\n");
        let gone = format!("[providers.gone]\napi = \"script\"\nfile = {refuses:?}\n");
        jp.write("../config/jp/config.toml", format!("{config}{gone}"));
        assert_eq!(jp.run(&["q", "--non-interactive", "--new", "Hi"]).code, 0);
        let asked = ["q", "--non-interactive", "--id=last-created", "-m", "gone/x", "Go"];
        assert_eq!(jp.run(&asked).code, 1);
        jp.write("../config/jp/config.toml", config);
        asked_instead(&jp, command, "the model is gone");
    }
}

#[test]
fn what_has_changed_is_named_and_somebody_chooses() {
    let expects = "[[answer]]\nexpect_system = \"WORD\"\ntext = \"One.\"\n";
    for (key, word) in [("r", "Speak plainly."), ("t", "Speak up.")] {
        let jp = changed();
        jp.write("script.toml", expects.replace("WORD", word));
        let terminal = shell(&jp);
        begin(&terminal, "jp resume last-created");
        terminal.wait_for("the system prompt has changed");
        terminal.wait_for("[t] resume with what there is today");
        terminal.type_text(key);
        terminal.wait_for("One.");
    }
    let jp = changed();
    let terminal = shell(&jp);
    begin(&terminal, "jp resume last-created");
    terminal.wait_for("[d] discard the");
    terminal.type_text("d");
    terminal.wait_for("Discarded the incomplete turn");
}

// The terminal goes away.

/// Runs a query, closes its terminal when something is seen, and waits for its end.
fn closed(jp: &Jp, command: &str, seen: impl Fn(&Terminal<'_>)) {
    let terminal = shell(jp);
    begin(&terminal, command);
    seen(&terminal);
    terminal.tell(&["kill-pane"]);
    let store = jp.store();
    until("the end of the query", || {
        // The signal may have killed it, and then the next command clears its lock away.
        jp.run(&["c", "ls"]).ok();
        let locks = fs::read_dir(store.join("locks")).into_iter().flatten().flatten();
        locks.count() == 0
    });
}

#[test]
fn a_terminal_that_closes_at_the_prompt_leaves_everything_as_it_was() {
    let (jp, id) = standing(&[&request("Go\n"), &call("a")]);
    let tip = jp.tip(&id);
    closed(&jp, &format!("jp q --id={id} 'Else?'"), |terminal| {
        terminal.wait_for("What now?");
    });
    assert_eq!((jp.tip(&id), did(&jp)), (tip, 0));
    assert_eq!(jp.run(&["resume", &id]).code, 0);
    assert_eq!(did(&jp), 1);
}

#[test]
fn a_terminal_that_closes_at_the_next_question_leaves_what_was_typed() {
    let (jp, id, typed) = asked_twice("");
    closed(&jp, &format!("jp resume {id}"), |terminal| {
        reply(terminal, &[typed[0], typed[1], ("What now?", "")]);
    });
    assert_eq!(kept(&jp), ["by hand"]);
}

#[test]
fn a_terminal_that_closes_while_the_model_answers_or_a_tool_asks_or_runs_loses_nothing() {
    // While the model answers.
    let script = "[[answer]]\nstep = [{ text = \"One.\", pause = 60000, chunk = 1 }]\n\
                  [[answer]]\ntext = \"Two.\"\n";
    let jp = with_tools(script);
    closed(&jp, "jp q --no-server --new Go", |_| {
        until("the request", || jp.run(&["c", "ls", "--format", "json"]).stdout != "[]\n");
    });
    let id = newest(&jp);
    jp.write("script.toml", "[[answer]]\ntext = \"One.\"\n");
    finish(&jp, &id, &[]);

    // While a tool asks: what it asked is still open.
    let script = "[[answer]]\nstep = [{ call = \"wonders\", arguments = {} }]\n\
                  [[answer]]\ntext = \"One.\"\n";
    let jp = with_tools(script);
    closed(&jp, "jp q --no-server --new Go", |terminal| {
        terminal.wait_for("Overwrite existing file?");
    });
    let id = newest(&jp);
    assert_eq!(status(&jp, &id), "waiting-for-input (wonders)", "it is not forgotten");
    finish(&jp, &id, &["-c", "unattended.all=deny"]);
    assert_eq!(did(&jp), 0, "nobody said yes");

    // While a tool runs: it is not run again.
    let script = "[[answer]]\nstep = [{ call = \"slow\", arguments = {} }]\n\
                  [[answer]]\ntext = \"One.\"\n";
    let jp = with_tools(script);
    assert!(jp.command("mkfifo").arg(jp.path("hold")).status().unwrap().success());
    closed(&jp, "jp q --no-server --new Go", |_| {
        until("the tool", || fs::read_to_string(jp.path("pid")).is_ok_and(|pid| !pid.is_empty()));
    });
    let id = newest(&jp);
    finish(&jp, &id, &[]);
    assert_eq!(did(&jp), 1, "it ran once");
}

fn newest(jp: &Jp) -> String {
    let listed = jp.run(&["c", "ls", "--format", "json"]).json();
    listed[0]["id"].as_str().unwrap().to_owned()
}

/// Goes on with a turn if it is not complete; it is complete then.
fn finish(jp: &Jp, id: &str, more: &[&str]) {
    let output = jp.run(&[&["resume", id, "--non-interactive"], more].concat());
    let is_unsure = output.stderr.contains("may have run already");
    let output = match is_unsure {
        true => jp.run(&["resume", id, "--skip", "slow"]),
        false => output,
    };
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(status(jp, id), "idle");
    jp.assert_sound();
}
