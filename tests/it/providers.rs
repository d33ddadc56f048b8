//! Providers over real connections: what servers say, and everything that can go wrong on the way.

use std::{
    thread,
    time::{Duration, Instant},
};

use jp::{
    cancel::Cancel,
    env::Env,
    model::Finish,
    projection::{Message, Role, Takes},
    provider::{
        Content, Endpoint, Piece, Provider, ProviderError, ProviderOverlay, Query, Sampling,
        Trouble,
    },
};

use crate::loopback::{Loopback, Step, reply, stream};

const KEY: &str = "sk-secret-0123456789";
const SSE: &str = "text/event-stream";
const APIS: [(&str, &str, &str); 3] = [
    ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
    ("ollama", "OLLAMA_API_KEY", "OLLAMA_HOST"),
];

fn provider(api: &str, url: &str) -> Box<dyn Provider> {
    patient_provider(api, url, Duration::from_secs(20))
}

fn patient_provider(api: &str, url: &str, idle: Duration) -> Box<dyn Provider> {
    let (_, key, base) = APIS.into_iter().find(|(name, ..)| *name == api).unwrap();
    let vars = [(key.into(), KEY.into()), (base.into(), url.into())];
    let env = Env::fixed(vars, "/".into(), crate::support::TIME.parse().unwrap());
    let overlay = ProviderOverlay { idle_timeout: Some(idle), ..ProviderOverlay::default() };
    Endpoint::choose(api, Some(&overlay), &env).unwrap().connect()
}

fn query() -> Query {
    let role = Role::User { content: "Hi".into(), attachments: Vec::new() };
    let message = Message { turn: Some(0), incomplete: false, addresses: Vec::new(), role };
    Query {
        model: "test/model".to_owned(),
        messages: vec![message],
        tools: Vec::new(),
        schema: None,
        sampling: Sampling::default(),
        takes: Takes::default(),
    }
}

fn ask(provider: &dyn Provider, cancel: &Cancel) -> (Vec<Piece>, Result<(), ProviderError>) {
    let mut pieces = Vec::new();
    let end = provider.answer(&query(), cancel, &mut |piece| pieces.push(piece));
    (pieces, end)
}

fn trouble(api: &str, script: Vec<Step>) -> ProviderError {
    let server = Loopback::start([script]);
    let (_, end) = ask(provider(api, &server.url).as_ref(), &Cancel::new());
    let error = end.unwrap_err();
    assert!(!error.message.contains(KEY), "{error}");
    assert!(error.message.contains(&server.url), "{error}");
    error
}

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/wire/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn count_blocks(pieces: &[Piece]) -> usize {
    pieces.iter().filter(|piece| matches!(piece, Piece::Block(_))).count()
}

#[test]
fn each_api_is_asked_at_its_path_with_its_key_and_streams() {
    let cases = [
        ("anthropic", "anthropic-thinking-tools.sse", SSE, "POST /v1/messages HTTP/1.1", 4),
        ("openai", "openai-interleaved-tools.sse", SSE, "POST /v1/chat/completions HTTP/1.1", 4),
        ("ollama", "ollama-tools.ndjson", "application/x-ndjson", "POST /api/chat HTTP/1.1", 5),
    ];
    for (api, file, content_type, line, blocks) in cases {
        let server = Loopback::start([stream(content_type, &fixture(file))]);
        let (pieces, end) = ask(provider(api, &server.url).as_ref(), &Cancel::new());
        assert_eq!((end, count_blocks(&pieces)), (Ok(()), blocks), "{api}");
        let finishes = pieces.iter().any(|piece| *piece == Piece::Finish(Finish::ToolCalls));
        assert!(finishes, "{api}");
        let request = &server.requests()[0];
        assert_eq!(request.line, line);
        let key = match api {
            "anthropic" => (request.header("x-api-key"), KEY.to_owned()),
            _ => (request.header("authorization"), format!("Bearer {KEY}")),
        };
        assert_eq!(key.0, Some(key.1.as_str()));
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert!(request.header("user-agent").unwrap().starts_with("jp/"));
        let body = request.json();
        assert_eq!((&body["model"], &body["stream"]), (&"model".into(), &true.into()));
        assert!(!request.body.contains(KEY));
    }
}

