//! What is taken, what is refused, and what is told of it.

use super::*;
use crate::{
    model::{
        AnswerId, Arguments, CallId, EventKind, Finish, Message as Said, ModelName, Native,
        Request, ToolName, ToolResult, Usage, message_id,
    },
    projection::{Part, PartKind, Role},
};

/// Whether JSON is of the form that the schema says.
fn fits_schema(json: &Value) -> bool {
    let validator = jsonschema::options().should_validate_formats(true).build(&schema());
    validator.unwrap().is_valid(json)
}

/// The types of the events that a list is made into, and what is pending after them.
fn types(json: &Value) -> (Vec<&'static str>, String) {
    assert!(fits_schema(json), "{json}");
    let kept = kept(json);
    let mut progress = Progress::default();
    let mut types = Vec::new();
    for entry in kept.stream.entries() {
        progress.push(&entry.event);
        types.push(entry.event.event_type().name());
    }
    (types, progress.status().to_string())
}

#[test]
fn chat_messages_become_a_conversation() {
    let json = json!([
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": "What is in a.txt?"},
        {"role": "assistant", "content": "I look.", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{\"path\": \"a.txt\"}"}},
            {"call_id": "c2", "name": "read", "arguments": "not JSON"},
        ]},
        {"role": "tool", "tool_call_id": "c1", "name": "read", "content": "carrots"},
        {"role": "tool", "tool_call_id": "c2", "content": "No such file"},
        {"role": "assistant", "content": "Carrots."},
    ]);
    let expected =
        ["request", "message", "tool-call", "tool-call", "tool-result", "tool-result", "message"];
    assert_eq!(types(&json), (expected.to_vec(), "idle".to_owned()));
    let kept = kept(&json);
    assert_eq!(kept.config["assistant"]["system_prompt"].as_str(), Some("Be brief"));
    let messages = kept.messages();
    let call = |id: &str, arguments| Part {
        kind: PartKind::Call { id: CallId::new(id), tool: ToolName::new("read"), arguments },
        signature: None,
        native: None,
    };
    let said = Part { kind: PartKind::Text("I look.".into()), signature: None, native: None };
    let parts = vec![
        said,
        call("c1", Arguments::new("{\"path\": \"a.txt\"}")),
        call("c2", Arguments::Text("not JSON".to_owned())),
    ];
    let answer = Role::Assistant { model: None, answer: None, parts, finish: None };
    assert_eq!(messages[2].role, answer);
    let result = Role::Tool {
        id: CallId::new("c1"),
        tool: Some(ToolName::new("read")),
        is_error: false,
        content: "carrots".into(),
    };
    assert_eq!(messages[3].role, result);
}

