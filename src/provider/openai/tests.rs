use serde_json::json;

use super::*;
use crate::{
    model::{Finish, Usage},
    provider::{
        Content, Effort, Query, Trouble,
        decoder::Decoder,
        json::Document,
        names::IdRule,
        sse::Sse,
        tests::{
            EXACT, Heard, answer, call, called, distort, events, failed, hear, native, query,
            result, sampled_query, system, text, thought, user,
        },
    },
};

const INTERLEAVED: &str = include_str!("../../../tests/fixtures/wire/openai-interleaved-tools.sse");
const REPEATS: &str = include_str!("../../../tests/fixtures/wire/openai-repeats-id-and-name.sse");
const NAMELESS: &str = include_str!("../../../tests/fixtures/wire/openai-no-index-no-id.sse");
const TWICE: &str = include_str!("../../../tests/fixtures/wire/openai-index-given-twice.sse");
const DETAILS: &str = include_str!("../../../tests/fixtures/wire/openai-reasoning-details.sse");
const ERROR: &str = include_str!("../../../tests/fixtures/wire/openai-error-in-stream.sse");

fn decoder() -> Decoder {
    super::decoder(&query(Vec::new()))
}

fn hear_text(text: &str) -> Heard {
    hear::<Sse>(text.as_bytes(), decoder)
}

fn chunk(delta: &serde_json::Value, finish: Option<&str>) -> String {
    let chunk = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    format!("data: {chunk}\n\n")
}

#[test]
fn interleaved_calls_are_told_apart() {
    let heard = hear_text(INTERLEAVED);
    let expected = [
        Content::Reasoning("Two calls, größer.".to_owned()),
        Content::Text("I will look. 🦀".to_owned()),
        called("call_a", "fs_read", "{\"path\": \"a.txt\"}"),
        called("call_b", "fs_list", "{\"dir\": \".\"}"),
    ];
    assert_eq!(heard.contents(), expected);
    assert_eq!((heard.finish(), heard.end.clone()), (Some(Finish::ToolCalls), Ok(())));
    let usage = Usage {
        input: Some(120),
        output: Some(40),
        cache_read: Some(64),
        cache_write: None,
        reasoning: Some(16),
    };
    assert_eq!(heard.usage(), Some(usage));
}

#[test]
fn ids_and_names_may_be_repeated_and_the_end_mark_may_be_missing() {
    let heard = hear_text(REPEATS);
    let expected =
        [called("call_a", "fs_read", "{\"path\":\"a\"}"), called("call_b", "fs_read", "{}")];
    assert_eq!((heard.contents().as_slice(), heard.end), (expected.as_slice(), Ok(())));
}

#[test]
fn calls_without_index_and_id_are_told_apart_and_get_new_ids() {
    let earlier = || {
        let parts = vec![call("call00001", "fs_read", "{}")];
        super::decoder(&query(vec![answer("x/y", parts)]))
    };
    let heard = hear::<Sse>(NAMELESS.as_bytes(), earlier);
    let expected = [
        called("call00002", "fs_read", "{\"path\":\"a\"}"),
        called("call00003", "fs_read", "{\"path\":\"b\"}"),
    ];
    assert_eq!(
        (heard.contents().as_slice(), heard.finish()),
        (expected.as_slice(), Some(Finish::ToolCalls))
    );
}

#[test]
fn an_index_that_is_given_twice_is_two_calls_and_what_is_unknown_goes_back() {
    let heard = hear_text(TWICE);
    let expected = [
        called("one", "fs_read", "{\"path\":\"a\"}"),
        called("two", "fs_read", "{\"path\":\"b\"}"),
    ];
    assert_eq!(heard.contents(), expected);
    let kept = heard.blocks()[0].native.clone().unwrap();
    let extra = json!({ "extra_content": { "google": { "thought_signature": "c2ln" } } });
    assert_eq!(kept.block, extra);
    let parts = vec![native(call("one", "fs_read", "{\"path\":\"a\"}"), API, kept.block)];
    let body = encode(
        &query(vec![user("Hi"), answer("test/model", parts), result("one", "r")]),
        &Dialect::COMMON,
    )
    .to_value();
    let sent = &body["messages"][1]["tool_calls"][0];
    assert_eq!(sent["extra_content"], extra["extra_content"]);
    assert_eq!(sent["function"]["arguments"], "{\"path\":\"a\"}");
}

