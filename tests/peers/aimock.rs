//! aimock, which speaks as Anthropic, OpenAI and Ollama, fails like them, and remembers what it was
//! asked.

use std::{fs, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    APIS, KEY, ask, events,
    peer::{Peer, installed},
    support::{Jp, contents},
    types, user,
};

const TOOL: &str = r#"
[tools.count]
command = ["cat"]
permission = "allow"

[tools.count.parameters]
type = "object"
"#;

/// A server with these answers, and where they are written.
struct Mock {
    peer: Peer,
    _fixtures: TempDir,
}

impl Mock {
    fn start(fixtures: &Value) -> Self {
        let directory = tempfile::Builder::new().prefix("jp-peer-").tempdir().unwrap();
        let file = directory.path().join("fixtures.json");
        fs::write(&file, json!({ "fixtures": fixtures }).to_string()).unwrap();
        let program = installed("node_modules/@copilotkit/aimock/dist/cli.js");
        let mut command = Command::new("node");
        command.arg(program).args(["--host", "127.0.0.1", "--port", "0", "--strict"]);
        let peer = Peer::start(command.arg("--fixtures").arg(&file));
        Self { peer, _fixtures: directory }
    }

    /// A user who asks it in a wire format.
    fn user(&self, api: &str, settings: &str) -> Jp {
        let path = if api == "openai" { "/v1" } else { "" };
        user(api, &format!("{}{path}", self.peer.url), settings)
    }

    /// What it was asked, one request after the other.
    fn heard(&self) -> Vec<Value> {
        let journal = self.peer.get("/__aimock/journal");
        journal.as_array().unwrap().iter().map(|entry| entry["body"].clone()).collect()
    }
}

/// Asks one question in each wire format, with a server of its own for each.
fn ask_each(fixtures: &Value, settings: &str, args: &[&str], mut check: impl FnMut(Asked<'_>)) {
    for (api, ..) in APIS {
        let mock = Mock::start(fixtures);
        let jp = mock.user(api, settings);
        let output = ask(&jp, args);
        check(Asked { api, jp: &jp, mock: &mock, output });
        for (path, bytes) in contents(&jp.world()) {
            let found = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
            assert!(!found, "{api}: the key is in {}", path.display());
        }
    }
}

/// What came of a question.
struct Asked<'a> {
    api: &'a str,
    jp: &'a Jp,
    mock: &'a Mock,
    output: crate::support::Output,
}

#[test]
fn a_text_comes_and_the_next_question_brings_it_along() {
    let fixtures = json!([
        { "match": { "userMessage": "Again" }, "response": { "content": "Yes, again." } },
        { "match": { "userMessage": "Hello" }, "response": {
            "content": "Größe is *size*. 🦀",
            "usage": {
                "prompt_tokens": 12, "completion_tokens": 7, "input_tokens": 12, "output_tokens": 7,
            },
        } },
    ]);
    ask_each(&fixtures, "", &["--new", "Hello"], |asked| {
        let Asked { api, jp, mock, output } = asked;
        assert_eq!((output.code, output.stdout.as_str()), (0, "Größe is *size*. 🦀\n"), "{api}");
        assert_eq!(ask(jp, &["Again"]).stdout, "Yes, again.\n", "{api}");
        let events = events(jp);
        assert_eq!(types(&events), ["request", "message", "request", "message"], "{api}");
        assert_eq!(events[1]["finish"], "stop", "{api}");
        let heard = mock.heard();
        assert_eq!(heard.len(), 2, "{api}");
        assert!(heard[1].to_string().contains("Größe is *size*."), "{api}: {}", heard[1]);
    });
}

#[test]
fn thoughts_and_calls_are_stored_run_and_sent_back() {
    let call = json!({ "name": "count", "arguments": "{\"z\": 1, \"a\": [2, \"ü\"]}" });
    let fixtures = json!([
        { "match": { "userMessage": "Look", "hasToolResult": true },
          "response": { "content": "Seen." } },
        { "match": { "userMessage": "Look" }, "response": {
            "content": "I look.", "toolCalls": [call, call], "reasoning": "Two of them.",
            "reasoningSignature": "c2lnbmVk",
        } },
    ]);
    let settings = format!("assistant.reasoning = \"low\"\n{TOOL}");
    ask_each(&fixtures, &settings, &["--new", "Look"], |asked| {
        let Asked { api, jp, mock, output } = asked;
        assert_eq!(output.code, 0, "{api}: {}", output.stderr);
        assert!(output.stdout.contains("I look.\n\nSeen.\n"), "{api}: {}", output.stdout);
        let events = events(jp);
        let mut expected = vec!["request", "message", "tool-call", "tool-call"];
        // As Ollama it writes its thoughts where Ollama does not, and nobody hears them.
        if api != "ollama" {
            expected.insert(1, "reasoning");
        }
        let calls = expected.len();
        assert_eq!(types(&events)[..calls], expected, "{api}");
        assert_eq!(types(&events).last(), Some(&"message"), "{api}");
        let results = events.iter().filter(|event| event["type"] == "tool-result");
        assert_eq!(results.count(), 2, "{api}");
        let heard = mock.heard();
        assert_eq!(heard.len(), 2, "{api}");
        let second = heard[1].to_string();
        assert!(second.contains("I look."), "{api}: {second}");
        if api == "anthropic" {
            assert!(!events[1]["signature"].is_null(), "{}", events[1]);
        }
    });
}

