//! A turn that is not complete, as `ls`, `show` and `print` tell of it, people and programs.

use serde_json::{Value, json};

use crate::support::{
    Jp, TIME, attachment, call, event, message, question, request, result, start,
};

/// What the model said before it called for tools, in an answer that came to its end.
const ANSWER: &str = "I'll modify those files for you.\n";

/// A call of any tool, with these arguments.
fn call_of(tool: &str, id: &str, arguments: &str) -> String {
    event(
        "tool-call",
        &format!("tool: {tool}\nid: {id}\n"),
        &format!("```json\n{arguments}\n```\n"),
    )
}

/// A question of a tool, with what counts as an answer to it.
fn question_of(tool: &str, id: &str, call: &str, answer: &str, text: &str) -> String {
    let about = format!("id: {id}\nkind: tool-question\ntool: {tool}\ncall: {call}\n");
    event("inquiry-request", &format!("{about}{answer}"), text)
}

const BOOLEAN: &str = "answer:\n  type: boolean\n";

/// Two tools have completed, and one waits for somebody.
fn waiting(jp: &Jp) -> String {
    jp.start(&[
        &request("Tidy up\n"),
        &message(ANSWER),
        &call_of("cargo_check", "c1", "{}"),
        &call_of("fs_read_file", "c2", "{}"),
        &call_of("fs_modify_file", "c3", "{}"),
        &result("c1", "ok\n"),
        &result("c2", "text\n"),
        &question_of("fs_modify_file", "q1", "c3", BOOLEAN, "Overwrite existing file?\n"),
    ])
}

/// The status of the only conversation in the list, and what it waits for.
fn listed(jp: &Jp) -> (String, Value) {
    let rows = jp.run(&["c", "ls", "--format", "json"]).json();
    let status = rows[0]["status"].as_str().unwrap().to_owned();
    let text = jp.run(&["c", "ls"]).ok();
    assert!(text.lines().nth(1).unwrap().contains(&format!("  {status}  ")), "{text}");
    (status, rows[0]["pending"].clone())
}

#[test]
fn ls_says_that_a_conversation_waits_for_input_when_the_last_event_is_a_question() {
    let jp = Jp::in_workspace();
    let id = waiting(&jp);
    let updated = jp.show(&id)["updated_at"].as_str().unwrap().to_owned();
    let expected = format!(
        "ID               TITLE    STATUS                              TURNS  EVENTS  LAST ACTIVITY\n\
         {id}  Tidy up  waiting-for-input (fs_modify_file)  1      8       {updated}\n"
    );
    assert_eq!(jp.run(&["c", "ls"]).ok(), expected);
    let (status, pending) = listed(&jp);
    assert_eq!(status, "waiting-for-input (fs_modify_file)");
    let expected = json!({
        "missing": "pending tool execution", "phase": "tools", "waiting_for_input": true,
        "calls": [{"id": "c3", "tool": "fs_modify_file", "attempts": 0, "state": "waiting"}],
        "questions": [{
            "id": "q1", "kind": "tool-question", "tool": "fs_modify_file", "call": "c3",
            "answer": {"type": "boolean", "default": null},
            "exclusive": false, "content": "Overwrite existing file?",
        }],
    });
    assert_eq!(pending, expected);
}

#[test]
fn ls_says_that_tools_are_pending_when_the_last_event_is_a_call() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Go\n"), &call("c1"), &call("c2")]);
    let (status, pending) = listed(&jp);
    assert_eq!(status, "interrupted (pending tool execution)");
    let calls = |state: &str, attempts: u32| {
        json!([
            {"id": "c1", "tool": "read", "attempts": attempts, "state": state},
            {"id": "c2", "tool": "read", "attempts": 0, "state": "new"},
        ])
    };
    let expected = json!({
        "missing": "pending tool execution", "phase": "tools", "waiting_for_input": false,
        "calls": calls("new", 0), "questions": [],
    });
    assert_eq!(pending, expected);
    // A call that was started may have run.
    jp.append(&id, &[&start("c1")]).ok();
    let (status, pending) = listed(&jp);
    assert_eq!(status, "interrupted (pending tool execution)");
    assert_eq!(pending["calls"], calls("unknown", 1));
}