#[test]
fn everything_that_jp_writes_is_read() {
    let json = json!([
        {
            "role": "user",
            "message_id": "m1",
            "created_at": "2026-01-31T13:00:00+01:00",
            "content": "/w==",
            "encoding": "base64",
            "attachments": [{"source": "a.bin", "media_type": null, "content": "x",
                "created_at": "2026-01-31T12:59:00+01:00", "metadata": {"size": 1}}],
            "metadata": {"mood": "good"},
        },
        {
            "role": "assistant",
            "message_id": "m2",
            "created_at": "2026-01-31T13:00:01+01:00",
            "model": "acme/large",
            "answer": "0-0",
            "finish": "stop",
            "usage": {"input": 7, "output": 2},
            "content": [
                {"type": "reasoning", "text": "Hm", "signature": "c2ln",
                    "native": {"api": "acme", "block": {"type": "thinking"}}},
                {"type": "data", "data": "{ \"a\": 1.50 }"},
                {"type": "text", "text": "Done", "created_at": "2026-01-31T13:00:02+01:00"},
            ],
        },
    ]);
    assert!(fits_schema(&json));
    let kept = kept(&json);
    let events: Vec<_> = kept.stream.entries().map(|entry| &entry.event).collect();
    let ids: Vec<_> = events.iter().map(|event| message_id(&event.metadata)).collect();
    assert_eq!(ids, [None, Some("m1"), Some("m2"), None, None]);
    let times: Vec<_> = events.iter().map(|event| event.timestamp.to_string()).collect();
    assert_eq!(times[0], "2026-01-31T12:59:00+01:00");
    assert_eq!(times[1], "2026-01-31T13:00:00+01:00");
    assert_eq!(times[4], "2026-01-31T13:00:02+01:00");
    let EventKind::Request(Request { content, interrupts: false }) = &events[1].kind else {
        panic!("{:?}", events[1]);
    };
    assert_eq!((content.as_bytes(), &events[1].metadata["mood"]), (&b"\xff"[..], &json!("good")));
    let block = events[2].block().unwrap();
    assert_eq!(block.model, Some(ModelName::new("acme/large")));
    assert_eq!((&block.answer, &block.finish), (&Some(AnswerId::new("0-0")), &None));
    assert!(block.signature.as_ref().unwrap().holds(b"Hm"));
    let native = Native { api: "acme".to_owned(), block: json!({"type": "thinking"}) };
    assert_eq!(Native::find(&events[2].metadata, b"Hm"), Some(native));
    let last = events[4];
    assert_eq!(last.block().unwrap().finish, Some(Finish::Stop));
    let usage = Usage { input: Some(7), output: Some(2), ..Usage::default() };
    assert_eq!(Usage::find(&last.metadata), Some(usage));
}

#[test]
fn a_list_that_stops_in_the_middle_is_a_turn_that_can_go_on() {
    let user = json!({"role": "user", "content": "Read"});
    let call = json!({"role": "assistant", "content": null,
        "tool_calls": [{"id": "c1", "function": {"name": "read", "arguments": "{}"}}]});
    let result = json!({"role": "tool", "tool_call_id": "c1", "content": "ok"});
    let cut = json!({"role": "assistant", "answer": "0-0", "finish": null, "content": "I"});
    let whole = json!({"role": "assistant", "content": "Done"});
    let status = |list: &[&Value]| types(&list.iter().copied().cloned().collect()).1;
    assert_eq!(status(&[&user]), "interrupted (pending LLM response)");
    assert_eq!(status(&[&user, &call]), "interrupted (pending tool execution)");
    assert_eq!(status(&[&user, &call, &result]), "interrupted (pending follow-up)");
    assert_eq!(status(&[&user, &call, &result, &whole]), "idle");
    // Only who names its answers tells by the lack of a finish that one was cut off.
    assert_eq!(status(&[&user, &cut]), "interrupted (pending LLM response)");
    assert_eq!(status(&[&user, &whole]), "idle");
}

#[test]
fn a_call_that_may_have_run_stays_one_of_unknown_outcome() {
    let json = json!([
        {"role": "user", "content": "Write"},
        {"role": "assistant", "content": [
            {"type": "tool-call", "id": "c1", "tool": "write", "arguments": "{}", "attempts": 2},
            {"type": "tool-call", "id": "c2", "tool": "write", "arguments": "{}"},
        ]},
    ]);
    let (types, _) = types(&json);
    assert_eq!(types, ["request", "tool-call", "tool-call", "tool-start"]);
    let kept = kept(&json);
    let incomplete = kept.stream.incomplete.as_ref().unwrap();
    let attempts: Vec<_> =
        incomplete.progress.pending_calls().iter().map(|call| call.attempts).collect();
    assert_eq!(attempts, [2, 0]);
    let content = &write(&kept.list())[1]["content"];
    assert_eq!((&content[0]["attempts"], content[1].get("attempts")), (&json!(2), None));
    assert!(LeftOut::of(&kept.stream, &kept.origin()).is_nothing());
}

