//! Lists of messages taken in: other programs' chats, and hostile ones.

use serde_json::{Value, json};

use crate::{
    messages::anywhere,
    support::{Jp, TIME, addresses, contents, message, request},
};

/// Imports a list from standard input, and returns the report.
fn import(jp: &Jp, list: &Value) -> Value {
    let args = ["c", "import", "--format", "messages", "--format", "json", "-"];
    jp.run_with_input(&args, list.to_string()).json()
}

fn id_of(report: &Value) -> String {
    report["id"].as_str().unwrap().to_owned()
}

/// Asserts that a list is refused for exactly these reasons, and leaves nothing behind.
#[track_caller]
fn refused(jp: &Jp, list: impl AsRef<[u8]>, problems: &[&str]) {
    let before = contents(&jp.world());
    let told: String = problems.iter().map(|problem| format!("error: -: {problem}\n")).collect();
    let output = jp.run_with_input(&["c", "import", "--format", "messages", "-"], list);
    output.fails(1, &format!("{told}Hint: nothing was stored\n"));
    assert_eq!(contents(&jp.world()), before);
}

fn chat() -> Value {
    json!([
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": "What is in a.txt?", "message_id": "m1", "created_at": TIME},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "fs/read", "arguments": "{\"path\": \"a.txt\"}"}},
        ]},
        {"role": "tool", "tool_call_id": "c1", "name": "fs/read", "content": "carrots\n"},
        {"role": "assistant", "content": "Carrots."},
    ])
}

#[test]
fn chat_messages_become_one_commit() {
    let jp = Jp::in_workspace();
    jp.write("chat.json", chat().to_string());
    let output = jp.run(&["c", "import", "--format", "messages", "chat.json"]);
    let id = output.stdout.split(' ').next().unwrap().to_owned();
    let hint = format!("Hint: `jp conversation show {id}` shows it\n");
    assert_eq!((output.code, output.stderr), (0, hint));
    assert_eq!(output.stdout, format!("{id} 4 events in 7 files\n"));
    assert_eq!(jp.git(&["log", "--format=%s", &id]), format!("import {id}\n"));
    let shown = jp.show(&id);
    assert_eq!((&shown["title"], &shown["status"]), (&json!("What is in a.txt?"), &json!("idle")));
    let asked = format!(
        "---\ntype: request\ntimestamp: {TIME}\nmetadata:\n  message_id: m1\n---\nWhat is in a.txt?\n"
    );
    assert_eq!(jp.run(&["c", "cat", &id, "0"]).ok(), asked);
    let base = jp.git(&["show", &format!("{id}:.conversation/config.toml")]);
    assert!(base.ends_with("[assistant]\nsystem_prompt = \"Be brief\"\n"), "{base}");
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
    assert_eq!(jp.append(&id, &[&request("Next\n")]).ok(), format!("{id} 004 004-request.md\n"));
    jp.assert_sound();
}

#[test]
fn the_report_of_an_imported_list_says_what_was_made() {
    let jp = Jp::in_workspace();
    let mut list = chat();
    list.as_array_mut().unwrap().truncate(3);
    list[1]["color"] = json!("red");
    let args = ["c", "import", "--title", "Mine", "--format", "json", "--format", "messages", "-"];
    let output = jp.run_with_input(&args, list.to_string());
    let told = "warning: -: [1].color: it is not kept: the key is not known\n";
    assert_eq!((output.code, output.stderr.as_str()), (0, told));
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let id = id_of(&report);
    let expected = json!({
        "id": id,
        "commit": jp.tip(&id),
        "title": "Mine",
        "status": "interrupted (pending tool execution)",
        "turns": 1,
        "events": 2,
        "files": 5,
        "problems": [],
        "warnings": [{"place": "[1].color", "message": "it is not kept: the key is not known"}],
    });
    assert_eq!(report, expected);
}

#[test]
fn a_list_that_was_exported_and_imported_is_exported_as_the_same_list() {
    let jp = Jp::in_workspace();
    let mut events = vec![request("Question\n")];
    events.extend((0..130).map(|number| message(&format!("Part {number}\n"))));
    events.push(request("More\n"));
    let id = jp.start(&events.iter().map(String::as_str).collect::<Vec<_>>());
    let list = jp.messages(&id, &[]);
    let copy = id_of(&import(&jp, &list));
    assert_eq!(jp.messages(&copy, &[]), list);
    // Sealed as it would have been if everything had been appended.
    assert!(jp.git(&["ls-tree", "--name-only", &copy]).contains("\n000\n"));
    let first = id_of(&import(&jp, &chat()));
    let second = id_of(&import(&jp, &jp.messages(&first, &[])));
    assert_eq!(anywhere(&jp.messages(&second, &[])), anywhere(&jp.messages(&first, &[])));
    assert_eq!(jp.run(&["c", "fsck"]).ok(), "");
    jp.assert_sound();
}