#[test]
fn ls_says_that_a_follow_up_is_pending_when_the_last_event_is_a_result() {
    let jp = Jp::in_workspace();
    jp.start(&[&request("Go\n"), &message(ANSWER), &call("c1"), &result("c1", "text\n")]);
    let (status, pending) = listed(&jp);
    assert_eq!(status, "interrupted (pending follow-up)");
    let expected = json!({
        "missing": "pending follow-up", "phase": "follow-up", "waiting_for_input": false,
        "calls": [], "questions": [],
    });
    assert_eq!(pending, expected);
}

#[test]
fn ls_says_that_the_answer_is_pending_when_the_last_event_is_a_request() {
    let jp = Jp::in_workspace();
    jp.start(&[&request("Go\n")]);
    let (status, pending) = listed(&jp);
    assert_eq!(status, "interrupted (pending LLM response)");
    let expected = json!({
        "missing": "pending LLM response", "phase": "response", "waiting_for_input": false,
        "calls": [], "questions": [],
    });
    assert_eq!(pending, expected);
}

#[test]
fn ls_has_no_special_status_when_the_last_event_is_the_end_of_an_answer() {
    let jp = Jp::in_workspace();
    jp.start(&[&request("Go\n"), &call("c1"), &result("c1", "text\n"), &message("Done\n")]);
    assert_eq!(listed(&jp), ("idle".to_owned(), Value::Null));
}

#[test]
fn questions_are_listed_with_the_form_of_their_answers() {
    let jp = Jp::in_workspace();
    let select = "answer:\n  type: select\n  options:\n    - value: a\n      description: the first\n\
                  \x20   - value: b\n  default: b\nexclusive: true\n";
    let id = jp.start(&[
        &request("Go\n"),
        &call("c1"),
        &question_of("read", "q1", "c1", select, "Which\none?\n"),
        &question_of("read", "q2", "c1", "answer:\n  type: boolean\n  default: true\n", "Sure?\n"),
        &question_of("read", "q3", "c1", "answer:\n  type: text\n  default: me\n", "Who?\n"),
        &question_of("read", "q4", "c1", "answer:\n  type: secret\n", "Password?\n"),
    ]);
    let question = |id: &str, answer: Value, exclusive: bool, content: &str| {
        json!({
            "id": id, "kind": "tool-question", "tool": "read", "call": "c1", "answer": answer,
            "exclusive": exclusive, "content": content,
        })
    };
    let options = json!([
        {"value": "a", "description": "the first"}, {"value": "b", "description": null},
    ]);
    let select = json!({"type": "select", "options": options, "default": "b"});
    let expected = json!([
        question("q1", select, true, "Which\none?"),
        question("q2", json!({"type": "boolean", "default": true}), false, "Sure?"),
        question("q3", json!({"type": "text", "default": "me"}), false, "Who?"),
        question("q4", json!({"type": "secret", "default": null}), false, "Password?"),
    ]);
    assert_eq!(listed(&jp).1["questions"], expected);
    assert_eq!(jp.show(&id)["pending"]["questions"], expected);
    assert_eq!(brief(&jp, &id)["pending"]["questions"], expected);
}

#[test]
fn a_question_that_cannot_be_read_is_listed_with_what_the_last_commit_says() {
    let jp = Jp::in_workspace();
    let answer =
        "answer:\n  type: select\n  options:\n    - value: a\n      description: the first\n";
    // Between the question and the end stands more than a list reads.
    let calls: Vec<_> = (2..520).map(|number| call(&format!("c{number}"))).collect();
    let asked = question_of("read", "q1", "c1", answer, "Which?\n");
    let (first, asking) = (call("c1"), request("Go\n"));
    let mut events = vec![asking.as_str(), &first, &asked];
    events.extend(calls.iter().map(String::as_str));
    let id = jp.start(&events);
    let unread = json!([{
        "id": "q1", "kind": null, "tool": "read", "call": "c1",
        "answer": {"type": "select", "options": [{"value": "a", "description": null}],
                   "default": null},
        "exclusive": null, "content": null,
    }]);
    assert_eq!(listed(&jp).1["questions"], unread);
    assert_eq!(jp.show(&id)["pending"]["questions"][0]["content"], "Which?");
    assert_eq!(brief(&jp, &id), without_events(&jp, &id));
}

