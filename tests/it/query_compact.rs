//! Queries and compaction: what a model is really sent, and what is said when the room is used up.

use serde_json::{Value, json};

use crate::{
    compact::{begin, seen},
    loopback::{Loopback, Step, reply, stream},
    query::{answer, ask, beginning, client, configure, files, player, saying},
    support::{Jp, request},
};

/// The messages of a request, a line for each.
fn sent(server: &Loopback, at: usize) -> Vec<String> {
    let body = server.requests()[at].json();
    let told = |message: &Value| {
        let calls = message["tool_calls"].as_array().map_or(0, Vec::len);
        let text = message["content"].as_str().unwrap_or_default();
        let text = if text.starts_with("long long") { "LONG" } else { text };
        let text = if text.starts_with("(The result") { "SHORT" } else { text };
        let calls = if calls > 0 { format!(" +{calls}") } else { String::new() };
        format!("{} {text}{calls}", message["role"].as_str().unwrap())
    };
    body["messages"].as_array().unwrap().iter().map(told).collect()
}

fn too_long(message: &str) -> Vec<Step> {
    let code = "context_length_exceeded";
    let body =
        json!({ "error": { "message": message, "type": "invalid_request_error", "code": code } });
    reply(400, "application/json", &body.to_string())
}

/// An answer that tells what it has cost.
fn costing(text: &str, input: u64, output: u64) -> Vec<Step> {
    let mut steps = beginning(text);
    let usage = json!({ "prompt_tokens": input, "completion_tokens": output });
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }], "usage": usage });
    let end = format!("data: {end}\n\ndata: [DONE]\n\n");
    steps.extend([Step::Chunk(end.into()), Step::End]);
    steps
}

fn is_sent(role: &str, text: &str) -> String {
    format!("{role} {text}")
}

#[test]
fn a_model_is_sent_what_compactions_leave() {
    let server = Loopback::start([saying("Yes."), saying("Still yes.")]);
    let jp = client(&server);
    let id = begin(&jp, 2, &[]);
    assert_eq!(jp.run(&["c", "compact", &id]).code, 0);
    let args = |text: &'static str| [format!("--id={id}"), text.to_owned()];
    let asking = |text| args(text);
    let first = asking("Sure?");
    assert_eq!(answer(ask(&jp, &first.each_ref().map(String::as_str))), "Yes.\n");
    let expected = [
        "user Q0",
        "assistant  +1",
        "tool SHORT",
        "assistant A0",
        "user Q1",
        "assistant  +1",
        "tool LONG",
        "assistant A1",
        "user Sure?",
    ];
    assert_eq!(sent(&server, 0), expected);
    // The whole conversation again, now that it is not compacted any more.
    assert_eq!(jp.run(&["c", "compact", &id, "--reset"]).code, 0);
    let second = asking("And now?");
    answer(ask(&jp, &second.each_ref().map(String::as_str)));
    assert_eq!(sent(&server, 1)[2], "tool LONG");
    assert_eq!(sent(&server, 1).len(), 11);
}