#[test]
fn every_problem_is_told_with_its_place() {
    let json = json!([
        "hello",
        {"role": "narrator", "content": "x"},
        {"content": "x"},
        {"role": "user"},
        {"role": "user", "content": 7, "created_at": "noon", "interrupts": "no"},
        {"role": "user", "content": "!", "encoding": "base64"},
        {"role": "user", "content": "", "encoding": "rot13", "attachments": [{"content": []}, 1]},
        {"role": "assistant", "content": []},
        {"role": "assistant", "content": {"text": "x"}},
        {"role": "assistant", "content": [
            {"type": "image"},
            {"type": "data", "data": "{"},
            {"type": "tool-call", "id": 1, "arguments": {}, "attempts": 4294967296_u64},
            {"type": "text", "text": "x", "native": {"api": "x"}, "signature": {}},
        ], "usage": {"input": -1}},
        {"role": "assistant", "tool_calls": [{"type": "custom", "function": {"name": "x"}}]},
        {"role": "tool", "content": "x"},
        {"role": "user", "content": "x", "metadata": [], "message_id": 7},
    ]);
    assert!(!fits_schema(&json));
    let expected = [
        "[0]: expected an object, not a text",
        "[1].role: `narrator` is no role: expected `system`, `user`, `assistant` or `tool`",
        "[2].role: it is missing",
        "[3].content: it is missing",
        "[4].created_at: `noon` is not a time such as `2026-01-31T12:00:00Z` or \
         `2026-01-31T14:00:00+02:00`",
        "[4].content: expected a text, not a number",
        "[4].interrupts: expected true or false, not a text",
        "[5].content: it is not valid base64: Invalid symbol 33, offset 0.",
        "[6].encoding: expected `base64`, not `rot13`",
        "[6].attachments[0].source: it is missing",
        "[6].attachments[0].content: expected a text, not a list",
        "[6].attachments[1]: expected an object, not a number",
        "[7].content: an answer needs a text, parts, or `tool_calls` beside it",
        "[8].content: expected a text or a list of parts, not an object",
        "[9].usage.input: expected a number from 0, not a number",
        "[9].content[0].type: `image` is no type of a part: expected `text`, `reasoning`, `data` \
         or `tool-call`",
        "[9].content[1].data: not valid JSON: EOF while parsing an object",
        "[9].content[2].attempts: expected at most 4294967295",
        "[9].content[2].id: expected a text, not a number",
        "[9].content[2].tool: it is missing",
        "[9].content[2].arguments: expected a text, not an object",
        "[9].content[3].signature: expected a text, not an object",
        "[9].content[3].native.block: it is missing",
        "[10].tool_calls[0].id: it is missing",
        "[10].tool_calls[0].type: expected `function`, not `custom`",
        "[10].tool_calls[0].function.arguments: it is missing",
        "[11].id: it is missing",
        "[12].message_id: expected a text, not a number",
        "[12].metadata: expected an object, not a list",
    ];
    assert_eq!(problems(&json), expected);
}

