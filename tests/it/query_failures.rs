//! Queries that fail: what is kept, what is said, how to go on, and that no key is ever seen.

use serde_json::{Value, json};

use crate::{
    loopback::{Loopback, Step, reply},
    query::{KEY, answer, ask, beginning, client, configure, files, only, saying},
    support::{Jp, contents, hinted},
};

fn refusal(status: u16, code: &str, message: &str) -> Vec<Step> {
    let body = json!({ "error": { "message": message, "type": code, "code": code } });
    reply(status, "application/json", &body.to_string())
}

/// Asserts that the key is in no file and in nothing that was said.
#[track_caller]
fn assert_no_key(jp: &Jp, said: &str) {
    assert!(!said.contains(KEY), "{said}");
    for (path, bytes) in contents(&jp.world()) {
        let found = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
        assert!(!found, "{}", path.display());
    }
    let all = jp.git(&["log", "--all", "-p", "--format=%B"]);
    assert!(!all.contains(KEY));
}

/// The texts of the messages of a request.
fn sent(body: &Value) -> Vec<(String, String)> {
    let text = |message: &Value| match &message["content"] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let messages = body["messages"].as_array().unwrap();
    messages.iter().map(|m| (m["role"].as_str().unwrap().to_owned(), text(m))).collect()
}

#[test]
fn a_refused_request_is_kept_and_the_hint_asks_again() {
    let long = "This model's maximum context length is 10 tokens";
    for (status, code, message) in [
        (401, "invalid_api_key", format!("Incorrect API key provided: {KEY}")),
        (404, "model_not_found", "The model `large` does not exist".to_owned()),
        (400, "context_length_exceeded", long.to_owned()),
        (400, "invalid_request_error", "No.".to_owned()),
    ] {
        let server = Loopback::start([refusal(status, code, &message), saying("Yes.")]);
        let jp = client(&server);
        let output = ask(&jp, &["--new", "Hello"]);
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.stderr);
        let id = only(&jp);
        assert_eq!(files(&jp, &id), ["000-request.md"]);
        assert_eq!(jp.show(&id)["status"], "interrupted (pending LLM response)");
        assert_no_key(&jp, &output.stderr);
        let refused = ask(&jp, &["Something else"]);
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{}", refused.stderr);
        let hint = output.stderr.lines().last().unwrap();
        let again = format!("Hint: your question is kept; `jp resume {id}` asks it again");
        assert_eq!(hint, again);
        let command = hinted(hint).remove(0);
        let output = jp.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
        assert_no_key(&jp, &output.stderr);
        assert_eq!(answer(output), "Yes.\n");
        assert_eq!(files(&jp, &id), ["000-request.md", "001-message.md"]);
        assert_eq!(jp.show(&id)["status"], "idle");
        let requests = server.requests();
        assert_eq!(requests.len(), 2);
        assert_eq!(sent(&requests[1].json()), [("user".to_owned(), "Hello".to_owned())]);
        assert_eq!(requests[1].header("authorization"), Some(&*format!("Bearer {KEY}")));
    }
}

#[test]
fn a_busy_server_is_asked_again_when_it_wants_to_be() {
    let busy = || {
        let headers = vec![("retry-after", "0".to_owned())];
        vec![Step::Head(429, headers), Step::Chunk(b"{}".to_vec()), Step::End]
    };
    let server = Loopback::start([busy(), saying("Yes."), busy(), busy(), saying("No.")]);
    let jp = client(&server);
    assert_eq!(answer(ask(&jp, &["--new", "Hello"])), "Yes.\n");
    assert_eq!(server.requests().len(), 2);
    let id = only(&jp);
    // One retry is what the configuration allows.
    let output = ask(&jp, &["Again"]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.stderr);
    assert_eq!(server.requests().len(), 4);
    assert_eq!(files(&jp, &id), ["000-request.md", "001-message.md", "002-request.md"]);
}

