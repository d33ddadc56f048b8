//! Lists of messages out of a conversation and to its end: what is in them, and checkpoints.

use serde_json::{Value, json};

use crate::{
    query::{THREE_TOOLS, answer, ask, only, player},
    support::{Jp, TIME, addresses, contents, message, request},
};

/// A list without what follows from where its messages stand.
pub fn anywhere(list: &Value) -> Value {
    let mut list = list.clone();
    for message in list.as_array_mut().unwrap() {
        message.as_object_mut().unwrap().remove("addresses");
    }
    list
}

/// Appends messages, and returns what is reported.
fn append(jp: &Jp, to: &str, messages: &Value) -> Value {
    let args = ["c", "append", to, "--messages", "-", "--format", "json"];
    jp.run_with_input(&args, messages.to_string()).json()
}

/// The commit after an append.
fn commit(report: &Value) -> String {
    report["commit"].as_str().unwrap().to_owned()
}

#[test]
fn a_message_has_what_its_provider_wants_back_and_what_it_has_cost() {
    let jp = player(THREE_TOOLS);
    answer(ask(&jp, &["--new", "Do it"]));
    let id = only(&jp);
    let list = jp.messages(&id, &[]);
    let said = &list[1];
    assert_eq!((&said["model"], &said["answer"]), (&json!("play/x"), &json!("0-0")));
    assert_eq!(said["usage"], json!({"input": 12, "output": 7}));
    assert_eq!(said["message_id"], json!(format!("{id}/001")));
    assert_eq!(
        (&said["content"][0]["type"], &said["content"][0]["signature"]),
        (&json!("reasoning"), &json!("c2lnbmVk"))
    );
    let stored = jp.run(&["c", "export", &id, "--format", "json"]).json();
    let events = stored["turns"][0]["events"].as_array().unwrap();
    assert_eq!(said["created_at"], events[1]["timestamp"]);
    assert!(list[2]["tool"].is_string(), "{list}");
}

#[test]
fn a_native_block_is_told_as_long_as_it_stands_for_the_content() {
    let jp = Jp::in_workspace();
    let said = json!([
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "Hello", "native": {"api": "x", "block": {"a": [1, 0.1]}}},
        ]},
    ]);
    let id = append(&jp, "--new", &said)["id"].as_str().unwrap().to_owned();
    let part = |jp: &Jp| jp.messages(&id, &[])[1]["content"][0].clone();
    assert_eq!(part(&jp)["native"], json!({"api": "x", "block": {"a": [1, 0.1]}}));
    let file = jp.run(&["c", "cat", &id, "1"]).ok();
    jp.edit(&id, "001-message.md", file.replace("Hello", "Howdy"));
    let edited = json!({"type": "text", "text": "Howdy"});
    assert_eq!(part(&jp), edited);
}

#[test]
fn what_a_list_cannot_hold_is_told_once() {
    let jp = player(THREE_TOOLS);
    answer(ask(&jp, &["--new", "--title", "Mine", "--label", "a=b", "Do it"]));
    let id = only(&jp);
    let output = jp.run(&["c", "export", &id, "--format", "messages"]);
    let told = "warning: a list of messages cannot hold everything: without 1 question with what \
                was answered, 2 starts of tools, 1 setting, 1 label, the title\n";
    assert_eq!((output.code, output.stderr.as_str()), (0, told));
    assert!(jp.run(&["c", "export", &id, "--format", "json"]).stderr.is_empty());
}

#[test]
fn nothing_is_told_of_a_list_that_holds_everything() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Hi\n"), &message("Hello\n")]);
    let list = jp.run(&["c", "export", &id, "--format", "messages"]).json();
    let part = json!({"type": "text", "text": "Hello"});
    let expected = json!([
        {
            "role": "user",
            "message_id": format!("{id}/000"),
            "created_at": TIME,
            "turn": 0,
            "addresses": [0],
            "content": "Hi",
            "attachments": [],
        },
        {
            "role": "assistant",
            "message_id": format!("{id}/001"),
            "created_at": TIME,
            "turn": 0,
            "addresses": [1],
            "model": "acme/large",
            "answer": null,
            "finish": null,
            "content": [part],
        },
    ]);
    assert_eq!(list, expected);
}

#[test]
fn a_snapshot_is_the_commit_after_a_message() {
    let jp = Jp::in_workspace();
    let call = json!({"id": "c1", "type": "function",
        "function": {"name": "read", "arguments": "{\"path\":\"a\"}"}});
    let all = [
        json!({"role": "user", "content": "What is in a?", "message_id": "m1"}),
        json!({"role": "assistant", "content": "I look.", "tool_calls": [call], "message_id": "m2"}),
        json!({"role": "tool", "tool_call_id": "c1", "name": "read", "content": "x", "message_id": "m3"}),
        json!({"role": "assistant", "content": "An x.", "message_id": "m4"}),
    ];
    let begun = append(&jp, "--new", &json!([{"role": "system", "content": "Be brief"}, all[0]]));
    let id = begun["id"].as_str().unwrap();
    let mut commits = vec![commit(&begun)];
    commits.extend(all[1..].iter().map(|one| commit(&append(&jp, id, &json!([one])))));
    assert_eq!(commits.last().unwrap(), &jp.tip(id));
    let waits_for = [
        "interrupted (pending LLM response)",
        "interrupted (pending tool execution)",
        "interrupted (pending follow-up)",
        "idle",
    ];
    let last = jp.messages(id, &[]);
    for (index, (commit, status)) in commits.iter().zip(waits_for).enumerate() {
        let then = jp.messages(id, &["--at", commit]);
        let ids: Vec<_> = then.as_array().unwrap().iter().map(|one| &one["message_id"]).collect();
        let expected: Vec<_> = last.as_array().unwrap()[..index + 2].iter().collect();
        assert_eq!(ids, expected.iter().map(|one| &one["message_id"]).collect::<Vec<_>>());
        let show = ["c", "show", id, "--at", commit, "--format", "json"];
        assert_eq!(jp.run(&show).json()["status"], status);
    }
    assert_eq!(last[0]["message_id"], json!(format!("{id}/system")));
    assert_eq!(last[4]["message_id"], "m4");
    jp.assert_sound();
}