#[test]
fn each_shape_that_is_refused_does_not_fit_the_schema() {
    for message in [
        json!({"role": "user"}),
        json!({"role": "user", "content": null}),
        json!({"role": "system", "content": ["x"]}),
        json!({"role": "user", "content": "x", "created_at": "noon"}),
        json!({"role": "user", "content": "x", "encoding": "rot13"}),
        json!({"role": "user", "content": "x", "attachments": [{"source": "a"}]}),
        json!({"role": "assistant"}),
        json!({"role": "assistant", "content": null, "tool_calls": []}),
        json!({"role": "assistant", "content": [{"type": "text"}]}),
        json!({"role": "assistant", "content": [{"type": "image"}]}),
        json!({"role": "assistant", "content": "x", "usage": {"input": 0.5}}),
        json!({"role": "assistant", "tool_calls": [{"id": "c1", "name": "x"}]}),
        json!({"role": "assistant", "tool_calls": [{"name": "x", "arguments": "{}"}]}),
        json!({"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "x"}}]}),
        json!({"role": "tool", "content": "x"}),
        json!({"role": "tool", "id": 7, "content": "x"}),
    ] {
        let list = json!([message]);
        assert!(!fits_schema(&list), "{list}");
        assert!(read(list.to_string().as_bytes()).is_err(), "{list}");
    }
    assert!(!fits_schema(&json!([])) && !fits_schema(&json!({"messages": []})));
}

#[test]
fn a_list_that_is_no_conversation_is_refused_with_every_reason() {
    let call = |id: &str| json!({"id": id, "name": "read", "arguments": "{}"});
    let json = json!([
        {"role": "tool", "id": "c0", "content": "x"},
        {"role": "user", "content": "Read"},
        {"role": "assistant", "tool_calls": [call("c1"), call("c1"), call("c2")]},
        {"role": "tool", "id": "c1", "content": "x"},
        {"role": "tool", "id": "c1", "content": "x"},
        {"role": "user", "content": "And now?"},
    ]);
    let expected = [
        "[0]: the result of call `c0` has no call without a result before it",
        "[2]: call `c1` is still waiting for its result; a second call needs an id of its own",
        "[4]: the result of call `c1` has no call without a result before it",
        "[5]: a request would leave call `c2` without a result",
    ];
    assert_eq!(problems(&json), expected);
}

#[test]
fn what_cannot_be_read_is_not_blamed_on_what_follows() {
    let json = json!([
        {"role": "tool", "id": "c0", "content": "x"},
        {"role": "assistant", "tool_calls": [{"id": "c1", "name": "read"}]},
        {"role": "tool", "id": "c1", "content": "x"},
        {"role": "tool", "content": "x"},
    ]);
    let expected = [
        "[1].tool_calls[0].arguments: it is missing",
        "[3].id: it is missing",
        "[0]: the result of call `c0` has no call without a result before it",
    ];
    assert_eq!(problems(&json), expected);
}

#[test]
fn what_is_not_kept_is_told_with_its_place() {
    let json = json!([
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": "One", "message_id": "m", "name": "Ann", "refusal": null},
        {"role": "user", "content": "Two", "message_id": "m"},
        {"role": "system", "content": "Be kind"},
        {"role": "system", "content": " "},
        {"role": "assistant", "content": [{"type": "text", "text": "x", "a b": 1}],
            "metadata": {"superseded": true, "mine": 1}, "tool_calls": [
            {"id": "one", "call_id": "c1", "index": 0, "name": "read", "arguments": "{}"},
        ]},
        {"role": "tool", "id": "msg_1", "tool_call_id": "c1", "tool": "read", "name": "other",
            "content": "x"},
    ]);
    let expected = [
        "[1].name: it is not kept: the key is not known",
        "[2].message_id: it is not kept: [1] has the same",
        "[5].metadata.superseded: it is not kept: it is a mark of jp",
        "[5].content[0][\"a b\"]: it is not kept: the key is not known",
        "[5].tool_calls[0].id: it is not kept: `call_id` says otherwise",
        "[5].tool_calls[0].index: it is not kept: the key is not known",
        "[6].id: it is not kept: `tool_call_id` says otherwise",
        "[6].name: it is not kept: `tool` says otherwise",
        "[2]: it follows straight after a request: it is kept as one that interrupts",
        "[3]: it is not kept: [0] is the system message",
        "[4]: it is not kept: a system message without a text",
    ];
    assert!(fits_schema(&json));
    assert_eq!(warnings(&json), expected);
    let events = unrolled(&json).events;
    let first_block = &events[2].event;
    assert_eq!((&first_block.metadata["mine"], events[2].message), (&json!(1), 5));
    let EventKind::ToolResult(ToolResult { id, tool, .. }) = &events[4].event.kind else {
        panic!("{:?}", events[4]);
    };
    assert_eq!((id.as_str(), tool.as_ref().unwrap().as_str()), ("c1", "read"));
}

#[test]
fn a_list_goes_on_from_what_was_said_before() {
    let mut before = Progress::default();
    let call = json!([
        {"role": "user", "content": "Read"},
        {"role": "assistant", "tool_calls": [{"id": "c1", "name": "read", "arguments": "{}"}]},
    ]);
    unrolled(&call).events.iter().for_each(|made| before.push(&made.event));
    let append = |json: Value| read_events(json.to_string().as_bytes(), &before, now());
    let result = append(json!([{"role": "tool", "id": "c1", "content": "x"}])).unwrap();
    assert_eq!((result.events.len(), result.system), (1, None));
    let refused = append(json!([{"role": "user", "content": "x"}])).unwrap_err();
    let told = "[0]: a request would leave call `c1` without a result";
    assert_eq!(refused[0].to_string(), told);
}

#[test]
fn a_system_message_comes_into_a_conversation_as_a_change() {
    let json = json!([{"role": "system", "content": "Be kind", "message_id": "s"}]);
    let change = unrolled(&json).system.unwrap().into_change(now());
    let kept = Kept {
        id: conversation(7),
        meta: Meta::default(),
        config: "[assistant]\nsystem_prompt = \"Be brief\"\n".parse().unwrap(),
        stream: stream([change.event]),
    };
    let expected = json!([{"role": "system", "message_id": "s",
        "created_at": "2026-01-31T12:00:00Z", "content": "Be kind"}]);
    assert_eq!(write(&kept.list()), expected);
}

#[test]
fn messages_that_were_told_apart_stay_apart() {
    let said = |id: Option<&str>| json!({"role": "assistant", "message_id": id, "content": "x"});
    let user = json!({"role": "user", "content": "Go"});
    let count = |list: &[Value]| kept(&Value::from(list.to_vec())).list().len();
    assert_eq!(count(&[user.clone(), said(Some("a")), said(Some("b"))]), 3);
    // Who does not tell them apart means one answer.
    assert_eq!(count(&[user, said(None), said(None)]), 2);
}

#[test]
fn an_id_is_derived_from_the_place_and_never_given_twice() {
    let events = kept(&json!([
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": "Go", "attachments": [{"source": "a", "content": ""}]},
        {"role": "assistant", "content": "One", "message_id": "m"},
    ]));
    let mut entries: Vec<_> = events.stream.entries().cloned().collect();
    // The same turn, picked once more.
    entries.extend(entries.clone().into_iter().enumerate().map(|(index, entry)| Entry {
        address: Address::new(10 + index as u32).unwrap(),
        ..entry
    }));
    let twice = Kept { stream: Stream::new(entries), ..events };
    let ids: Vec<_> = twice.list().into_iter().map(|listed| listed.id.unwrap()).collect();
    assert_eq!(ids, ["jp-c2/system", "jp-c2/001", "m", "jp-c2/011", "jp-c2/012"]);
}

#[test]
fn a_library_can_make_a_list_by_itself() {
    let text =
        |text: &str| Part { kind: PartKind::Text(text.into()), signature: None, native: None };
    let answer = |parts| Role::Assistant { model: None, answer: None, parts, finish: None };
    let asked = Role::User { content: "Hi".into(), attachments: Vec::new() };
    let list = [Listed::new(asked), Listed::new(answer(vec![text("Hello")]))];
    let made = events(&list, &Progress::default(), now()).unwrap();
    let EventKind::Message(Said { content, .. }) = &made.events[1].event.kind else {
        panic!("{made:?}");
    };
    assert_eq!((content.as_text(), made.events[1].event.timestamp), (Some("Hello"), now()));
    let empty = events(&[Listed::new(answer(Vec::new()))], &Progress::default(), now());
    assert_eq!(empty.unwrap_err()[0].to_string(), "[0]: an answer needs at least one part");
}
