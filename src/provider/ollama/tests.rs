use serde_json::json;

use super::*;
use crate::{
    model::{Finish, Usage},
    provider::{
        Content, Effort, Query, Trouble,
        decoder::Decoder,
        ndjson::Lines,
        tests::{
            EXACT, answer, call, called, distort, events, hear, query, result, sampled_query,
            system, text, thought, user,
        },
    },
};

const TOOLS: &str = include_str!("../../../tests/fixtures/wire/ollama-tools.ndjson");
const ERROR: &str = include_str!("../../../tests/fixtures/wire/ollama-error.ndjson");

fn decoder() -> Decoder {
    super::decoder(&query(Vec::new()))
}

#[test]
fn thoughts_texts_and_calls_come_in_order_and_calls_get_ids() {
    let heard = hear::<Lines>(TOOLS.as_bytes(), decoder);
    let expected = [
        Content::Reasoning("Two files, größer.".to_owned()),
        Content::Text("I look. 🦀".to_owned()),
        called("call00001", "fs_read", "{\"path\": \"a.txt\"}"),
        called("call00002", "fs_list", "{}"),
        called("call_x", "fs_read", "{\"path\": \"b\"}"),
    ];
    assert_eq!(heard.contents(), expected);
    assert_eq!((heard.finish(), heard.end.clone()), (Some(Finish::ToolCalls), Ok(())));
    let usage = Usage { input: Some(26), output: Some(290), ..Usage::default() };
    assert_eq!(heard.usage(), Some(usage));
}

#[test]
fn errors_cuts_and_garbage_are_told_apart() {
    assert_eq!(hear::<Lines>(ERROR.as_bytes(), decoder).trouble(), Some(Trouble::Server));
    let cut = ERROR.split("{\"error").next().unwrap();
    assert_eq!(hear::<Lines>(cut.as_bytes(), decoder).trouble(), Some(Trouble::Broken));
    let half = &cut[..cut.len() - 9];
    assert_eq!(hear::<Lines>(half.as_bytes(), decoder).trouble(), Some(Trouble::Broken));
    assert_eq!(hear::<Lines>(b"hello\n{}\n", decoder).trouble(), Some(Trouble::Garbled));
    assert_eq!(hear::<Lines>(b"{\"x\":1}\n", decoder).trouble(), Some(Trouble::Garbled));
}

#[test]
fn the_reason_to_stop_is_translated() {
    let end = |reason: &str| {
        let line = json!({
            "message": { "role": "assistant", "content": "Hi" }, "done": true, "done_reason": reason,
        });
        hear::<Lines>(line.to_string().as_bytes(), decoder).finish().unwrap()
    };
    assert_eq!((end("stop"), end("length")), (Finish::Stop, Finish::Length));
    assert_eq!(end("unload"), Finish::Other("unload".to_owned()));
}

#[test]
fn data_is_reported_as_a_whole() {
    let asking = Query { schema: Some(json!({ "type": "array" })), ..query(Vec::new()) };
    let line = json!({ "message": { "content": "[1]" }, "done": true }).to_string();
    let heard = hear::<Lines>(line.as_bytes(), || super::decoder(&asking));
    assert_eq!(heard.contents(), [Content::Data("[1]".to_owned())]);
    assert_eq!(encode(&asking).to_value()["format"], json!({ "type": "array" }));
}

#[test]
fn a_query_is_encoded_with_its_results_in_place() {
    let parts = vec![
        thought("Hm.", ""),
        text("I look."),
        call("a", "fs_read", "{\"path\": \"x\"}"),
        call("b", "fs_list", "[]"),
    ];
    let roles = vec![
        system("Be brief."),
        user("Look"),
        answer("test/model", parts),
        result("b", "two"),
        result("a", "one"),
    ];
    let (query, tool) = sampled_query(Effort::High, roles);
    let expected = json!({
        "model": "model",
        "stream": true,
        "truncate": false,
        "shift": false,
        "options": { "num_predict": 9, "temperature": 0.5 },
        "think": "high",
        "tools": [tool],
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "Look" },
            {
                "role": "assistant",
                "content": "I look.",
                "thinking": "Hm.",
                "tool_calls": [
                    { "id": "a", "function": { "name": "fs_read", "arguments": { "path": "x" } } },
                    {
                        "id": "b",
                        "function": {
                            "name": "fs_list", "arguments": { "invalid_arguments": "[]" },
                        },
                    },
                ],
            },
            { "role": "tool", "tool_name": "fs_read", "tool_call_id": "a", "content": "one" },
            { "role": "tool", "tool_name": "fs_list", "tool_call_id": "b", "content": "two" },
        ],
    });
    assert_eq!(encode(&query).to_value(), expected);
}

#[test]
fn nothing_that_a_server_says_makes_the_decoder_panic() {
    for text in [TOOLS, ERROR] {
        distort(&events(text), decoder);
    }
}

#[test]
fn arguments_are_heard_and_go_back_to_the_letter() {
    let line = format!(
        "{{\"message\":{{\"tool_calls\":[{{\"function\":{{\"name\":\"fs_list\"}}}},\
         {{\"function\":{{\"name\":\"fs_read\",\"arguments\":{EXACT}}}}}]}},\"done\":true}}"
    );
    let heard = hear::<Lines>(line.as_bytes(), decoder);
    assert_eq!(heard.contents()[1], called("call00002", "fs_read", EXACT));
    let parts = vec![call("a", "fs_read", EXACT)];
    let body = encode(&query(vec![user("?"), answer("x/y", parts), result("a", "r")]));
    let expected = format!("\"function\":{{\"name\":\"fs_read\",\"arguments\":{EXACT}}}");
    assert!(body.to_string().contains(&expected), "{body}");
}