#[test]
fn a_list_that_is_no_conversation_is_refused_and_makes_no_store() {
    let jp = Jp::new();
    let list = json!([
        {"role": "tool", "tool_call_id": "c1", "content": "x"},
        {"role": "user", "content": "Read"},
        {"role": "assistant", "tool_calls": [
            {"id": "c2", "name": "read", "arguments": "{}"},
            {"id": "c2", "name": "read", "arguments": "{}"},
        ]},
    ]);
    refused(
        &jp,
        list.to_string(),
        &[
            "[0]: the result of call `c1` has no call without a result before it",
            "[2]: call `c2` is still waiting for its result; a second call needs an id of its own",
        ],
    );
    refused(&jp, "[]", &["the list is empty"]);
    refused(
        &jp,
        json!([{"role": "user"}, {"role": "assistant", "content": [{"type": "image"}]}])
            .to_string(),
        &[
            "[0].content: it is missing",
            "[1].content[0].type: `image` is no type of a part: expected `text`, `reasoning`, \
             `data` or `tool-call`",
        ],
    );
}

#[test]
fn hostile_lists_are_errors_and_nothing_else() {
    let jp = Jp::new();
    refused(&jp, b"[\"\xff\"]", &["it is not UTF-8, at byte 2"]);
    refused(&jp, b"{}", &["expected a list of messages, which begins with `[`"]);
    let deep = "[".repeat(200_000);
    refused(&jp, deep, &["line 1, column 128: recursion limit exceeded"]);
    refused(
        &jp,
        "[{\"role\":\"us\u{1b}[31mer\"}]",
        &["line 1, column 13: control character (\\u0000-\\u001F) found while parsing a string"],
    );
    let told = "[0].role: `us\\u{1b}[31mer` is no role: expected `system`, `user`, `assistant` or \
                `tool`";
    refused(&jp, "[{\"role\":\"us\\u001b[31mer\"}]", &[told]);
    let nested = "[".repeat(100) + &"]".repeat(100);
    let list = format!(r#"[{{"role":"user","content":"x","metadata":{{"a":{nested}}}}}]"#);
    refused(&jp, list, &["[0].metadata: it is nested more than 60 levels deep"]);
    let metadata = json!({"a": "x".repeat(2 << 20)});
    let large = json!([{"role": "user", "content": "x", "created_at": TIME, "metadata": metadata}]);
    refused(
        &jp,
        large.to_string(),
        &["[0]: the metadata of the event takes 2097219 bytes: at most 1048576 fit"],
    );
    let large = json!([{"role": "system", "content": "x".repeat(17 << 20)}]);
    refused(&jp, large.to_string(), &["[0]: it takes more than 16777216 bytes"]);
}

#[test]
fn any_content_comes_back_as_it_was() {
    let jp = Jp::in_workspace();
    let odd = "\0 \u{1b}[2J \r\n \u{202e}\u{feff} --- \u{2028}";
    let list = json!([
        {"role": "system", "content": odd},
        {"role": "user", "content": odd, "message_id": odd,
            "attachments": [{"source": odd, "content": "/wD+", "encoding": "base64"}]},
        {"role": "assistant", "model": odd, "finish": odd, "content": odd, "tool_calls": [
            {"id": odd, "name": odd, "arguments": odd},
        ]},
        {"role": "tool", "tool_call_id": odd, "content": "gA==", "encoding": "base64"},
    ]);
    let id = id_of(&import(&jp, &list));
    let found = jp.messages(&id, &[]);
    let copy = id_of(&import(&jp, &found));
    assert_eq!(jp.messages(&copy, &[]), found);
    assert_eq!((&found[0]["content"], &found[1]["content"]), (&json!(odd), &json!(odd)));
    assert_eq!(found[1]["attachments"][0]["content"], "/wD+");
    assert_eq!((&found[3]["content"], &found[3]["encoding"]), (&json!("gA=="), &json!("base64")));
    assert_eq!(addresses(&jp, &id, &[]), [0, 1, 2, 3, 4]);
    assert_eq!(jp.run(&["c", "fsck"]).ok(), "");
    jp.assert_sound();
}

#[test]
fn a_list_is_no_directory_and_the_formats_are_told_apart() {
    let jp = Jp::in_workspace();
    jp.write("chat.json", chat().to_string());
    jp.run(&["c", "import", "chat.json"]).fails(
        1,
        "error: `chat.json` is not a directory\nHint: `--format messages` reads a list of messages\n",
    );
    jp.run(&["c", "import", "--format", "text", "--format", "json", "chat.json"]).fails(
        2,
        "error: what is read and how it is printed can be said once each\n\
         Hint: `--format messages --format json`\n",
    );
    jp.run(&["c", "import", "--format", "messages", "none.json"])
        .fails(1, "error: cannot read `none.json`: No such file or directory\n");
    jp.run(&["c", "import", "--format", "messages", "."])
        .fails(1, "error: cannot read `.`: Is a directory\n");
}

#[test]
fn no_more_warnings_are_told_than_anybody_reads() {
    let jp = Jp::in_workspace();
    let one = json!({"role": "user", "content": "x", "interrupts": true, "mood": 1});
    let list = Value::from(vec![one; 30]);
    let args = ["c", "import", "--format", "messages", "--format", "json", "-"];
    let output = jp.run_with_input(&args, list.to_string());
    let lines: Vec<_> = output.stderr.lines().collect();
    assert_eq!((output.code, lines.len()), (0, 21), "{}", output.stderr);
    assert_eq!(lines[20], "warning: -: 10 more of this kind");
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["warnings"].as_array().unwrap().len(), 30);
}
