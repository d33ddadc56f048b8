//! Looking at conversations: the list, the details, one event.

use std::{io::Read, process::Stdio};

use serde_json::json;

use crate::support::{Jp, Output, TIME, answer, call, message, question, request, result, start};

#[test]
fn an_empty_store_says_what_to_do() {
    let jp = Jp::in_workspace();
    let ls = jp.run(&["c", "ls"]);
    let none = "No conversations yet: `jp conversation append --new FILE` starts one\n";
    assert_eq!((ls.stdout.as_str(), ls.stderr.as_str(), ls.code), ("", none, 0));
    assert_eq!(jp.run(&["c", "ls", "--format", "json"]).json(), json!([]));
}

#[test]
fn the_list_has_a_line_for_each_conversation_and_the_last_used_comes_first() {
    let jp = Jp::in_workspace();
    let one = jp.start(&[&request("One\n")]);
    let two = jp.start(&[&request("Two\n"), &message("2\n")]);
    // A commit of a second that is still to come, made by plain git.
    let tree = jp.git(&["rev-parse", &format!("{one}^{{tree}}")]);
    let later = jp.with_var("GIT_COMMITTER_DATE", "2040-01-01T00:00:00Z");
    later.commit_tree(&one, tree.trim_end());
    let updated = jp.show(&two)["updated_at"].as_str().unwrap().to_owned();
    let ls = jp.run(&["c", "ls"]).ok();
    let status = "interrupted (pending LLM response)";
    let expected = format!(
        "ID               TITLE  STATUS                              TURNS  EVENTS  LAST ACTIVITY\n\
         {one}  One    {status}  1      1       2040-01-01T00:00:00Z\n\
         {two}  Two    idle                                1      2       {updated}\n"
    );
    assert_eq!(ls, expected);
    let rows = json!([
        {"id": one, "title": "One", "space": "active", "labels": {}, "forked_from": null,
         "status": status, "turns": 1, "events": 1,
         "updated_at": "2040-01-01T00:00:00Z",
         "pending": {"missing": "pending LLM response", "phase": "response",
                     "waiting_for_input": false, "calls": [], "questions": []},
         "waiting_for": null, "process": null},
        {"id": two, "title": "Two", "space": "active", "labels": {}, "forked_from": null,
         "status": "idle", "turns": 1, "events": 2,
         "updated_at": updated, "pending": null, "waiting_for": null, "process": null},
    ]);
    assert_eq!(jp.run(&["conversation", "ls", "--format", "json"]).json(), rows);
}

#[test]
fn a_status_tells_what_a_conversation_is_waiting_for() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let steps = [
        (call("c1"), "interrupted (pending tool execution)"),
        (question("q1", "c1"), "waiting-for-input (read)"),
        (answer("q1"), "interrupted (pending tool execution)"),
        (start("c1"), "interrupted (pending tool execution)"),
        (result("c1", "text"), "interrupted (pending follow-up)"),
        (message("done\n"), "idle"),
        (request("More\n"), "interrupted (pending LLM response)"),
        (message("").replace("model:", "answer: a1\nmodel:"), "interrupted (pending LLM response)"),
        (message("").replace("model:", "answer: a1\nfinish: stop\nmodel:"), "idle"),
    ];
    for (event, status) in steps {
        jp.append(&id, &[&event]).ok();
        assert_eq!(jp.run(&["c", "ls", "--format", "json"]).json()[0]["status"], status, "{event}");
        // The same, read from the tree instead of the trailers.
        let tree = jp.git(&["rev-parse", &format!("{id}^{{tree}}")]);
        let tip = jp.tip(&id);
        jp.commit_tree(&id, tree.trim_end());
        assert_eq!(jp.show(&id)["status"], status, "{event}");
        jp.force(&id, &tip);
    }
}

#[test]
fn the_details_hold_everything_that_is_known() {
    let jp = Jp::in_workspace();
    let id =
        jp.start(&[&request("What is in a?\n"), &call("c1"), &question("q1", "c1"), &start("c1")]);
    let shown = jp.show(&id);
    let stream = |address: u32, file: &str, kind: &str| json!({"address": address, "file": file, "type": kind, "timestamp": TIME, "turn": 0});
    let tree = jp.git(&["rev-parse", &format!("{id}^{{tree}}")]);
    let expected = json!({
        "id": id, "title": "What is in a?", "space": "active", "forked_from": null, "status": "waiting-for-input (read)",
        "turns": 1, "events": 4, "updated_at": shown["updated_at"],
        "commit": jp.tip(&id), "tree": tree.trim_end(), "format": "1.0",
        "created_at": shown["created_at"], "labels": {}, "forked": null, "process": null,
        "waiting_for": {"kind": "run-tool", "tool": "read", "question": "q1"}, "queued": 0,
        "pending": {
            "missing": "pending tool execution", "phase": "tools", "waiting_for_input": true,
            "calls": [{"id": "c1", "tool": "read", "attempts": 1, "state": "waiting"}],
            "questions": [{
                "id": "q1", "kind": "run-tool", "tool": "read", "call": "c1",
                "answer": {"type": "boolean", "default": null},
                "exclusive": false, "content": "May I?",
            }],
        },
        "stream": [
            stream(0, "000-request.md", "request"),
            stream(1, "001-tool-call-read.md", "tool-call"),
            stream(2, "002-inquiry-request.md", "inquiry-request"),
            stream(3, "003-tool-start.toml", "tool-start"),
        ],
        "problems": [],
        "fixes": [],
    });
    assert_eq!(shown, expected);
    let text = jp.run(&["c", "show", &id]).ok();
    let expected = format!(
        "Id:       {id}\nTitle:    What is in a?\nStatus:   waiting-for-input (read)\n          \
         ⏸ read — waiting for input: \"May I?\"  {{\"path\":\"a\"}}\n\
         Turns:    1\nEvents:   4\nCreated:  {}\nUpdated:  {}\nCommit:   {}\nTree:     {}\n\
         TURN  ADDRESS  TYPE             TIME                       FILE\n\
         0     000      request          {TIME}  000-request.md\n\
         0     001      tool-call        {TIME}  001-tool-call-read.md\n\
         0     002      inquiry-request  {TIME}  002-inquiry-request.md\n\
         0     003      tool-start       {TIME}  003-tool-start.toml\n",
        shown["created_at"].as_str().unwrap(),
        shown["updated_at"].as_str().unwrap(),
        jp.tip(&id),
        tree,
    );
    assert_eq!(text, expected);
}

