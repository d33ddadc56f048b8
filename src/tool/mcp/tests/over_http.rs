//! The same server behind an address, played by a thread.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};

use super::{played::Played, *};

/// A server at an address.
struct Http {
    address: std::net::SocketAddr,
    is_over: Arc<AtomicBool>,
    heard: Arc<Mutex<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Http {
    /// A server that behaves so; with `streams` it answers calls in events.
    fn start(place: &Place, manner: &str, streams: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let log = place.directory.path().join("log");
        let played = Played { manner: manner.to_owned(), log, waiting: None };
        let played = Arc::new(Mutex::new(played));
        let (over, noted) = (is_over.clone(), heard.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (played, noted) = (played.clone(), noted.clone());
                std::thread::spawn(move || serve(stream, &played, &noted, streams));
            }
        });
        Self { address, is_over, heard, thread: Some(thread) }
    }

    fn spec(&self) -> ServerSpec {
        let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer t0ken".to_owned())]);
        let way = Way::Url { url: format!("http://{}/mcp", self.address), headers };
        ServerSpec { startup_timeout: LONG, timeout: LONG, ..ServerSpec::new("web", "test", way) }
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    fn stop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _woken = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.stop();
    }
}

fn serve(stream: TcpStream, played: &Mutex<Played>, noted: &Mutex<Vec<String>>, streams: bool) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut out = stream;
    let (mut first, mut length, mut names) = (String::new(), 0, Vec::new());
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) <= 2 {
            break;
        }
        let line = line.trim().to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.starts_with("authorization") || line.starts_with("mcp-session-id") {
            names.push(line);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let method = first.split(' ').next().unwrap_or_default().to_owned();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let what = message["method"].as_str().unwrap_or("-");
    noted.lock().unwrap().push(format!("{method} {what} {}", names.join(" ")));
    let mut reply = |status: &str, headers: &str, body: &str| {
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
            body.len()
        );
        let _gone = out.write_all(head.as_bytes());
    };
    if method != "POST" {
        return reply("405 Method Not Allowed", "", "");
    }
    let mut said = Vec::new();
    let mut played = played.lock().unwrap();
    played.hear(&message, &mut |message| said.push(message.to_string()));
    let is_modern = played.manner == "modern";
    if !is_modern && what == "server/discover" {
        return reply("400 Bad Request", "Content-Type: text/plain\r\n", "no session");
    }
    if said.is_empty() {
        return reply("202 Accepted", "", "");
    }
    let session = match what {
        "initialize" => "Mcp-Session-Id: s1\r\n",
        _ => "",
    };
    if streams {
        let body: String = said.iter().map(|said| format!("data: {said}\n\n")).collect();
        return reply("200 OK", &format!("{session}Content-Type: text/event-stream\r\n"), &body);
    }
    let last = said.last().unwrap();
    reply("200 OK", &format!("{session}Content-Type: application/json\r\n"), last);
}

#[test]
fn servers_of_both_eras_answer_in_one_piece_and_in_events() {
    for (manner, streams) in
        [("legacy", false), ("legacy", true), ("modern", false), ("modern", true)]
    {
        let place = Place::new();
        let http = Http::start(&place, manner, streams);
        let (servers, tools) = place.started(http.spec());
        assert_eq!(tools[0].spec().name.as_str(), "web__echo");
        let course = call_with(&tools, "echo", json!({ "a": 1 }), &Cancel::new(), None);
        assert_eq!(course.outcome, Outcome::success("{\"a\":1}"), "{manner} {streams}");
        if streams {
            let course = call_with(&tools, "steps", json!({}), &Cancel::new(), None);
            assert_eq!(course.said, ["going (1 of 2)", "going (2 of 2)"], "{manner}");
        }
        drop(servers);
        let heard = http.heard();
        assert!(heard.iter().all(|line| line.contains("authorization: bearer t0ken")), "{heard:?}");
        if manner == "legacy" {
            let last = heard.last().unwrap();
            assert!(last.starts_with("DELETE") && last.contains("mcp-session-id: s1"), "{heard:?}");
        }
    }
}

#[test]
fn what_a_server_of_today_wants_to_know_is_a_question() {
    let place = Place::new();
    let http = Http::start(&place, "modern", false);
    let (_servers, tools) = place.started(http.spec());
    let course = call_with(&tools, "ask", json!({}), &Cancel::new(), Some(json!(false)));
    let expected = r#"{"action":"accept","content":{"sure":false}} "s""#;
    assert_eq!(course.outcome, Outcome::success(expected));
}

#[test]
fn an_address_where_nobody_is_has_no_tools() {
    let place = Place::new();
    let mut http = Http::start(&place, "legacy", false);
    http.stop();
    let (_servers, started) = place.start(vec![http.spec()]);
    let problem = started[0].tools.as_ref().err().unwrap();
    assert!(problem.contains("nobody listens there"), "{problem}");
    assert!(!problem.contains("t0ken"), "{problem}");
}

#[test]
fn a_server_that_went_away_is_a_clear_error() {
    let place = Place::new();
    let mut http = Http::start(&place, "legacy", false);
    let (_servers, tools) = place.started(http.spec());
    http.stop();
    let outcome = text(&call(&tools, "echo"));
    let expected = "The tool `web__echo` was not run: the server `web` is not there: ";
    assert!(outcome.starts_with(expected), "{outcome}");
}
