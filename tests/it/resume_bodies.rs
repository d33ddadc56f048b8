//! What a model is sent when a turn goes on: byte for byte what it would have been sent without the
//! interruption, wherever the provider, the process or the tools were when it came.

use std::{fs, process::Stdio};

use crate::{
    loopback::{Loopback, Step, stream},
    query::{answer, ask, configure, only, saying},
    support::{Jp, Output, without_occasion},
};

/// The tools that the recorded streams call for.
const TOOLS: &str = r#"
[tools.fs_read_file]
enabled = false

[tools.look]
command = ["echo seen"]
shell = true
permission = "allow"
parameters = { type = "object" }

[tools.count]
command = ["echo 3"]
shell = true
permission = "allow"
parameters = { type = "object" }
"#;

/// A service, as jp reaches it, and an answer of it with a text and two calls, piece by piece.
struct Service {
    name: &'static str,
    key: &'static str,
    address: &'static str,
    pieces: Vec<String>,
    done: Vec<Step>,
}

fn openai() -> Service {
    let delta = |delta: &str| format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n");
    let call = |index: u8, id: &str, tool: &str| {
        delta(&format!(
            "{{\"tool_calls\":[{{\"index\":{index},\"id\":\"{id}\",\"type\":\"function\",\
             \"function\":{{\"name\":\"{tool}\",\"arguments\":\"\"}}}}]}}"
        ))
    };
    let arguments = |index: u8, text: &str| {
        delta(&format!(
            "{{\"tool_calls\":[{{\"index\":{index},\"function\":{{\"arguments\":\"{text}\"}}}}]}}"
        ))
    };
    let pieces = vec![
        delta("{\"content\":\"Let me \"}"),
        delta("{\"content\":\"look.\"}"),
        call(0, "call_a", "look"),
        arguments(0, "{\\\"at\\\":"),
        arguments(0, "1}"),
        call(1, "call_b", "count"),
        arguments(1, "{}"),
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n".to_owned(),
        "data: [DONE]\n\n".to_owned(),
    ];
    let (name, key, address) = ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL");
    Service { name, key, address, pieces, done: saying("All done.") }
}

fn anthropic() -> Service {
    let event =
        |kind: &str, rest: &str| format!("event: {kind}\ndata: {{\"type\":\"{kind}\"{rest}}}\n\n");
    let start = |index: u8, block: &str| {
        event("content_block_start", &format!(",\"index\":{index},\"content_block\":{block}"))
    };
    let delta = |index: u8, delta: &str| {
        event("content_block_delta", &format!(",\"index\":{index},\"delta\":{delta}"))
    };
    let stop = |index: u8| event("content_block_stop", &format!(",\"index\":{index}"));
    let call = |id: &str, tool: &str| {
        format!("{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"{tool}\",\"input\":{{}}}}")
    };
    let begin = || {
        event(
            "message_start",
            ",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\
               \"assistant\",\"model\":\"large\",\"content\":[],\"usage\":{\"input_tokens\":1}}",
        )
    };
    let end = |reason: &str| {
        let delta = format!(",\"delta\":{{\"stop_reason\":\"{reason}\"}},\"usage\":{{}}");
        [event("message_delta", &delta), event("message_stop", "")]
    };
    let mut pieces = vec![
        begin(),
        start(0, "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}"),
        delta(0, "{\"type\":\"thinking_delta\",\"thinking\":\"Hm.\"}"),
        delta(0, "{\"type\":\"signature_delta\",\"signature\":\"c2ln\"}"),
        stop(0),
        start(1, "{\"type\":\"text\",\"text\":\"\"}"),
        delta(1, "{\"type\":\"text_delta\",\"text\":\"Let me look.\"}"),
        stop(1),
        start(2, &call("toolu_a", "look")),
        delta(2, "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"at\\\":1}\"}"),
        stop(2),
        start(3, &call("toolu_b", "count")),
        stop(3),
    ];
    pieces.extend(end("tool_use"));
    let mut done = vec![
        begin(),
        start(0, "{\"type\":\"text\",\"text\":\"\"}"),
        delta(0, "{\"type\":\"text_delta\",\"text\":\"All done.\"}"),
        stop(0),
    ];
    done.extend(end("end_turn"));
    let (name, key, address) = ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL");
    let done = stream("text/event-stream", &done.concat());
    Service { name, key, address, pieces, done }
}