/// What `show --brief` says of a conversation.
fn brief(jp: &Jp, id: &str) -> Value {
    jp.run(&["c", "show", id, "--brief", "--format", "json"]).json()
}

/// What `show` says of it, without what only all events tell.
fn without_events(jp: &Jp, id: &str) -> Value {
    let mut shown = jp.show(id);
    for key in ["stream", "fixes"] {
        shown.as_object_mut().unwrap().remove(key).unwrap();
    }
    shown
}

#[test]
fn show_tells_an_incomplete_turn_under_its_status_with_and_without_events() {
    let jp = Jp::in_workspace();
    let id = waiting(&jp);
    let shown = jp.show(&id);
    let head = format!(
        "Id:       {id}\nTitle:    Tidy up\nStatus:   waiting-for-input (fs_modify_file)\n          \
         ✓ cargo_check — completed\n          \
         ✓ fs_read_file — completed\n          \
         ⏸ fs_modify_file — waiting for input: \"Overwrite existing file?\"\n\
         Turns:    1\nEvents:   8\nCreated:  {}\nUpdated:  {}\nCommit:   {}\nTree:     {}\n",
        shown["created_at"].as_str().unwrap(),
        shown["updated_at"].as_str().unwrap(),
        jp.tip(&id),
        jp.tree(&id),
    );
    assert_eq!(jp.run(&["c", "show", "--brief"]).ok(), head);
    let whole = jp.run(&["c", "show", &id]).ok();
    let events = whole.strip_prefix(&head).unwrap();
    let table = format!(
        "\nTURN  ADDRESS  TYPE             TIME                       FILE\n\
                         0     000      request          {TIME}  000-request.md\n"
    );
    assert!(events.starts_with(&table), "{events}");
    assert_eq!(brief(&jp, &id), without_events(&jp, &id));
}

#[test]
fn show_in_brief_says_the_same_in_every_phase_and_at_every_length() {
    let jp = Jp::in_workspace();
    let turn = [request("Question\n"), message("Answer\n")];
    let before: Vec<_> = turn.iter().cycle().take(250).map(String::as_str).collect();
    let mut long = before;
    let (go, files) = (request("Go\n"), attachment());
    long.extend([files.as_str(), &go]);
    let id = jp.start(&long);
    let text = |brief: &[&str]| jp.run(&[&["c", "show", &id], brief].concat()).ok();
    let steps = [
        message("Wait").replace("model:", "answer: a1\nmodel:"),
        call("c1"),
        call("c2"),
        start("c1"),
        result("c2", "text\n").replace("id: c2", "id: c2\nis_error: true"),
        question("q1", "c1"),
        result("c1", "text\n"),
        message("Done").replace("model:", "answer: a1\nfinish: stop\nmodel:"),
        "x = 1\n[event]\ntype = \"config-delta\"\n".to_owned(),
    ];
    for step in steps {
        jp.append(&id, &[&step]).ok();
        assert_eq!(brief(&jp, &id), without_events(&jp, &id), "{step}");
        let whole = text(&[]);
        let (head, _) = whole.split_once("\n\n").unwrap();
        assert_eq!(text(&["--brief"]), format!("{head}\n"), "{step}");
    }
}