#[test]
fn details_of_thoughts_are_joined_and_go_back_to_their_model_only() {
    let heard = hear_text(DETAILS);
    assert_eq!(
        heard.contents(),
        [Content::Reasoning("Hmm.".to_owned()), Content::Text("Yes.".to_owned())]
    );
    let block = heard.blocks()[0].native.clone().unwrap().block;
    let details = json!([
        { "type": "reasoning.text", "text": "Hmm.", "index": 0, "format": "x", "signature": "c2ln" },
        { "type": "reasoning.encrypted", "data": "eA==", "index": 1 },
    ]);
    assert_eq!(block, json!({ "reasoning_details": details }));
    let parts = vec![native(thought("Hmm.", ""), API, block), text("Yes.")];
    let sent = |model: &str| {
        let query = query(vec![user("?"), answer(model, parts.clone()), user("!")]);
        encode(&query, &Dialect::COMMON).to_value()["messages"][1].clone()
    };
    let expected = json!({ "role": "assistant", "content": "Yes.", "reasoning_details": details });
    assert_eq!(sent("test/model"), expected);
    assert_eq!(sent("other/model"), json!({ "role": "assistant", "content": "Yes." }));
}

#[test]
fn errors_cuts_and_garbage_are_told_apart() {
    assert_eq!(hear_text(ERROR).trouble(), Some(Trouble::Server));
    let cut = ERROR.split("data: {\"error").next().unwrap();
    assert_eq!(hear_text(cut).trouble(), Some(Trouble::Broken));
    assert_eq!(hear_text(&cut[..cut.len() - 20]).trouble(), Some(Trouble::Broken));
    assert_eq!(hear_text("").trouble(), Some(Trouble::Broken));
    assert_eq!(hear_text("data: }{\n\n").trouble(), Some(Trouble::Garbled));
    assert_eq!(hear_text("hello there\n").trouble(), Some(Trouble::Garbled));
    let half = INTERLEAVED.split("data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},").next().unwrap();
    let heard = hear_text(half);
    // Calls that may not be complete are not reported: nothing must run that was cut off.
    assert_eq!((heard.contents().len(), heard.trouble()), (2, Some(Trouble::Broken)));
}

#[test]
fn the_end_is_known_by_the_reason_or_by_the_mark() {
    let said = chunk(&json!({ "content": "Hi" }), None);
    let marked = hear_text(&format!("{said}data: [DONE]\n\n"));
    assert_eq!((marked.finish(), marked.end), (Some(Finish::Stop), Ok(())));
    for (word, finish) in [
        ("length", Finish::Length),
        ("content_filter", Finish::ContentFilter),
        ("odd", Finish::Other("odd".to_owned())),
    ] {
        let end = chunk(&json!({}), Some(word));
        assert_eq!(hear_text(&format!("{said}{end}")).finish(), Some(finish));
    }
    let error = hear_text(&format!("{said}{}", chunk(&json!({}), Some("error"))));
    assert_eq!(error.trouble(), Some(Trouble::Server));
}

#[test]
fn a_content_in_parts_and_a_refusal_are_heard() {
    let parts = json!({ "content": [
        { "type": "thinking", "thinking": [{ "type": "text", "text": "Hm" }] },
        { "type": "text", "text": "No" },
    ] });
    let refusal = json!({ "refusal": ", I will not" });
    let text = chunk(&parts, None) + &chunk(&refusal, None) + &chunk(&json!({}), Some("stop"));
    let expected =
        [Content::Reasoning("Hm".to_owned()), Content::Text("No, I will not".to_owned())];
    assert_eq!(hear_text(&text).contents(), expected);
}

#[test]
fn an_answer_that_comes_as_a_whole_is_heard_too() {
    let body = json!({
        "choices": [{
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Yes",
                "tool_calls": [
                    { "id": "a", "type": "function", "function": { "name": "fs_read", "arguments": "{}" } },
                    { "function": { "name": "fs_read", "arguments": { "path": "b" } } },
                ],
            },
            "finish_reason": "tool_calls",
        }],
        "usage": { "prompt_tokens": 3, "completion_tokens": 4 },
    });
    let heard = Heard {
        pieces: decoder().decode_whole(&Document::read(&body.to_string()).unwrap()).unwrap(),
        end: Ok(()),
    };
    let expected = [
        Content::Text("Yes".to_owned()),
        called("a", "fs_read", "{}"),
        called("call00001", "fs_read", "{\"path\":\"b\"}"),
    ];
    assert_eq!(heard.contents(), expected);
    assert_eq!((heard.finish(), heard.usage().unwrap().output), (Some(Finish::ToolCalls), Some(4)));
    let error = json!({ "object": "error", "message": "no model found" });
    assert!(decoder().decode_whole(&Document::read(&error.to_string()).unwrap()).is_err());
}