#[test]
fn a_text_that_broke_off_is_kept_in_history_and_not_sent_again() {
    let broken = || beginning("From March");
    let server = Loopback::start([broken(), saying("In April."), saying("Yes.")]);
    let jp = client(&server);
    let output = ask(&jp, &["--new", "When?"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.stdout, "From March\n\nIn April.\n");
    let id = only(&jp);
    assert_eq!(files(&jp, &id), ["000-request.md", "002-message.md"]);
    let log = jp.git(&["log", "--format=%s", &id]);
    let taken_out = "take 1 block of an answer out that did not end\nappend 001-message.md\n";
    assert!(log.contains(taken_out), "{log}");
    let partial = jp.git(&["show", &format!("{id}~2:001-message.md")]);
    assert!(partial.contains("superseded") && partial.ends_with("From March\n"), "{partial}");
    answer(ask(&jp, &["Sure?"]));
    let pair = |role: &str, text: &str| (role.to_owned(), text.to_owned());
    let requests = server.requests();
    assert_eq!(sent(&requests[1].json()), [pair("user", "When?")]);
    assert_eq!(
        sent(&requests[2].json()),
        [pair("user", "When?"), pair("assistant", "In April."), pair("user", "Sure?")]
    );
}

#[test]
fn a_server_that_falls_silent_is_given_up() {
    let mut silent = beginning("From");
    silent.push(Step::Hang);
    let server = Loopback::start([silent, saying("Yes.")]);
    let jp = client(&server);
    configure(&jp, "idle_timeout = \"1s\"\n");
    let output = ask(&jp, &["--new", "-c", "providers.openai.retries=0", "When?"]);
    assert_eq!((output.code, output.stdout.as_str()), (1, "From\n"), "{}", output.stderr);
    let id = only(&jp);
    let again = format!("--id={id}");
    assert_eq!(answer(ask(&jp, &["-E", &again])), "Yes.\n");
    let requests = server.requests();
    assert_eq!(sent(&requests[1].json()), [("user".to_owned(), "When?".to_owned())]);
    jp.assert_sound();
}

#[test]
fn a_missing_key_is_said_before_anything_is_stored() {
    let server = Loopback::start([]);
    let jp = client(&server).with_var("OPENAI_API_KEY", "");
    let output = ask(&jp, &["--new", "-m", "anthropic/large", "Hello"]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{}", output.stderr);
    assert!(output.stderr.contains("ANTHROPIC_API_KEY"), "{}", output.stderr);
    let unknown = ask(&jp, &["--new", "-m", "nobody/large", "Hello"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (1, ""), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("nobody"), "{}", unknown.stderr);
    assert_eq!(jp.run(&["c", "ls", "--format", "json"]).ok(), "[]\n");
}

#[test]
fn a_tool_does_not_get_the_key() {
    let call = json!({ "choices": [{
        "delta": { "tool_calls": [{
            "index": 0, "id": "c1", "function": { "name": "vars", "arguments": "{}" },
        }] },
        "finish_reason": "tool_calls",
    }] });
    let body = format!("data: {call}\n\ndata: [DONE]\n\n");
    let server = Loopback::start([reply(200, "text/event-stream", &body), saying("Fine.")]);
    let jp = client(&server);
    configure(&jp, "\n[tools.vars]\ncommand = [\"env\"]\npermission = \"allow\"\n");
    let output = ask(&jp, &["--new", "Look"]);
    assert_eq!(output.stdout, "Fine.\n", "{}", output.stderr);
    let results = sent(&server.requests()[1].json());
    let (role, text) = results.last().unwrap();
    assert_eq!(role, "tool");
    assert!(text.contains("PATH=") && !text.contains(KEY), "{text}");
    assert_no_key(&jp, &output.stderr);
}

#[test]
fn a_model_that_takes_no_tools_can_be_asked_without_them() {
    let refused = refusal(400, "invalid_request_error", "small does not support tools");
    let server = Loopback::start([refused, saying("Yes."), saying("Still.")]);
    let jp = client(&server);
    let output = ask(&jp, &["--new", "Hello"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let hint = "Hint: `--no-tools` asks the model without tools\n";
    assert!(output.stderr.contains(hint), "{}", output.stderr);
    assert_eq!(answer(ask(&jp, &["--no-edit", "--no-tools"])), "Yes.\n");
    assert_eq!(answer(ask(&jp, &["And now?"])), "Still.\n");
    let offered = |number: usize| server.requests()[number].json().get("tools").is_some();
    assert_eq!([offered(0), offered(1), offered(2)], [true, false, false]);
}