#[test]
fn show_in_brief_knows_earlier_versions_and_commits_of_others() {
    let jp = Jp::in_workspace();
    let id = waiting(&jp);
    let asked = jp.tip(&id);
    jp.append(&id, &[&result("c3", "ok\n"), &message("Done\n")]).ok();
    assert_eq!(brief(&jp, &id)["pending"], Value::Null);
    let args = ["c", "show", &id, "--brief", "--format", "json", "--at", &asked];
    let then = jp.run(&args).json();
    assert_eq!(then["status"], "waiting-for-input (fs_modify_file)");
    assert_eq!(then["pending"]["questions"][0]["content"], "Overwrite existing file?");
    // Somebody else's commit says nothing about its tree, which is read then.
    jp.force(&id, &asked);
    jp.commit_tree(&id, &jp.tree(&id));
    assert_eq!(brief(&jp, &id), without_events(&jp, &id));
    assert_eq!(brief(&jp, &id)["pending"], then["pending"]);
    assert_eq!(listed(&jp).1, then["pending"]);
}

#[test]
fn show_in_brief_refuses_what_show_refuses() {
    let jp = Jp::in_workspace();
    let id = waiting(&jp);
    let tip = jp.tip(&id);
    for (file, content) in [
        ("notes.txt", "x"),
        (".conversation/meta.toml", "format = \"2.0\"\n"),
        ("CONVERSATION", "000-request.md\n009-message.md\n"),
    ] {
        jp.edit(&id, file, content);
        let (whole, brief) = (jp.run(&["c", "show", &id]), jp.run(&["c", "show", &id, "--brief"]));
        assert_eq!((whole.code, &whole.stderr), (brief.code, &brief.stderr), "{file}");
        assert_ne!(whole.stderr, "", "{file}");
        jp.force(&id, &tip);
    }
}

#[test]
fn print_ends_with_what_an_incomplete_turn_waits_for() {
    let jp = Jp::in_workspace();
    let id = waiting(&jp);
    let mark = "\
⏳ Incomplete turn (waiting for input)
  ✓ cargo_check — completed
  ✓ fs_read_file — completed
  ⏸ fs_modify_file — waiting for input: \"Overwrite existing file?\"
";
    let turn = format!(
        "\
━━ user · turn 0 · 2026-01-31 11:00

Tidy up

━━ assistant (acme/large) · turn 0 · 2026-01-31 11:00

I'll modify those files for you.

{mark}"
    );
    let expected = format!("Tidy up ({id})\n\n{turn}");
    for more in [&[][..], &["--last", "1"], &["--turn", "0"], &["--compacted"], &["--reasoning"]] {
        let args = [&["c", "print", &id], more].concat();
        assert_eq!(jp.run(&args).ok(), expected, "{more:?}");
    }
    let tools = jp.run(&["c", "print", &id, "--tools"]).ok();
    assert!(tools.ends_with(&format!("\n✓ c2\n\ntext\n\n{mark}")), "{tools}");
    assert_eq!(jp.run(&["c", "print", &id, "--raw"]).ok(), format!("Tidy up\n\n{ANSWER}"));
}

#[test]
fn print_marks_the_turn_that_is_not_complete_and_no_other() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("1\n"), &request("Two\n"), &call("c1")]);
    let mark =
        "\n⏳ Incomplete turn (pending tool execution)\n  … read — pending  {\"path\":\"a\"}\n";
    let print = |more: &[&str]| jp.run(&[&["c", "print", &id], more].concat()).ok();
    for more in [&[][..], &["--last", "1"], &["--last", "2"], &["--turn", "1"], &["--compacted"]] {
        assert!(print(more).ends_with(mark), "{more:?}: {}", print(more));
    }
    assert!(!print(&["--turn", "0"]).contains('⏳'));
    jp.append(&id, &[&start("c1")]).ok();
    let mark = "\n  ? read — may have run; its result is not known  {\"path\":\"a\"}\n";
    assert!(print(&[]).ends_with(mark), "{}", print(&[]));
}

