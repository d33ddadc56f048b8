//! A query step by step: what is stored when, by whom, and that it can be taken back as a whole.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::{
    loopback::{Loopback, Step},
    support::{Jp, Output},
};

/// Three tools: one works, one fails, one needs a permission that nobody can give.
const TOOLS: &str = r#"
[tools.good]
command = ["echo fine >> ran; echo fine"]
shell = true
permission = "allow"

[tools.bad]
command = ["echo sorry >&2; exit 3"]
shell = true
permission = "allow"

[tools.asks]
command = ["cat"]
"#;

/// An answer with a thought, a text and three calls, and what follows it.
pub const THREE_TOOLS: &str = r#"
[[answer]]
step = [
    { reasoning = "The files tell.", signature = "c2lnbmVk" },
    { text = "Let me look." },
    { call = "good", arguments = { path = "a" } },
    { call = "bad" , arguments = {} },
    { call = "asks", arguments = {} },
    { usage = { input = 12, output = 7 } },
]

[[answer]]
expect = ["fine", "sorry"]
text = "Two of them failed."

[[answer]]
text = "As I said."
"#;

/// A user in a workspace, in the session `one`, whose model is played from this script.
pub fn player(script: &str) -> Jp {
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
    let file = jp.world().join("home/script.toml");
    fs::write(&file, script).unwrap();
    configure(
        &jp,
        "[assistant]\nmodel = \"play/x\"\n\n[providers.play]\napi = \"script\"\nfile = \"~/script.toml\"\n",
    );
    configure(&jp, TOOLS);
    jp
}