#[test]
fn data_is_reported_as_a_whole_and_talk_before_a_call_is_none() {
    let asking = Query { schema: Some(json!({ "type": "array" })), ..query(Vec::new()) };
    let said = chunk(&json!({ "content": "{\"answer\":" }), None)
        + &chunk(&json!({ "content": " [1]}" }), Some("stop"));
    let heard = hear::<Sse>(said.as_bytes(), || super::decoder(&asking));
    assert_eq!(heard.contents(), [Content::Data("[1]".to_owned())]);
    let call =
        json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "fs_read" } }] });
    let talk = chunk(&json!({ "content": "First" }), None) + &chunk(&call, Some("tool_calls"));
    let heard = hear::<Sse>(talk.as_bytes(), || super::decoder(&asking));
    let expected = [Content::Text("First".to_owned()), called("a", "fs_read", "{}")];
    assert_eq!(heard.contents(), expected);
}

#[test]
fn a_query_is_encoded_with_its_results_in_place() {
    let parts = vec![
        thought("Both.", "c2ln"),
        text("I look."),
        call("a", "fs_read", "{\"path\":  \"x\"}"),
        call("b", "fs_list", "not JSON"),
    ];
    let roles = vec![
        system("Be brief."),
        user("Look"),
        user("there"),
        answer("test/model", parts),
        failed("b", "bad arguments"),
        result("a", "text"),
    ];
    let (query, tool) = sampled_query(Effort::Low, roles);
    let expected = json!({
        "model": "model",
        "stream": true,
        "stream_options": { "include_usage": true },
        "max_tokens": 9,
        "temperature": 0.5,
        "tools": [tool],
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "Look\n\nthere" },
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [
                    {
                        "id": "a", "type": "function",
                        "function": { "name": "fs_read", "arguments": "{\"path\":  \"x\"}" },
                    },
                    {
                        "id": "b", "type": "function",
                        "function": {
                            "name": "fs_list",
                            "arguments": "{\"invalid_arguments\":\"not JSON\"}",
                        },
                    },
                ],
            },
            { "role": "tool", "tool_call_id": "a", "content": "text" },
            { "role": "tool", "tool_call_id": "b", "content": "Error: bad arguments" },
        ],
        "reasoning_effort": "low",
    });
    assert_eq!(encode(&query, &Dialect::COMMON).to_value(), expected);
}

#[test]
fn services_are_spoken_to_in_their_dialect() {
    let parts = vec![thought("Hm.", ""), call("toolu_01", "fs_read", "{}")];
    let mut asking = query(vec![user("Hi"), answer("test/model", parts), result("toolu_01", "r")]);
    asking.schema = Some(json!({ "type": "object" }));
    asking.sampling.reasoning = Some(Effort::Off);
    let deepseek = crate::provider::Preset::named("deepseek").unwrap().dialect;
    let body = encode(&asking, &deepseek).to_value();
    assert_eq!(body["messages"][2]["reasoning_content"], "Hm.");
    assert_eq!(body["response_format"], json!({ "type": "json_object" }));
    assert!(body["messages"][0]["content"].as_str().unwrap().contains("{\"type\":\"object\"}"));
    assert_eq!(body["thinking"], json!({ "type": "disabled" }));

    asking.messages.push(asking.messages[0].clone());
    assert_eq!(encode(&asking, &deepseek).to_value()["messages"][2].get("reasoning_content"), None);
    let mistral = crate::provider::Preset::named("mistral").unwrap().dialect;
    assert_eq!(mistral.ids, IdRule::Nine);
    let body = encode(&asking, &mistral).to_value();
    let roles: Vec<_> =
        body["messages"].as_array().unwrap().iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(body["messages"][1]["tool_calls"][0]["id"], body["messages"][2]["tool_call_id"]);
    assert_eq!(body["messages"][2]["tool_call_id"].as_str().unwrap().len(), 9);
    assert_eq!(body.get("stream_options"), None);
    let strict = &body["response_format"]["json_schema"]["strict"];
    assert_eq!(strict, false);
}

#[test]
fn nothing_that_a_server_says_makes_the_decoder_panic() {
    for text in [INTERLEAVED, NAMELESS, TWICE, DETAILS, ERROR] {
        distort(&events(text), decoder);
    }
}

#[test]
fn arguments_are_heard_and_go_back_to_the_letter() {
    let call_with = |arguments: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"id\":\"a\",\"function\":\
             {{\"name\":\"fs_read\",\"arguments\":{arguments}}}}}]}},\"finish_reason\":\"stop\"}}]}}\n\n"
        )
    };
    for arguments in [EXACT.to_owned(), json!(EXACT).to_string()] {
        let heard = hear_text(&call_with(&arguments));
        assert_eq!(heard.contents(), [called("a", "fs_read", EXACT)]);
    }
    let parts = vec![call("a", "fs_read", EXACT)];
    let query = query(vec![user("?"), answer("x/y", parts), result("a", "r")]);
    let sent = encode(&query, &Dialect::COMMON).to_value();
    assert_eq!(sent["messages"][1]["tool_calls"][0]["function"]["arguments"], EXACT);
}