#[test]
fn colours_and_narrow_screens_change_how_a_line_looks_and_not_what_it_says() {
    let jp = Jp::in_workspace().with_var("COLUMNS", "40");
    let id = waiting(&jp);
    let colour = |text: &str| text.replace('<', "\u{1b}[").replace('>', "m");
    let lines =
        ["<32>✓ <0><1>cargo_check<0> — completed\n", "<32>✓ <0><1>fs_read_file<0> — completed\n"];
    let shown = jp.run(&["c", "show", &id, "--brief", "--color", "always"]).ok();
    let indent = " ".repeat(10);
    let end = "<33>⏸ <0><1>fs_modify_file<0> — waiting fo…\nTurns:";
    let expected = format!("{indent}{}{indent}{}{indent}{end}", lines[0], lines[1]);
    assert!(shown.contains(&colour(&expected)), "{shown}");
    let printed = jp.run(&["c", "print", &id, "--color", "always"]).ok();
    let end = "<33>⏸ <0><1>fs_modify_file<0> — waiting for input:…\n";
    let mark = "<33>⏳ Incomplete turn (waiting for input)<0>\n";
    let expected = format!("{mark}  {}  {}  {end}", lines[0], lines[1]);
    assert!(printed.ends_with(&colour(&expected)), "{printed}");
    // Elsewhere nothing is cut.
    let piped = jp.run(&["c", "show", &id, "--brief"]).ok();
    assert!(piped.contains("⏸ fs_modify_file — waiting for input: \"Overwrite existing file?\"\n"));
}

#[test]
fn nothing_in_a_name_or_a_question_steers_the_terminal() {
    let jp = Jp::in_workspace();
    let harm = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\u{200b}\r";
    let name: String = harm.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let tool = format!("\"run{name}\"");
    let id = jp.start(&[
        &request("Go\n"),
        &call_of(&tool, "c1", "{}"),
        &call_of(&tool, "c2", &format!("{{\"a\": \"{name}\"}}")),
        &question_of(&tool, "q1", "c1", BOOLEAN, &format!("Sure{harm}?\n")),
        &question_of(&tool, "q2", "c1", BOOLEAN, &format!("{harm}\n")),
    ]);
    let harmless = "run\\u{1b}[2J\\u{1b}]0;x\\u{7}\\u{9b}31m\\u{202e}\\u{200b}\\r";
    for args in [
        &["c", "ls"][..],
        &["c", "show", &id],
        &["c", "show", &id, "--brief"],
        &["c", "print", &id],
        &["c", "print", &id, "--tools"],
        &["c", "ls", "--format", "json"],
        &["c", "show", &id, "--brief", "--format", "json"],
    ] {
        let said = jp.run(args).ok();
        if !args.contains(&"json") {
            assert!(said.contains(harmless), "{args:?}: {said}");
        }
        let unsafe_ones =
            |c: &char| c.is_control() && *c != '\n' || "\u{202e}\u{200b}".contains(*c);
        assert_eq!(said.chars().filter(unsafe_ones).collect::<String>(), "", "{args:?}");
    }
    let question = &listed_question(&jp);
    assert_eq!(question["content"], format!("Sure{harm}?"));
}

fn listed_question(jp: &Jp) -> Value {
    let rows = jp.run(&["c", "ls", "--format", "json"]).json();
    rows[0]["pending"]["questions"][0].clone()
}

#[test]
fn everything_that_a_program_is_told_of_a_pending_turn_is_documented() {
    let jp = Jp::in_workspace();
    let id = waiting(&jp);
    let page = include_str!("../../docs/json.md");
    let (_, section) = page.split_once("## `jp conversation show ID`\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let pending = &brief(&jp, &id)["pending"];
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut documented = Vec::new();
    documented.extend(keys(pending).iter().map(|key| format!("| `pending.{key}` |")));
    for (list, one) in [("calls", &pending["calls"][0]), ("questions", &pending["questions"][0])] {
        documented.extend(keys(one).iter().map(|key| format!("| `pending.{list}[].{key}` |")));
    }
    for words in ["`response`", "`tools`", "`follow-up`", "`new`", "`unknown`", "`waiting`"] {
        documented.push(words.to_owned());
    }
    for text in documented {
        assert!(section.contains(&text), "{text}");
    }
}