/// Adds to the user's own configuration.
pub fn configure(jp: &Jp, text: &str) {
    let file = jp.world().join("config/jp/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = fs::read_to_string(&file).unwrap_or_default();
    fs::write(&file, before + text).unwrap();
}

/// A user whose model is behind a server on this machine.
pub fn client(server: &Loopback) -> Jp {
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
    configure(&jp, "[assistant]\nmodel = \"openai/large\"\n\n[providers.openai]\nretries = 1\n");
    jp.with_var("OPENAI_BASE_URL", &server.url).with_var("OPENAI_API_KEY", KEY)
}

/// A key that must not be seen anywhere.
pub const KEY: &str = "sk-secret-0123456789";

/// The stream of an answer that says this in one piece.
pub fn saying(text: &str) -> Vec<Step> {
    let mut steps = beginning(text);
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    steps.extend([Step::Chunk(end.into()), Step::End]);
    steps
}

/// The beginning of such a stream.
pub fn beginning(text: &str) -> Vec<Step> {
    let delta = serde_json::json!({ "choices": [{ "delta": { "content": text } }] });
    let headers = vec![("content-type", "text/event-stream".to_owned())];
    vec![Step::Head(200, headers), Step::Chunk(format!("data: {delta}\n\n").into())]
}

/// Asks without a terminal.
pub fn ask(jp: &Jp, args: &[&str]) -> Output {
    jp.run(&[&["q", "--non-interactive"][..], args].concat())
}

/// Asserts that it worked, and returns what it printed.
#[track_caller]
pub fn answer(output: Output) -> String {
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.stdout
}

/// The conversations, last changed first.
pub fn listed(jp: &Jp) -> Vec<Value> {
    jp.run(&["c", "ls", "--format", "json"]).json().as_array().unwrap().clone()
}

/// The id of the only conversation.
#[track_caller]
pub fn only(jp: &Jp) -> String {
    let listed = listed(jp);
    assert_eq!(listed.len(), 1, "{listed:?}");
    listed[0]["id"].as_str().unwrap().to_owned()
}

/// The event files of a conversation.
pub fn files(jp: &Jp, id: &str) -> Vec<String> {
    let names = jp.git(&["ls-tree", "--name-only", id]);
    let is_event = |name: &&str| name.starts_with(|c: char| c.is_ascii_digit());
    names.lines().filter(is_event).map(str::to_owned).collect()
}

#[test]
fn each_step_of_a_turn_is_a_commit_of_who_said_it() {
    let jp = player(THREE_TOOLS);
    let output = ask(&jp, &["--new", "Do it"]);
    assert_eq!(answer(output), "Let me look.\n\nTwo of them failed.\n");
    let id = only(&jp);
    let names = files(&jp, &id);
    assert_eq!(
        names[..8],
        [
            "000-request.md",
            "001-reasoning.md",
            "002-message.md",
            "003-tool-call-good.md",
            "004-tool-call-bad.md",
            "005-tool-call-asks.md",
            "006-tool-start.toml",
            "007-tool-start.toml",
        ]
    );
    let results: BTreeSet<_> = names[8..13].iter().map(|name| &name[4..]).collect();
    let expected = [
        "inquiry-request.md",
        "inquiry-response.md",
        "tool-result-asks.md",
        "tool-result-bad.md",
        "tool-result-good.md",
    ];
    assert_eq!(results, expected.into());
    assert_eq!(names[13..], ["013-message.md"]);
    let format = "--format=%an|%s|%(trailers:key=Jp-Origin,valueonly,separator=)|\
                  %(trailers:key=Jp-Operation,valueonly,separator=)";
    let log = jp.git(&["log", "--reverse", format, &id]);
    let commits: Vec<Vec<_>> = log.lines().map(|line| line.split('|').collect()).collect();
    assert_eq!(commits.len(), 15, "{log}");
    for (commit, name) in commits[1..].iter().zip(&names) {
        let (author, origin) = match &name[4..] {
            "request.md" | "tool-start.toml" | "inquiry-response.md" => ("Ann", "user"),
            "inquiry-request.md" => ("asks", "tool"),
            "tool-result-good.md" => ("good", "tool"),
            "tool-result-bad.md" => ("bad", "tool"),
            "tool-result-asks.md" => ("asks", "tool"),
            _ => ("play/x", "model"),
        };
        let subject = format!("append {name}");
        assert_eq!(commit[..3], [author, &subject, origin]);
        assert_eq!(commit[3], commits[1][3], "one operation");
    }
    let show = jp.show(&id);
    assert_eq!((&show["status"], &show["turns"]), (&"idle".into(), &1.into()));
    let cat = |file: &str| jp.git(&["show", &format!("{id}:{file}")]);
    assert!(cat("001-reasoning.md").contains("c2lnbmVk"));
    assert!(cat("005-tool-call-asks.md").contains("input: 12"), "{}", cat("005-tool-call-asks.md"));
    assert_eq!(fs::read_to_string(jp.path("ran")).unwrap(), "fine\n");
    jp.assert_sound();
}

#[test]
fn a_turn_is_taken_back_and_brought_back_as_a_whole() {
    let jp = player(THREE_TOOLS);
    answer(ask(&jp, &["--new", "Do it"]));
    let id = only(&jp);
    let first = jp.tree(&id);
    answer(ask(&jp, &["Really?"]));
    let second = jp.tree(&id);
    let log = jp.run(&["c", "log", &id, "--format", "json"]).json();
    assert_eq!(log.as_array().map(Vec::len), Some(3), "{log}");
    for expected in [&first, ""] {
        assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
        match expected {
            "" => assert_eq!(jp.show(&id)["events"], 0),
            tree => assert_eq!(&jp.tree(&id), tree),
        }
    }
    for expected in [&first, &second] {
        assert_eq!(jp.run(&["c", "redo", &id]).code, 0);
        assert_eq!(&jp.tree(&id), expected);
    }
    jp.assert_sound();
    // A turn that was taken back is one that the model has not seen.
    assert_eq!(jp.run(&["c", "undo", &id]).code, 0);
    assert_eq!(answer(ask(&jp, &["Really?"])), "As I said.\n");
}

#[test]
fn a_request_is_stored_before_the_model_is_asked_and_an_interrupt_keeps_what_came() {
    let mut script = vec![Step::Wait(std::time::Duration::ZERO)];
    script.extend(beginning("From March on,"));
    script.push(Step::Hang);
    let server = Loopback::start([script, saying("Yes.")]);
    let jp = client(&server);
    let mut command = jp.jp(&["q", "--non-interactive", "--new", "When?"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    server.wait_for_request();
    let id = only(&jp);
    assert_eq!(files(&jp, &id), ["000-request.md"]);
    let shown = jp.show(&id);
    let process = shown["process"]["pid"].to_string();
    assert_eq!(shown["status"], format!("running (pid {process})"));
    assert_ne!(process, child.id().to_string(), "it is not the one that shows it");
    assert_eq!(shown["pending"]["missing"], "pending LLM response");
    let mut came = [0; 14];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut came).unwrap();
    assert_eq!(&came, b"From March on,");
    let kill = jp.command("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = Output::from(child.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{}", output.stderr);
    let stream = jp.show(&id)["stream"].clone();
    assert_eq!(stream.as_array().map(Vec::len), Some(2), "{stream}");
    let message = jp.run(&["c", "cat", &id, "1"]).ok();
    assert!(message.contains("finish: cancelled"), "{message}");
    assert!(message.ends_with("From March on,\n"), "{message}");
    assert_eq!(answer(ask(&jp, &["Sure?"])), "Yes.\n");
    jp.assert_sound();
}

#[test]
fn arguments_are_stored_and_sent_back_to_the_letter() {
    let exact = "{\"z\":  12345678901234567890123.50, \"a\" : [1.0,  1e2]}";
    let call = format!(
        "{{\"message\":{{\"tool_calls\":[{{\"id\":\"a\",\"function\":\
         {{\"name\":\"good\",\"arguments\":{exact}}}}}]}},\"done\":true}}\n"
    );
    let says = "{\"message\":{\"content\":\"Done.\"},\"done\":true}\n";
    let lines = |text: &str| crate::loopback::stream("application/x-ndjson", text);
    let server = Loopback::start([lines(&call), lines(says), saying_as_anthropic("Yes.")]);
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
    let settings = "assistant.model = \"ollama/small\"\nassistant.context_window = 0\n";
    configure(&jp, settings);
    configure(&jp, TOOLS);
    let jp = jp.with_var("OLLAMA_HOST", &server.url).with_var("ANTHROPIC_BASE_URL", &server.url);
    assert_eq!(answer(ask(&jp, &["--new", "Do it"])), "Done.\n");
    // Another service gets the same words.
    let jp = jp.with_var("ANTHROPIC_API_KEY", KEY);
    assert_eq!(answer(ask(&jp, &["-m", "anthropic/large", "Sure?"])), "Yes.\n");
    let requests = server.requests();
    assert!(requests[1].body.contains(&format!("\"arguments\":{exact}")), "{}", requests[1].body);
    assert!(requests[2].body.contains(&format!("\"input\":{exact}")), "{}", requests[2].body);
}

fn saying_as_anthropic(text: &str) -> Vec<Step> {
    let body = serde_json::json!({
        "type": "message",
        "content": [{ "type": "text", "text": text }],
        "stop_reason": "end_turn",
    });
    crate::loopback::reply(200, "application/json", &body.to_string())
}
