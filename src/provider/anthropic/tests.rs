use serde_json::{Value, json};

use super::*;
use crate::{
    model::{Finish, Native, Usage},
    provider::{
        Block, Content, Query, Trouble,
        decoder::Decoder,
        json::Document,
        sse::Sse,
        tests::{
            EXACT, answer, call, called, distort, events, failed, hear, hear_unchecked, native,
            query, result, system, text, thought, user,
        },
    },
};

const THINKING: &str = include_str!("../../../tests/fixtures/wire/anthropic-thinking-tools.sse");
const ODD: &str = include_str!("../../../tests/fixtures/wire/anthropic-odd-blocks.sse");
const OVERLOADED: &str = include_str!("../../../tests/fixtures/wire/anthropic-overloaded.sse");
const DATA: &str = include_str!("../../../tests/fixtures/wire/anthropic-data.sse");

fn decoder() -> Decoder {
    super::decoder(&query(Vec::new()))
}

fn unknown(content: Content, block: Value) -> Block {
    let native = Some(Native { api: API.to_owned(), block });
    Block { native, ..Block::new(content) }
}

#[test]
fn thoughts_texts_and_calls_come_in_order_with_their_signatures() {
    let heard = hear::<Sse>(THINKING.as_bytes(), decoder);
    assert_eq!(heard.end, Ok(()));
    let thought = Content::Reasoning("The files first – then größer.".to_owned());
    let expected = [
        Block { signature: Some("EuYBCkQYAiJAc2lnbmVk".to_owned()), ..Block::new(thought) },
        Block::new(Content::Text("Let me look at both. 🦀".to_owned())),
        Block::new(called("toolu_01A", "fs_read", "{\"path\": \"a.txt\"}")),
        Block::new(called("toolu_01B", "fs_list", "{}")),
    ];
    assert_eq!(heard.blocks(), expected);
    assert_eq!(heard.finish(), Some(Finish::ToolCalls));
    let usage = Usage {
        input: Some(3120),
        output: Some(77),
        cache_read: Some(3000),
        cache_write: Some(100),
        reasoning: None,
    };
    assert_eq!(heard.usage(), Some(usage));
}

#[test]
fn blocks_that_jp_does_not_know_are_kept_whole_and_go_back_unchanged() {
    let heard = hear::<Sse>(ODD.as_bytes(), decoder);
    let search = json!({
        "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
        "input": { "query": "jp" },
    });
    let found = json!({
        "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
        "content": [{
            "type": "web_search_result", "url": "https://example.com", "title": "jp",
            "encrypted_content": "xyz",
        }],
    });
    let citation = json!({
        "type": "web_search_result_location", "url": "https://example.com", "cited_text": "jp is",
    });
    let cited = json!({ "type": "text", "text": "It is a program.", "citations": [citation] });
    let redacted = json!({ "type": "redacted_thinking", "data": "ZW5jcnlwdGVk" });
    let direct = json!({
        "type": "tool_use", "id": "toolu_9", "name": "fs_read", "input": { "path": "x" },
        "caller": { "type": "direct" },
    });
    let hidden = || Content::Reasoning(String::new());
    let expected = [
        unknown(hidden(), redacted.clone()),
        unknown(hidden(), search.clone()),
        unknown(hidden(), found.clone()),
        unknown(Content::Text("It is a program.".to_owned()), cited.clone()),
        unknown(called("toolu_9", "fs_read", "{\"path\":\"x\"}"), direct.clone()),
    ];
    assert_eq!(heard.blocks(), expected);
    assert_eq!(heard.finish(), Some(Finish::Other("pause_turn".to_owned())));

    let parts = vec![
        native(thought("", ""), API, redacted.clone()),
        native(thought("", ""), API, search.clone()),
        native(thought("", ""), API, found.clone()),
        native(text("It is a program."), API, cited.clone()),
        native(call("toolu_9", "fs_read", "{\"path\":\"x\"}"), API, direct.clone()),
    ];
    let own = query(vec![user("Hi"), answer("test/model", parts.clone()), result("toolu_9", "y")]);
    assert_eq!(
        encode(&own).to_value()["messages"][1]["content"],
        json!([redacted, search, found, cited, direct])
    );
    let other = query(vec![user("Hi"), answer("other/model", parts), result("toolu_9", "y")]);
    let plain = json!([
        { "type": "text", "text": "It is a program." },
        { "type": "tool_use", "id": "toolu_9", "name": "fs_read", "input": { "path": "x" } },
    ]);
    assert_eq!(encode(&other).to_value()["messages"][1]["content"], plain);
}