#[test]
fn an_append_reports_each_event_and_the_commit_after_all() {
    let jp = Jp::in_workspace();
    let both = json!([
        {"role": "user", "content": "Hi", "attachments": [{"source": "a.txt", "content": "x"}]},
        {"role": "assistant", "content": "Hello", "model": "acme/large", "color": "red"},
    ]);
    jp.write("list.json", both.to_string());
    let output = jp.run(&["c", "append", "--new", "--messages", "list.json"]);
    let id = output.stdout.split(' ').next().unwrap().to_owned();
    let printed =
        format!("{id} 000 000-attachment.md\n{id} 001 001-request.md\n{id} 002 002-message.md\n");
    let told = "warning: list.json: [1].color: it is not kept: the key is not known\n";
    assert_eq!((output.stdout, output.stderr.as_str(), output.code), (printed, told, 0));
    assert_eq!(jp.git(&["log", "-1", "--format=%an", &id]), "acme/large\n");
    let next = json!([{"role": "user", "content": "And?"}]);
    let args = ["c", "append", &id, "--messages", "-", "--format", "json"];
    let report = jp.run_with_input(&args, next.to_string()).json();
    let commit = jp.tip(&id);
    let event = json!({"address": 3, "file": "003-request.md", "commit": commit});
    assert_eq!(report, json!({"id": id, "commit": commit, "events": [event], "warnings": []}));
    // A second one follows straight after a request.
    let again = jp.run_with_input(&["c", "append", &id, "--messages", "-"], next.to_string());
    let told = "warning: -: [0]: it follows straight after a request: it is kept as one that \
                interrupts\n";
    assert_eq!((again.code, again.stderr.as_str()), (0, told));
    assert_eq!(jp.messages(&id, &[])[3]["interrupts"], json!(true));
    jp.assert_sound();
}

#[test]
fn a_system_message_alone_begins_a_conversation_and_another_one_changes_it() {
    let jp = Jp::in_workspace();
    let system = |text: &str| json!([{"role": "system", "content": text, "message_id": text}]);
    let output = jp.run_with_input(
        &["c", "append", "--new", "--messages", "-"],
        system("Be brief").to_string(),
    );
    let id = output.ok().trim_end().to_owned();
    let base = jp.git(&["show", &format!("{id}:.conversation/config.toml")]);
    assert!(base.ends_with("[assistant]\nsystem_prompt = \"Be brief\"\n"), "{base}");
    let ids = |jp: &Jp| jp.messages(&id, &[])[0]["message_id"].clone();
    assert_eq!(ids(&jp), "Be brief");
    let report = append(&jp, &id, &system("Be kind"));
    assert_eq!(report["events"][0]["file"], "000-config-delta.toml");
    assert_eq!(
        (ids(&jp), jp.messages(&id, &[])[0]["content"].clone()),
        (json!("Be kind"), json!("Be kind"))
    );
    assert_eq!(jp.run(&["c", "fsck", &id]).ok(), "");
}

#[test]
fn messages_that_cannot_stand_at_the_end_are_refused_before_anything_is_written() {
    let jp = Jp::in_workspace();
    let call = json!({"id": "c1", "name": "read", "arguments": "{}"});
    let begun = json!([
        {"role": "user", "content": "Read"},
        {"role": "assistant", "tool_calls": [call]},
    ]);
    let id = append(&jp, "--new", &begun)["id"].as_str().unwrap().to_owned();
    let before = (contents(&jp.store()), addresses(&jp, &id, &[]));
    let list = json!([
        {"role": "user", "content": "And?"},
        {"role": "tool", "id": "c2", "content": "x"},
    ]);
    let refused = jp.run_with_input(&["c", "append", &id, "--messages", "-"], list.to_string());
    refused.fails(
        1,
        "error: -: [0]: a request would leave call `c1` without a result\n\
         error: -: [1]: the result of call `c2` has no call without a result before it\n\
         Hint: nothing was stored\n",
    );
    assert_eq!((contents(&jp.store()), addresses(&jp, &id, &[])), before);
}

#[test]
fn event_files_and_messages_do_not_mix() {
    let jp = Jp::in_workspace();
    let id = jp.start(&[&request("Hi\n")]);
    let hint = "Hint: `jp conversation append ID --messages FILE`, or `--new --messages FILE` for a \
                new conversation\n";
    for args in
        [&[&id, "a.md", "--messages", "l.json"][..], &["--new", "a.md", "--messages", "l.json"]]
    {
        let output = jp.run(&[&["c", "append"], args].concat());
        let told = "error: event files and `--messages` cannot be appended together\n";
        output.fails(2, &format!("{told}{hint}"));
    }
    let told = "error: no conversation given to append the messages to\n";
    jp.run(&["c", "append", "--messages", "l.json"]).fails(2, &format!("{told}{hint}"));
    jp.run(&["c", "append", &id, "--messages", "l.json"])
        .fails(1, "error: cannot read `l.json`: No such file or directory\n");
}