#[test]
fn an_answer_that_is_no_stream_is_heard_too() {
    let whole = r#"{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}"#;
    let server = Loopback::start([reply(200, "application/json; charset=utf-8", whole)]);
    let (pieces, end) = ask(provider("openai", &server.url).as_ref(), &Cancel::new());
    let [Piece::Text(_), Piece::Block(block), Piece::Finish(Finish::Stop)] = &pieces[..] else {
        panic!("{pieces:?}");
    };
    assert_eq!((&block.content, end), (&Content::Text("Hello".to_owned()), Ok(())));
}

#[test]
fn what_a_server_refuses_is_told_by_its_remedy() {
    let json = "application/json";
    let error = trouble(
        "anthropic",
        reply(401, json, &format!(r#"{{"error":{{"message":"bad x-api-key {KEY}"}}}}"#)),
    );
    assert_eq!(error.trouble, Trouble::Key);
    assert!(error.message.contains("`ANTHROPIC_API_KEY`"), "{error}");
    assert!(error.message.contains("[redacted]"), "{error}");

    let error = trouble("ollama", reply(404, json, r#"{"error":"model 'model' not found"}"#));
    assert_eq!(error.trouble, Trouble::Model);
    assert!(error.message.contains("`model`"), "{error}");

    let long = r#"{"error":{"code":"context_length_exceeded","message":"maximum context length"}}"#;
    assert_eq!(trouble("openai", reply(400, json, long)).trouble, Trouble::TooLong);
    assert_eq!(trouble("anthropic", reply(413, json, "")).trouble, Trouble::TooLong);
    let overloaded =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    assert_eq!(trouble("anthropic", reply(529, json, overloaded)).trouble, Trouble::Server);
    let odd = reply(400, json, r#"{"error":{"message":"temperature is too high"}}"#);
    let error = trouble("openai", odd);
    assert_eq!(error.trouble, Trouble::Refused);
    assert!(error.message.ends_with("(status 400): temperature is too high"), "{error}");
}

#[test]
fn a_busy_server_says_when_to_come_back() {
    let seconds = ("retry-after", "7".to_owned());
    let date = ("retry-after", "Sat, 31 Jan 2026 12:01:00 GMT".to_owned());
    let now = ("date", "Sat, 31 Jan 2026 12:00:30 GMT".to_owned());
    for (headers, wait) in [(vec![seconds], 7), (vec![date, now], 30)] {
        let error = trouble("openai", vec![Step::Head(429, headers), Step::End]);
        assert_eq!(error.trouble, Trouble::Busy);
        assert_eq!(error.retry_after, Some(Duration::from_secs(wait)));
        assert!(error.message.contains(&format!("left alone for {wait} s")), "{error}");
    }
}

#[test]
fn a_redirect_does_not_take_the_key_along() {
    let other = Loopback::start([reply(200, SSE, "data: [DONE]\n\n")]);
    let location = vec![("location", format!("{}/v1/chat/completions", other.url))];
    let error = trouble("openai", vec![Step::Head(307, location), Step::End]);
    assert_eq!(error.trouble, Trouble::Refused);
    assert!(other.requests().is_empty());
}

#[test]
fn a_server_that_is_not_there_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    for (api, ..) in APIS {
        let provider = provider(api, &url);
        let error = ask(provider.as_ref(), &Cancel::new()).1.unwrap_err();
        assert_eq!(error.trouble, Trouble::Unreachable, "{error}");
        let error = provider.models(&Cancel::new()).unwrap_err();
        assert_eq!(error.trouble, Trouble::Unreachable, "{error}");
    }
}

#[test]
fn a_connection_that_breaks_leaves_what_was_complete() {
    assert_eq!(trouble("openai", vec![]).trouble, Trouble::Broken);
    let text = fixture("anthropic-thinking-tools.sse");
    let half = text
        .split("event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2");
    let mut script = stream(SSE, half.into_iter().next().unwrap());
    script.pop();
    let server = Loopback::start([script]);
    let (pieces, end) = ask(provider("anthropic", &server.url).as_ref(), &Cancel::new());
    assert_eq!((count_blocks(&pieces), end.unwrap_err().trouble), (2, Trouble::Broken));
    // The same without chunks, where a cut looks like the end.
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n";
    let lines = fixture("ollama-tools.ndjson");
    let cut = &lines[..lines.len() - 40];
    let error = trouble("ollama", vec![Step::Raw(format!("{head}{cut}").into_bytes())]);
    assert_eq!(error.trouble, Trouble::Broken);
}

#[test]
fn only_silence_ends_an_answer_that_drips() {
    let idle = Duration::from_millis(400);
    let mut drip = Vec::new();
    for step in stream(SSE, &fixture("openai-repeats-id-and-name.sse")) {
        drip.extend([step, Step::Wait(Duration::from_millis(50))]);
    }
    let start = Instant::now();
    let server = Loopback::start([drip]);
    let (pieces, end) = ask(patient_provider("openai", &server.url, idle).as_ref(), &Cancel::new());
    assert_eq!((count_blocks(&pieces), end), (2, Ok(())));
    assert!(start.elapsed() > idle);

    let mut stalled = stream(SSE, &fixture("anthropic-overloaded.sse"));
    stalled.truncate(12);
    stalled.push(Step::Hang);
    for script in [stalled, vec![Step::Hang]] {
        let server = Loopback::start([script]);
        let provider = patient_provider("anthropic", &server.url, idle);
        let error = ask(provider.as_ref(), &Cancel::new()).1.unwrap_err();
        assert_eq!(error.trouble, Trouble::Silent, "{error}");
    }
}

#[test]
fn a_cancelled_query_ends_at_once() {
    // Before the first byte.
    let server = Loopback::start([vec![Step::Hang]]);
    let cancel = Cancel::new();
    let asking = provider("anthropic", &server.url);
    let error = thread::scope(|scope| {
        let running = scope.spawn(|| ask(asking.as_ref(), &cancel).1.unwrap_err());
        server.wait_for_request();
        cancel.cancel();
        running.join().unwrap()
    });
    assert_eq!(error.trouble, Trouble::Cancelled, "{error}");

    // In the middle of the answer.
    let mut script = stream(SSE, &fixture("openai-interleaved-tools.sse"));
    script.truncate(20);
    script.push(Step::Hang);
    let server = Loopback::start([script]);
    let cancel = Cancel::new();
    let mut heard = 0;
    let end = provider("openai", &server.url).answer(&query(), &cancel, &mut |_| {
        heard += 1;
        if heard == 2 {
            let cancel = cancel.clone();
            thread::spawn(move || cancel.cancel());
        }
    });
    assert_eq!(end.unwrap_err().trouble, Trouble::Cancelled);
    assert!(heard >= 2);

    // Before it began.
    let server = Loopback::start([vec![Step::Hang]]);
    let error = ask(provider("ollama", &server.url).as_ref(), &cancel).1.unwrap_err();
    assert_eq!(error.trouble, Trouble::Cancelled);
}

#[test]
fn garbage_is_known_as_such_and_cannot_eat_the_memory() {
    assert_eq!(
        trouble("openai", vec![Step::Raw(b"SSH-2.0-x\r\n\r\n".to_vec())]).trouble,
        Trouble::Garbled
    );
    assert_eq!(
        trouble("openai", reply(200, "text/html", "<html>Log in</html>")).trouble,
        Trouble::Garbled
    );
    assert_eq!(
        trouble("openai", reply(200, "application/json", "nonsense")).trouble,
        Trouble::Garbled
    );
    assert_eq!(
        trouble("ollama", reply(200, "application/json", "[1]\n[2]\n")).trouble,
        Trouble::Garbled
    );
    let head = Step::Head(200, vec![("content-type", SSE.to_owned())]);
    let mut endless = vec![head, Step::Chunk(b"data: ".to_vec())];
    endless.extend(std::iter::repeat_n(Step::Chunk(vec![b'x'; 1 << 20]), 18));
    assert_eq!(trouble("anthropic", endless).trouble, Trouble::Garbled);
    let mut huge = vec![Step::Head(500, Vec::new())];
    huge.extend(std::iter::repeat_n(Step::Chunk(vec![b'x'; 1 << 20]), 4));
    let error = trouble("anthropic", huge);
    assert!(error.trouble == Trouble::Server && error.message.len() < 2000);
}

#[test]
fn models_are_listed() {
    let list = r#"{"data":[{"id":"b"},{"id":"models/a"}]}"#;
    let tags = r#"{"models":[{"name":"qwen3:8b"}]}"#;
    let cases = [
        ("anthropic", "GET /v1/models?limit=1000 HTTP/1.1", list, vec!["a", "b"]),
        ("openai", "GET /v1/models HTTP/1.1", list, vec!["a", "b"]),
        ("ollama", "GET /api/tags HTTP/1.1", tags, vec!["qwen3:8b"]),
    ];
    for (api, line, body, models) in cases {
        let server = Loopback::start([reply(200, "application/json", body)]);
        assert_eq!(provider(api, &server.url).models(&Cancel::new()).unwrap(), models);
        assert_eq!(server.requests()[0].line, line);
    }
}