#[test]
fn labels_and_origin_are_shown() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    let meta = "format = \"1.0\"\n[labels]\ndone = \"\"\nteam = \"core\\u001b\"\n[forked]\nfrom = \"jp-c1\"\ncommit = \"abc\"\n";
    jp.edit(&id, ".conversation/meta.toml", meta);
    let shown = jp.show(&id);
    assert_eq!(shown["labels"], json!({"done": "", "team": "core\u{1b}"}));
    assert_eq!(shown["forked"], json!({"from": "jp-c1", "commit": "abc"}));
    let text = jp.run(&["c", "show", &id]).ok();
    assert!(text.contains("Title:    -\n"), "{text}");
    let labels = "Label:    done\nLabel:    team=core\\u{1b}\n";
    assert!(text.contains(&format!("{labels}Forked:   from jp-c1 at abc\n")), "{text}");
}

#[test]
fn turns_are_numbered_from_zero_and_their_prelude_belongs_to_them() {
    let jp = Jp::in_workspace();
    let delta = "x = 1\n[event]\ntype = \"config-delta\"\n";
    let interrupting = request("Wait\n").replace("---\nWait", "interrupts: true\n---\nWait");
    let id = jp.start(&[
        &request("One\n"),
        &message("1\n"),
        delta,
        &request("Two\n"),
        &interrupting,
        &message("2\n"),
    ]);
    let shown = jp.show(&id);
    let turns: Vec<_> =
        shown["stream"].as_array().unwrap().iter().map(|e| e["turn"].clone()).collect();
    assert_eq!(turns, [0, 0, 1, 1, 1, 1].map(serde_json::Value::from));
    assert_eq!(shown["turns"], 2);
    let manifest = jp.git(&["show", &format!("{id}:CONVERSATION")]);
    let (_, events) = manifest.split_once("\n\n").unwrap();
    let expected = "# Turn 0\n000-request.md\n001-message.md\n\n# Turn 1\n002-config-delta.toml\n\
                    003-request.md\n004-request.md\n005-message.md\n";
    assert_eq!(events, expected);
}

#[test]
fn a_broken_ref_is_named_beside_the_other_conversations() {
    let jp = Jp::in_workspace();
    let one = jp.start(&[&request("One\n")]);
    let two = jp.start(&[&request("Two\n")]);
    let broken = jp.store().join("refs/heads").join(&one);
    std::fs::write(&broken, "").unwrap();
    let ls = jp.run(&["c", "ls", "--format", "json"]);
    assert_eq!(ls.code, 0);
    let warning = format!("warning: `{}` does not hold an object id\n", broken.display());
    assert_eq!(ls.stderr, warning);
    let rows: serde_json::Value = serde_json::from_str(&ls.stdout).unwrap();
    assert_eq!((rows.as_array().unwrap().len(), &rows[0]["id"]), (1, &json!(two)));
}

#[test]
fn whatever_looks_through_all_conversations_names_the_refs_that_are_broken() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("One\n"), &message("First\n")]);
    for space in ["heads", "trash"] {
        std::fs::create_dir_all(jp.store().join("refs").join(space)).unwrap();
        jp.write(&format!(".jp/store/refs/{space}/jp-c1"), "half");
    }
    let warnings = |args: &[&str]| {
        let output = jp.run(args);
        assert_eq!(output.code, 0, "{args:?}: {}", output.stderr);
        let is_warning = |line: &&str| line.starts_with("warning: ") && line.contains("/jp-c1`");
        output.stderr.lines().filter(is_warning).count()
    };
    assert_eq!(warnings(&["c", "ls"]), 1);
    assert_eq!(warnings(&["c", "log", &id, "--graph"]), 2);
    assert_eq!(warnings(&["c", "label", "ls"]), 1);
    assert_eq!(warnings(&["c", "label", "add", &id, "kept"]), 0);
    assert_eq!(warnings(&["c", "undo"]), 1);
    assert_eq!(warnings(&["store", "empty-trash", "--older-than", "1d", "--dry-run"]), 1);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Question\n")]);
    jp.append(&id, &[&message(&"much text ".repeat(20_000))]).ok();
    let tip = jp.tip(&id);
    let refs: String = (1..3000).map(|n| format!("create refs/heads/jp-c{n} {tip}\n")).collect();
    jp.git_with_input(&["update-ref", "--stdin"], refs);
    jp.git(&["pack-refs", "--all"]);
    for args in [
        &["c", "ls"][..],
        &["c", "ls", "--format", "json"],
        &["c", "cat", &id, "1"],
        &["c", "show", &id],
        &["--help"],
    ] {
        let mut command = jp.jp(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let _some = stdout.read(&mut [0; 8]).unwrap();
        drop(stdout);
        let output = Output::from(child.wait_with_output().unwrap());
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{args:?}");
    }
}