#[test]
fn an_error_in_the_middle_leaves_the_blocks_that_were_complete() {
    let heard = hear::<Sse>(OVERLOADED.as_bytes(), decoder);
    assert_eq!(heard.contents(), [Content::Text("Done.".to_owned())]);
    assert_eq!(heard.trouble(), Some(Trouble::Server));
    let cut = OVERLOADED.split("event: error").next().unwrap();
    assert_eq!(hear::<Sse>(cut.as_bytes(), decoder).trouble(), Some(Trouble::Broken));
    let openai = "data: {\"error\":{\"message\":\"slow down\",\"type\":\"rate_limit_error\"}}\n\n";
    assert_eq!(hear::<Sse>(openai.as_bytes(), decoder).trouble(), Some(Trouble::Busy));
    let garbage = "data: {\"type\":\n\ndata: x\n\n";
    assert_eq!(hear::<Sse>(garbage.as_bytes(), decoder).trouble(), Some(Trouble::Garbled));
}

#[test]
fn data_comes_as_the_input_of_a_tool() {
    let asking = Query { schema: Some(json!({ "type": "array" })), ..query(Vec::new()) };
    let heard = hear::<Sse>(DATA.as_bytes(), || super::decoder(&asking));
    assert_eq!(heard.contents(), [Content::Data("[1, 2]".to_owned())]);
    assert_eq!(heard.finish(), Some(Finish::Stop));
}

#[test]
fn an_answer_that_comes_as_a_whole_is_heard_too() {
    let body = json!({
        "type": "message",
        "content": [
            { "type": "thinking", "thinking": "Hm", "signature": "c2ln" },
            { "type": "text", "text": "Yes" },
            { "type": "tool_use", "id": "t", "name": "fs_read", "input": { "path": "a" } },
        ],
        "stop_reason": "tool_use",
        "usage": { "input_tokens": 3, "output_tokens": 4 },
    });
    let pieces = decoder().decode_whole(&Document::read(&body.to_string()).unwrap()).unwrap();
    let heard = crate::provider::tests::Heard { pieces, end: Ok(()) };
    let expected = [
        Content::Reasoning("Hm".to_owned()),
        Content::Text("Yes".to_owned()),
        called("t", "fs_read", "{\"path\":\"a\"}"),
    ];
    assert_eq!(heard.contents(), expected);
    assert_eq!(heard.blocks()[0].signature.as_deref(), Some("c2ln"));
    assert_eq!((heard.finish(), heard.usage().unwrap().input), (Some(Finish::ToolCalls), Some(3)));
    let error = json!({ "error": { "message": "no", "type": "invalid_request_error" } });
    assert_eq!(
        decoder().decode_whole(&Document::read(&error.to_string()).unwrap()).unwrap_err().trouble,
        Trouble::Refused
    );
}

#[test]
fn a_query_is_encoded_with_its_results_in_place_and_marks_for_the_cache() {
    let parts = vec![
        thought("Both.", "c2ln"),
        text("  "),
        text("I look."),
        call("a", "fs_read", "{\"path\": \"x\"}"),
        call("b", "fs_list", "not JSON"),
        call("c", "fs_list", "{}"),
    ];
    let query = query(vec![
        system("Be brief."),
        user("Look"),
        answer("test/model", parts),
        failed("b", "bad arguments"),
        user("Hurry"),
        result("a", ""),
    ]);
    let cache = json!({ "type": "ephemeral" });
    let schema = json!({ "type": "object", "properties": {} });
    let expected = json!({
        "model": "model",
        "max_tokens": 32000,
        "stream": true,
        "system": [{ "type": "text", "text": "Be brief.", "cache_control": cache }],
        "tools": [
            { "name": "fs_read", "description": "fs_read it", "input_schema": schema },
            {
                "name": "fs_list", "description": "fs_list it", "input_schema": schema,
                "cache_control": cache,
            },
        ],
        "messages": [
            {
                "role": "user",
                "content": [{ "type": "text", "text": "Look", "cache_control": cache }],
            },
            {
                "role": "assistant",
                "content": [
                    { "type": "thinking", "thinking": "Both.", "signature": "c2ln" },
                    { "type": "text", "text": "I look." },
                    { "type": "tool_use", "id": "a", "name": "fs_read", "input": { "path": "x" } },
                    {
                        "type": "tool_use", "id": "b", "name": "fs_list",
                        "input": { "invalid_arguments": "not JSON" },
                    },
                    { "type": "tool_use", "id": "c", "name": "fs_list", "input": {} },
                ],
            },
            {
                "role": "user",
                "content": [
                    { "type": "tool_result", "tool_use_id": "a" },
                    {
                        "type": "tool_result", "tool_use_id": "b", "content": "bad arguments",
                        "is_error": true,
                    },
                    {
                        "type": "tool_result", "tool_use_id": "c",
                        "content": "It is not known whether this tool was run, and it has no result.",
                        "is_error": true,
                    },
                    { "type": "text", "text": "Hurry", "cache_control": cache },
                ],
            },
        ],
    });
    assert_eq!(encode(&query).to_value(), expected);
}