impl Service {
    /// The answer up to a piece, with half of the next one if that is wanted, and then nothing.
    fn broken(&self, count: usize, half: bool) -> Vec<Step> {
        let mut steps = self.begun(count);
        if let Some(piece) = self.pieces.get(count).filter(|_| half) {
            steps.push(Step::Chunk(piece.as_bytes()[..piece.len() / 2].to_vec()));
        }
        steps
    }

    fn begun(&self, count: usize) -> Vec<Step> {
        let headers = vec![("content-type", "text/event-stream".to_owned())];
        let chunks = self.pieces[..count].iter().map(|piece| Step::Chunk(piece.clone().into()));
        [Step::Head(200, headers)].into_iter().chain(chunks).collect()
    }

    fn whole(&self) -> Vec<Step> {
        let mut steps = self.begun(self.pieces.len());
        steps.push(Step::End);
        steps
    }

    /// A user of it, in front of these answers, for whom nothing is tried again.
    fn user(&self, server: &Loopback) -> Jp {
        let jp = Jp::in_workspace().with_var("JP_SESSION", "one");
        let name = self.name;
        configure(
            &jp,
            &format!(
                "[assistant]\nmodel = \"{name}/large\"\nsystem_prompt = \"Be brief.\"\n\n\
                 [providers.{name}]\nretries = 0\n"
            ),
        );
        configure(&jp, &TOOLS.replace("[tools.fs_read_file]\nenabled = false\n", ""));
        jp.with_var(self.address, &server.url).with_var(self.key, "sk-0123456789")
    }

    /// The bodies that an uninterrupted turn sends.
    fn uninterrupted(&self) -> Vec<String> {
        let server = Loopback::start([self.whole(), self.done.clone()]);
        let jp = self.user(&server);
        answer(ask(&jp, &["--new", "Go"]));
        let bodies = bodies(&server);
        assert_eq!(bodies.len(), 2);
        bodies
    }
}

fn bodies(server: &Loopback) -> Vec<String> {
    server.requests().into_iter().map(|request| request.body).collect()
}

