//! A conversation that came in as a list goes on as the one that it was made of.

use serde_json::{Value, json};

use crate::{
    loopback::{Loopback, Step, stream},
    query::{answer, ask, client, configure, saying},
    support::{Jp, Output},
};

const SSE: &str = "text/event-stream";
const NDJSON: &str = "application/x-ndjson";

/// A service, what it says when it is asked first, and what it says from then on.
struct Service {
    api: &'static str,
    model: &'static str,
    base: &'static str,
    key: &'static str,
    content_type: &'static str,
    calls: &'static [&'static str],
    done: &'static str,
}

const ANTHROPIC: Service = Service {
    api: "anthropic",
    model: "claude-sonnet-4-5",
    base: "ANTHROPIC_BASE_URL",
    key: "ANTHROPIC_API_KEY",
    content_type: SSE,
    calls: &[
        include_str!("../fixtures/wire/anthropic-thinking-tools.sse"),
        include_str!("../fixtures/wire/anthropic-odd-blocks.sse"),
    ],
    done: "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\
           \"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":1}}}\n\n\
           event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\
           \"content_block\":{\"type\":\"text\",\"text\":\"Done.\"}}\n\n\
           event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
           event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":\
           {\"stop_reason\":\"end_turn\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
};

const OPENAI: Service = Service {
    api: "openai",
    model: "large",
    base: "OPENAI_BASE_URL",
    key: "OPENAI_API_KEY",
    content_type: SSE,
    calls: &[
        include_str!("../fixtures/wire/openai-interleaved-tools.sse"),
        include_str!("../fixtures/wire/openai-reasoning-details.sse"),
    ],
    done: "data: {\"choices\":[{\"delta\":{\"content\":\"Done.\"},\"finish_reason\":\"stop\"}]}\n\n\
           data: [DONE]\n\n",
};

const OLLAMA: Service = Service {
    api: "ollama",
    model: "qwen",
    base: "OLLAMA_HOST",
    key: "OLLAMA_API_KEY",
    content_type: NDJSON,
    calls: &[include_str!("../fixtures/wire/ollama-tools.ndjson")],
    done: "{\"message\":{\"role\":\"assistant\",\"content\":\"Done.\"},\"done\":true,\
           \"done_reason\":\"stop\"}\n",
};

impl Service {
    /// A user of it, with a system prompt and tools that always say the same.
    fn user(&self) -> Jp {
        let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
        let model = format!("{}/{}", self.api, self.model);
        configure(
            &jp,
            &format!("[assistant]\nmodel = \"{model}\"\nsystem_prompt = \"Be brief.\"\n"),
        );
        for tool in ["fs_read", "fs_list"] {
            let command = format!("command = [\"echo\", \"{tool}\"]\npermission = \"allow\"\n");
            configure(&jp, &format!("\n[tools.{tool}]\n{command}"));
        }
        jp.with_var(self.key, "key")
    }

    fn says(&self, text: &str) -> Vec<Step> {
        stream(self.content_type, text)
    }

    /// Goes on with a conversation, and returns what the service was sent.
    fn go_on(&self, jp: &Jp, id: &str) -> (Vec<String>, i32) {
        let server = Loopback::start((0..4).map(|_| self.says(self.done)));
        let jp = jp.with_var(self.base, &server.url);
        let next = match jp.show(id)["status"].as_str() {
            Some("idle") => "And then?",
            _ => "--no-edit",
        };
        let output = ask(&jp, &[&format!("--id={id}"), next]);
        (server.requests().into_iter().map(|request| request.body).collect(), output.code)
    }
}

/// Imports a list, and returns the id of the conversation.
fn import(jp: &Jp, list: &Value) -> String {
    let args = ["c", "import", "--format", "messages", "--format", "json", "-"];
    let report = jp.run_with_input(&args, list.to_string()).json();
    report["id"].as_str().unwrap().to_owned()
}