#[test]
fn data_fits_the_schema_and_is_stored_as_such() {
    let data = "{\"name\": \"jp\", \"size\": 3}";
    let fixtures = json!([
        { "match": { "userMessage": "Describe", "toolName": "answer" },
          "response": { "toolCalls": [{ "name": "answer", "arguments": data }] } },
        { "match": { "userMessage": "Describe" }, "response": { "content": data } },
    ]);
    let schema = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "size": { "type": "integer" } },
        "required": ["name", "size"],
        "additionalProperties": false,
    });
    let args = ["--new", "--schema", &schema.to_string(), "Describe"];
    ask_each(&fixtures, "", &args, |asked| {
        let Asked { api, jp, output, .. } = asked;
        assert_eq!(output.code, 0, "{api}: {}", output.stderr);
        let printed: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(printed, json!({ "name": "jp", "size": 3 }), "{api}");
        assert_eq!(types(&events(jp)), ["request", "structured"], "{api}");
    });
}

#[test]
fn a_key_that_is_not_accepted_is_told_at_once_and_the_question_kept() {
    let fixtures = json!([{ "match": { "userMessage": "Hello" }, "response": {
        "error": { "message": "invalid x-api-key", "type": "authentication_error" }, "status": 401,
    } }]);
    ask_each(&fixtures, "", &["--new", "Hello"], |asked| {
        let Asked { api, jp, mock, output } = asked;
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{api}");
        assert!(output.stderr.contains("does not accept the key in `"), "{}", output.stderr);
        assert!(output.stderr.contains("asks it again"), "{api}: {}", output.stderr);
        assert_eq!(types(&events(jp)), ["request"], "{api}");
        assert_eq!(mock.heard().len(), 1, "{api}");
    });
}

#[test]
fn a_busy_or_broken_server_is_asked_again_and_then_answers() {
    for (status, kind) in [(429, "rate_limit_error"), (500, "api_error"), (529, "overloaded_error")]
    {
        let error = json!({
            "error": { "message": "later", "type": kind }, "status": status, "retryAfter": 1,
        });
        let fixtures = json!([
            { "match": { "userMessage": "Hello", "sequenceIndex": 0 }, "response": error },
            { "match": { "userMessage": "Hello" }, "response": { "content": "Here." } },
        ]);
        ask_each(&fixtures, "", &["--new", "--format", "json", "Hello"], |asked| {
            let Asked { api, jp, mock, output } = asked;
            assert_eq!(output.code, 0, "{api}, {status}: {}", output.stderr);
            let lines = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
            let lines: Vec<Value> = lines.collect();
            let retry = lines.iter().find(|line| line["type"] == "retry").unwrap();
            if status == 429 {
                let wait = retry["delay_ms"].as_u64().unwrap();
                assert!((1000..2000).contains(&wait), "{api}: it asked for a second: {retry}");
            }
            assert_eq!(types(&events(jp)), ["request", "message"], "{api}");
            assert_eq!(mock.heard().len(), 2, "{api}, {status}");
        });
    }
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_anew_and_history_keeps_it() {
    let text = "One two three four five six seven eight nine ten.";
    let fixtures = json!([
        { "match": { "userMessage": "Count", "sequenceIndex": 0 },
          "response": { "content": text }, "chunkSize": 6, "latency": 30,
          "truncateAfterChunks": 5 },
        { "match": { "userMessage": "Count" }, "response": { "content": "All ten." } },
    ]);
    ask_each(&fixtures, "", &["--new", "Count"], |asked| {
        let Asked { api, jp, mock, output } = asked;
        assert_eq!(output.code, 0, "{api}: {}", output.stderr);
        assert!(output.stdout.starts_with("One two"), "{api}: {}", output.stdout);
        assert!(output.stdout.ends_with("\n\nAll ten.\n"), "{api}: {}", output.stdout);
        let events = events(jp);
        assert_eq!(types(&events), ["request", "message"], "{api}");
        let history = jp.run(&["git", "log", "-p", "--all"]).ok();
        assert!(history.contains("One two"), "{api}: {history}");
        let heard = mock.heard();
        assert_eq!(heard.len(), 2, "{api}");
        assert!(!heard[1].to_string().contains("One two"), "{api}: {}", heard[1]);
    });
}