/// The messages of a conversation, without what differs from run to run.
fn messages(jp: &Jp, id: &str) -> Vec<serde_json::Value> {
    let output = jp.run(&["c", "export", id, "--format", "messages"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let messages: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    messages.as_array().unwrap().iter().map(without_occasion).collect()
}

#[test]
fn the_provider_dies_before_during_and_after_each_block_and_the_same_body_is_sent_again() {
    for service in [openai(), anthropic()] {
        let expected = service.uninterrupted();
        let mut failed = 0;
        for count in 0..service.pieces.len() {
            for half in [false, true] {
                let answers = [service.broken(count, half), service.whole(), service.done.clone()];
                let server = Loopback::start(answers);
                let jp = service.user(&server);
                let at = format!("{} after {count} pieces, half: {half}", service.name);
                let first = ask(&jp, &["--new", "Go"]);
                if first.code == 0 {
                    // What comes after the reason why it ended is not needed.
                    assert!(count + 3 > service.pieces.len(), "{at}: {}", first.stderr);
                    continue;
                }
                failed += 1;
                let id = only(&jp);
                assert_eq!(jp.show(&id)["status"], "interrupted (pending LLM response)", "{at}");
                answer(jp.run(&["resume"]));
                let sent = bodies(&server);
                assert_eq!(sent.len(), 3, "{at}");
                assert_eq!((&sent[0], &sent[1]), (&expected[0], &expected[0]), "{at}");
                assert_eq!(sent[2], expected[1], "{at}");
                assert_eq!(jp.show(&id)["status"], "idle", "{at}");
            }
        }
        assert!(
            failed > 2 * (service.pieces.len() - 3),
            "{} broke off {failed} times",
            service.name
        );
    }
}

#[test]
fn a_process_that_is_killed_while_the_model_answers_sends_the_same_body_again() {
    for service in [openai(), anthropic()] {
        let expected = service.uninterrupted();
        for count in 0..service.pieces.len() - 2 {
            let mut hanging = service.begun(count);
            hanging.push(Step::Hang);
            let server = Loopback::start([hanging, service.whole(), service.done.clone()]);
            let jp = service.user(&server);
            let mut query = jp.jp(&["q", "--non-interactive", "--new", "--format", "json", "Go"]);
            let mut child = query.stdout(Stdio::piped()).spawn().unwrap();
            server.wait_for_request();
            child.kill().unwrap();
            child.wait().unwrap();
            let id = only(&jp);
            answer(jp.run(&["resume", &id]));
            let sent = bodies(&server);
            assert_eq!(sent[1..], expected[..], "{} after {count}", service.name);
            assert_eq!(jp.show(&id)["status"], "idle");
        }
    }
}

#[test]
fn a_resumed_turn_is_the_uninterrupted_one() {
    let service = openai();
    let whole = {
        let server = Loopback::start([service.whole(), service.done.clone()]);
        let jp = service.user(&server);
        answer(ask(&jp, &["--new", "Go"]));
        messages(&jp, &only(&jp))
    };
    let server = Loopback::start([service.broken(6, true), service.whole(), service.done.clone()]);
    let jp = service.user(&server);
    assert_eq!(ask(&jp, &["--new", "Go"]).code, 1);
    let id = only(&jp);
    answer(jp.run(&["resume"]));
    assert_eq!(messages(&jp, &id), whole);
    let types = |jp: &Jp| -> Vec<String> {
        let stream = jp.show(&id)["stream"].clone();
        stream.as_array().unwrap().iter().map(|event| event["type"].to_string()).collect()
    };
    assert!(!types(&jp).is_empty());
    // Nothing is left of the interruption but history.
    let again = jp.run(&["resume"]);
    assert_eq!((again.code, again.stdout.as_str()), (0, ""));
    assert_eq!(again.stderr, format!("Nothing to resume: the last turn of {id} is complete\n"));
    assert_eq!(bodies(&server).len(), 3);
}

/// Tools end in any order; their results are sent in the order of the calls, also if some of them
/// were there before the interruption.
#[test]
fn results_are_sent_in_the_order_of_the_calls_whichever_came_first() {
    let service = openai();
    let expected = service.uninterrupted();
    let server = Loopback::start([service.whole(), service.done.clone()]);
    let jp = service.user(&server);
    // The first tool waits for the end of the process, the second one has ended.
    let file = jp.world().join("config/jp/config.toml");
    let config = fs::read_to_string(&file).unwrap();
    let waiting = config.replace("[\"echo seen\"]", "[\"cat >/dev/null; cat hold\"]");
    fs::write(&file, &waiting).unwrap();
    let hold = jp.path("hold");
    assert!(jp.command("mkfifo").arg(&hold).status().unwrap().success());
    let args = ["q", "--no-server", "--non-interactive", "--new", "--format", "json", "Go"];
    let mut query = jp.jp(&args);
    let mut child = query.stdout(Stdio::piped()).spawn().unwrap();
    let lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    for line in lines {
        if line.unwrap().contains("\"tool-result\"") {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    fs::write(&file, &config).unwrap();
    let id = only(&jp);
    let survey = jp.run(&["resume", &id]);
    assert_eq!(survey.code, 1, "{}", survey.stderr);
    assert!(survey.stderr.contains("may have run already"), "{}", survey.stderr);
    let output: Output = jp.run(&["resume", &id, "--done", "look=seen\n"]);
    answer(output);
    assert_eq!(bodies(&server), expected);
}