#[test]
fn a_schema_is_a_tool_that_must_be_called() {
    let mut asking = query(vec![user("List")]);
    asking.schema = Some(json!({ "type": "object", "properties": {} }));
    let body = encode(&asking).to_value();
    let choice = json!({ "type": "any", "disable_parallel_tool_use": true });
    assert_eq!((&body["tool_choice"], &body["tools"][2]["name"]), (&choice, &json!("answer")));
    asking.tools.clear();
    let forced = json!({ "type": "tool", "name": "answer", "disable_parallel_tool_use": true });
    assert_eq!(encode(&asking).to_value()["tool_choice"], forced);
}

#[test]
fn tools_that_were_called_and_are_gone_are_still_named() {
    let mut old = query(vec![
        user("Hi"),
        answer("x/y", vec![call("a", "gone/tool", "{}")]),
        result("a", "r"),
    ]);
    old.tools.clear();
    let body = encode(&old).to_value();
    assert_eq!(body["tools"][0]["name"], "gone_tool");
    assert_eq!(body["tool_choice"], json!({ "type": "none" }));
}

#[test]
fn an_older_model_does_not_think_when_its_last_thoughts_are_missing() {
    let mut edited = query(vec![
        user("Hi"),
        answer("test/claude-sonnet-4-5", vec![call("a", "fs_read", "{}")]),
        result("a", "r"),
    ]);
    edited.sampling.reasoning = Some(crate::provider::Effort::High);
    edited.model = "test/claude-sonnet-4-5".to_owned();
    assert_eq!(encode(&edited).to_value().get("thinking"), None);
    edited.messages.push(edited.messages[0].clone());
    assert_eq!(encode(&edited).to_value()["thinking"]["type"], "enabled");
}

#[test]
fn nothing_that_a_server_says_makes_the_decoder_panic() {
    for text in [THINKING, ODD, OVERLOADED, DATA] {
        distort(&events(text), decoder);
    }
}

#[test]
fn white_space_in_place_of_arguments_is_none() {
    let blank = THINKING.replace("{\\\"path\\\": \\\"a", "   ").replace(".txt\\\"}", " ");
    let heard = hear_unchecked::<Sse>(blank.as_bytes(), decoder());
    assert_eq!(heard.contents()[2], called("toolu_01A", "fs_read", "{}"));
}

#[test]
fn arguments_are_heard_and_go_back_to_the_letter() {
    let block = format!(
        "{{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"fs_read\",\"input\":{EXACT},\"caller\":1}}"
    );
    let whole = format!("{{\"type\":\"message\",\"content\":[{{}},{block}]}}");
    let start = format!(
        "data: {{\"type\":\"content_block_start\",\"content_block\":{block}}}\n\n\
         data: {{\"type\":\"message_stop\"}}\n\n"
    );
    let parts = json!({ "type": "input_json_delta", "partial_json": EXACT });
    let in_parts = start.replace(EXACT, "{}").replacen(
        "\n\n",
        &format!("\n\ndata: {}\n\n", json!({ "type": "content_block_delta", "delta": parts })),
        1,
    );
    for stream in [format!("data: {whole}\n\n"), start, in_parts] {
        let stop = "data: {\"type\":\"content_block_stop\"}\n\ndata: {\"type\":\"message_stop\"}";
        let stream = stream.replace("data: {\"type\":\"message_stop\"}", stop);
        let heard = hear_unchecked::<Sse>(stream.as_bytes(), decoder());
        let block = heard.blocks().pop().unwrap();
        assert_eq!(block.content, called("a", "fs_read", EXACT), "{stream}");
        let part = native(call("a", "fs_read", EXACT), API, block.native.unwrap().block);
        let own = query(vec![user("?"), answer("test/model", vec![part]), result("a", "r")]);
        let sent = encode(&own).to_string();
        assert!(sent.contains(&format!("\"input\":{EXACT},\"caller\":1}}")), "{sent}");
    }
}