#[test]
fn a_query_compacts_first_and_undo_takes_both_back() {
    let server = Loopback::start([saying("Yes."), saying("Yes."), saying("Yes.")]);
    let jp = client(&server);
    let id = begin(&jp, 2, &[]);
    let tree = jp.tree(&id);
    let by_id = format!("--id={id}");
    let output = ask(&jp, &[&by_id, "--compact=tools=omit,keep-last=0", "Sure?"]);
    assert!(
        output.stderr.starts_with("compacted: turns 0 to 1 without tools, tokens about "),
        "{}",
        output.stderr
    );
    assert_eq!(answer(output), "Yes.\n");
    let compacted = ["user Q0", "assistant A0", "user Q1", "assistant A1", "user Sure?"];
    assert_eq!(sent(&server, 0), compacted);
    let new = &files(&jp, &id)[10..];
    assert_eq!(new, ["010-compaction.toml", "011-request.md", "012-message.md"]);
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(jp.tree(&id), tree);
    // Where nothing is kept, it holds for this query alone.
    let output = ask(&jp, &[&by_id, "--no-persist", "--compact=tools=omit,keep-last=0", "Sure?"]);
    assert_eq!(output.stdout, "Yes.\n");
    assert_eq!(sent(&server, 1), compacted);
    assert_eq!(jp.tree(&id), tree);
    // Where nothing can be left out, the question is asked all the same.
    let output = ask(&jp, &[&by_id, "--compact=keep-last=9", "Sure?"]);
    let nothing = "nothing to compact: there are 2 turns, and the last 9 stay as they are\n";
    assert!(output.stderr.starts_with(nothing), "{}", output.stderr);
    assert_eq!(output.stdout, "Yes.\n");
    let wrong = ask(&jp, &[&by_id, "--compact=tool", "Sure?"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("`tool` is no part of a compaction"), "{}", wrong.stderr);
    assert_eq!(ask(&jp, &["--new", "--compact", "Sure?"]).code, 2);
}

#[test]
fn a_summary_comes_before_the_question_and_its_failure_asks_nothing() {
    let server = Loopback::start([saying("Two turns."), saying("Yes."), too_long("too much")]);
    let jp = client(&server);
    let id = begin(&jp, 2, &[]);
    let by_id = format!("--id={id}");
    let args = [by_id.as_str(), "--compact=summarize,keep-last=0", "Sure?"];
    assert_eq!(answer(ask(&jp, &args)), "Yes.\n");
    let asked = sent(&server, 0);
    assert_eq!(asked.len(), 2);
    assert!(asked[1].starts_with("user <conversation>\nUser: Q0\n\nAssistant calls `read`: "));
    let summary = "<summary of=\"turns 0 to 1\">\nTwo turns.\n</summary>";
    assert_eq!(sent(&server, 1), [is_sent("user", &format!("{summary}\n\nSure?"))]);
    let tip = jp.tip(&id);
    let failed = ask(&jp, &args);
    assert_eq!((failed.code, failed.stdout.as_str()), (1, ""), "{}", failed.stderr);
    assert!(failed.stderr.contains("Hint: nothing was compacted\n"), "{}", failed.stderr);
    assert_eq!(server.requests().len(), 3);
    assert_eq!(jp.tip(&id), tip);
}

#[test]
fn an_interrupted_summary_writes_nothing() {
    let mut steps = beginning("Half a summ");
    steps.push(Step::Hang);
    let server = Loopback::start([steps]);
    let jp = client(&server);
    let id = begin(&jp, 2, &[]);
    let tip = jp.tip(&id);
    let mut command = jp.jp(&["c", "compact", &id, "--summarize"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    server.wait_for_request();
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = crate::support::Output::from(child.wait_with_output().unwrap());
    assert_eq!((output.code, output.stdout.as_str()), (130, ""), "{}", output.stderr);
    assert_eq!(jp.tip(&id), tip);
}

#[test]
fn a_full_window_is_told_with_the_numbers_and_the_command_that_helps() {
    let message = "This model's maximum context length is 512 tokens. However, your messages \
                   resulted in 644 tokens.";
    let server = Loopback::start([too_long(message), saying("Yes.")]);
    let jp = client(&server);
    let id = begin(&jp, 2, &[]);
    let output = ask(&jp, &[&format!("--id={id}"), "Sure?"]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.stderr);
    let lines: Vec<_> = output.stderr.lines().collect();
    assert_eq!(lines[1], "Hint: 644 tokens were sent, and the model takes 512");
    let start = format!("Hint: `jp conversation compact {id}` leaves out about ");
    assert!(lines[2].starts_with(&start), "{}", output.stderr);
    assert!(lines[2].ends_with(" tokens (estimated)"), "{}", output.stderr);
    assert_eq!(
        lines[3..],
        [
            format!("Hint: `jp conversation fork {id} --last N` goes on with the last turns only"),
            format!("Hint: your question is kept; `jp resume {id}` asks it again"),
        ]
    );
    // The question that is kept does not count among what can be left out.
    assert_eq!(jp.run(&["c", "compact", &id]).code, 0);
    assert_eq!(answer(ask(&jp, &["--no-edit", &format!("--id={id}")])), "Yes.\n");
    let expected = [
        "user Q0",
        "assistant  +1",
        "tool SHORT",
        "assistant A0",
        "user Q1",
        "assistant  +1",
        "tool SHORT",
        "assistant A1",
        "user Sure?",
    ];
    assert_eq!(sent(&server, 1), expected);
}

#[test]
fn a_turn_that_failed_goes_on_after_a_compaction_in_one_command() {
    let server = Loopback::start([saying("Yes.")]);
    let jp = client(&server);
    let id = begin(&jp, 1, &[request("Q1")]);
    let output = ask(&jp, &["--no-edit", "--compact=tools=omit", &format!("--id={id}")]);
    assert_eq!(answer(output), "Yes.\n");
    assert_eq!(sent(&server, 0), ["user Q0", "assistant A0", "user Q1"]);
    assert_eq!(files(&jp, &id)[5..], ["005-request.md", "006-compaction.toml", "007-message.md"]);
    assert_eq!(jp.show(&id)["status"], "idle");
    assert_eq!(jp.show(&id)["turns"], 2);
    assert_eq!(seen(&jp, &id).len(), 4);
}

#[test]
fn a_window_that_is_nearly_full_is_warned_about() {
    let answers = [(800, 50), (790, 5), (5, 1)];
    let server = Loopback::start(answers.map(|(input, output)| costing("Yes.", input, output)));
    let jp = client(&server);
    configure(&jp, "[ui]\nusage = false\n");
    let jp = jp.with_var("JP_ASSISTANT_CONTEXT_WINDOW", "1000");
    let id = begin(&jp, 2, &[]);
    let by_id = format!("--id={id}");
    let output = ask(&jp, &[&by_id, "Sure?"]);
    let warning = "warning: the context window is 85 % full: 850 of 1000 tokens\n";
    let hint = format!("Hint: `jp conversation compact {id}` leaves out about ");
    assert!(output.stderr.contains(&format!("{warning}{hint}")), "{}", output.stderr);
    assert_eq!(output.stdout, "Yes.\n");
    let quiet = ask(&jp, &[&by_id, "--quiet", "Sure?"]);
    assert_eq!(quiet.stderr, "");
    let jp = jp.with_var("JP_ASSISTANT_CONTEXT_WINDOW", "0");
    assert_eq!(ask(&jp, &[&by_id, "--quiet", "Sure?"]).stderr, "");
}

#[test]
fn the_window_of_a_server_on_this_machine_is_what_it_says() {
    let line = json!({
        "model": "llama3", "message": { "role": "assistant", "content": "Yes." }, "done": true,
        "done_reason": "stop", "prompt_eval_count": 900, "eval_count": 50,
    });
    let loaded = json!({ "models": [{ "model": "llama3:latest", "context_length": 1024 }] });
    let server = Loopback::start([
        reply(200, "application/x-ndjson", &format!("{line}\n")),
        reply(200, "application/json", &loaded.to_string()),
    ]);
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one").with_var("OLLAMA_HOST", &server.url);
    configure(&jp, "[assistant]\nmodel = \"ollama/llama3\"\n");
    let output = ask(&jp, &["--new", "Hello"]);
    let warning = "warning: the context window is 92 % full: 950 of 1024 tokens\n";
    assert!(output.stderr.contains(warning), "{}", output.stderr);
    assert_eq!(server.requests()[1].line, "GET /api/ps HTTP/1.1");
}

#[test]
fn a_script_sees_compactions_too() {
    let script = "[[answer]]\nexpect = \"<summary\"\ntext = \"Yes.\"\n";
    let jp = player(script);
    let id = begin(&jp, 1, &[]);
    let summary = "from_turn = 0\nto_turn = 0\n\n[summary]\ntext = \"All of it.\"\n\n\
                   [event]\ntype = \"compaction\"\n";
    jp.append(&id, &[summary]).ok();
    assert_eq!(answer(ask(&jp, &[&format!("--id={id}"), "Sure?"])), "Yes.\n");
}

#[test]
fn thoughts_are_left_out_of_earlier_turns_and_never_of_the_one_under_way() {
    let wire = include_str!("../fixtures/wire/anthropic-thinking-tools.sse");
    let done = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\
                \"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":1}}}\n\n\
                event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\
                \"content_block\":{\"type\":\"text\",\"text\":\"Done.\"}}\n\n\
                event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
                event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":\
                {\"stop_reason\":\"end_turn\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let answers = [wire, done, wire, done];
    let server = Loopback::start(answers.map(|body| stream("text/event-stream", body)));
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
    let tools = "[assistant]\nmodel = \"anthropic/claude-sonnet-4-5\"\n\n\
                 [tools.fs_read]\ncommand = [\"echo\", \"read\"]\npermission = \"allow\"\n\n\
                 [tools.fs_list]\ncommand = [\"echo\", \"list\"]\npermission = \"allow\"\n";
    configure(&jp, tools);
    let jp = jp.with_var("ANTHROPIC_BASE_URL", &server.url).with_var("ANTHROPIC_API_KEY", "key");
    answer(ask(&jp, &["--new", "First"]));
    answer(ask(&jp, &["--compact=reasoning,keep-last=0", "Second"]));
    // Which kinds of blocks each message holds.
    let kinds = |at: usize| {
        let body = server.requests()[at].json();
        let kinds = |message: &Value| {
            let blocks = message["content"].as_array().unwrap().iter();
            blocks.map(|block| block["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        body["messages"].as_array().unwrap().iter().map(kinds).collect::<Vec<_>>()
    };
    let (calls, results) = (["text", "tool_use", "tool_use"], ["tool_result", "tool_result"]);
    let whole = ["thinking", "text", "tool_use", "tool_use"];
    let text = ["text"];
    let earlier: [&[&str]; 5] = [&text, &calls, &results, &text, &text];
    assert_eq!(kinds(2), earlier);
    let under_way: [&[&str]; 7] = [&text, &calls, &results, &text, &text, &whole, &results];
    assert_eq!(kinds(3), under_way);
}