/// Asks a service, and goes on from each commit of the conversation twice: with the conversation
/// itself, and with what became of its list of messages.
#[track_caller]
fn goes_on_the_same(service: &Service) {
    let jp = service.user();
    jp.write("a.txt", "carrots\n");
    let texts = service.calls.iter().chain([&service.done]);
    let server = Loopback::start(texts.map(|text| service.says(text)));
    let asking = jp.with_var(service.base, &server.url);
    answer(ask(&asking, &["--new", "-a", "a.txt", "Do it"]));
    let listed = jp.run(&["c", "ls", "--format", "json"]).json();
    let id = listed[0]["id"].as_str().unwrap();
    let (mut compared, mut statuses) = (0, Vec::new());
    for commit in jp.git(&["rev-list", "--reverse", id]).lines() {
        let list = jp.messages(id, &["--at", commit]);
        if list.as_array().unwrap().iter().all(|message| message["role"] == "system") {
            continue;
        }
        let fork = Output::of(&mut jp.jp(&["c", "fork", id, "--at", commit, "--format", "json"]));
        let fork: Value = serde_json::from_str(&fork.stdout).unwrap();
        let fork = fork["id"].as_str().unwrap();
        let copy = import(&jp, &list);
        let [before, after] = [fork, &copy].map(|id| jp.show(id)["status"].clone());
        assert_eq!(before, after, "{commit}");
        let expected = service.go_on(&jp, fork);
        assert_eq!(service.go_on(&jp, &copy), expected, "{commit}");
        compared += expected.0.len();
        statuses.push(before);
    }
    for status in ["pending LLM response", "pending tool execution", "pending follow-up"] {
        let status = json!(format!("interrupted ({status})"));
        assert!(statuses.contains(&status), "{}: {statuses:?}", service.api);
    }
    assert!(statuses.contains(&json!("idle")) && compared > 5, "{compared}");
    jp.assert_sound();
}

#[test]
fn anthropic_is_sent_byte_for_byte_the_same_after_a_list_was_imported() {
    goes_on_the_same(&ANTHROPIC);
}

#[test]
fn openai_is_sent_byte_for_byte_the_same_after_a_list_was_imported() {
    goes_on_the_same(&OPENAI);
}

#[test]
fn ollama_is_sent_byte_for_byte_the_same_after_a_list_was_imported() {
    goes_on_the_same(&OLLAMA);
}

#[test]
fn a_list_of_another_program_goes_on_where_it_stopped() {
    let call = json!({"id": "c1", "type": "function",
        "function": {"name": "look", "arguments": "{\"at\": 1.50}"}});
    let list = [
        json!({"role": "system", "content": "Be brief."}),
        json!({"role": "user", "content": "Look"}),
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "c1", "name": "look", "content": "carrots"}),
    ];
    for length in 2..=4 {
        let server = Loopback::start([saying("Carrots.")]);
        let jp = client(&server);
        configure(
            &jp,
            "\n[tools.look]\ncommand = [\"printf\", \"carrots\"]\npermission = \"allow\"\n",
        );
        let id = import(&jp, &Value::from(list[..length].to_vec()));
        let output = ask(&jp, &[&format!("--id={id}"), "--no-edit"]);
        assert_eq!(answer(output), "Carrots.\n");
        let sent = server.requests()[0].json()["messages"].clone();
        let mut expected = list.to_vec();
        // What had not been called yet is not in what the model is sent.
        expected.truncate(if length == 2 { 2 } else { 4 });
        if let Some(result) = expected.get_mut(3) {
            result.as_object_mut().unwrap().remove("name");
        }
        assert_eq!(sent, Value::from(expected), "{length}");
        assert_eq!(jp.show(&id)["status"], "idle");
    }
}

#[test]
fn a_call_that_may_have_run_is_not_run_again_after_an_import() {
    let list = json!([
        {"role": "user", "content": "Write"},
        {"role": "assistant", "content": [
            {"type": "tool-call", "id": "c1", "tool": "write", "arguments": "{}", "attempts": 1},
        ]},
    ]);
    let server = Loopback::start([saying("No.")]);
    let jp = client(&server);
    configure(&jp, "\n[tools.write]\ncommand = [\"touch\", \"ran\"]\npermission = \"allow\"\n");
    let id = import(&jp, &list);
    let output = ask(&jp, &[&format!("--id={id}"), "--no-edit"]);
    assert!(!jp.path("ran").exists(), "{}", output.stderr);
    assert_eq!((output.code, server.requests().len()), (1, 0), "{}", output.stderr);
    assert_eq!(jp.show(&id)["pending"]["calls"][0]["attempts"], 1);
}
