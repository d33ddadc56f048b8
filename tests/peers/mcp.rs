//! The reference servers of the Model Context Protocol, over pipes and over HTTP.

use std::{
    fs,
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    events,
    peer::installed,
    support::{Jp, Output},
    types,
};

fn user(settings: &str) -> Jp {
    let jp = Jp::in_workspace().with_var("JP_SESSION", "one").with_var("SECRET_TOKEN", "s3cret");
    let file = jp.world().join("config/jp/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, settings).unwrap();
    jp
}

fn node(name: &str, package: &str) -> String {
    let path = installed(&format!("node_modules/@modelcontextprotocol/{package}/dist/index.js"));
    // The server for files serves this directory, and the other one takes no notice of it.
    let argv = [
        "node",
        path.to_str().unwrap(),
        if package == "server-filesystem" { "." } else { "stdio" },
    ];
    format!("[mcp.{name}]\ncommand = {argv:?}\npermission = \"allow\"\n")
}

fn run(jp: &Jp, tool: &str, arguments: &str) -> Output {
    jp.run(&["tools", "run", "--non-interactive", tool, arguments])
}

#[test]
fn everything_is_listed_called_and_sees_no_secret() {
    let jp = user(&node("everything", "server-everything"));
    let tools = jp.run(&["tools", "ls", "--format", "json"]).json();
    let names: Vec<_> =
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert!(names.contains(&Value::from("everything__echo")), "{names:?}");
    let echo = run(&jp, "everything__echo", r#"{"message": "hello"}"#).ok();
    assert_eq!(echo, "Echo: hello\n");
    let seen = run(&jp, "everything__get-env", "{}").ok();
    assert!(seen.contains("PATH") && !seen.contains("s3cret"), "{seen}");
    let image = run(&jp, "everything__get-tiny-image", "{}").ok();
    assert!(image.contains("[image, image/png, "), "{image}");
    let structured =
        run(&jp, "everything__get-structured-content", r#"{"location": "New York"}"#).ok();
    assert!(structured.contains("\"temperature\""), "{structured}");
    let root = run(&jp, "everything__get-roots-list", "{}").ok();
    assert!(root.contains("/work"), "{root}");
    let wrong = run(&jp, "everything__echo", r#"{"message": 3}"#);
    assert_eq!(wrong.code, 1);
    assert!(wrong.stdout.contains("its arguments are wrong"), "{}", wrong.stdout);
}

#[test]
fn a_query_of_the_guide_calls_everything() {
    let jp = user(&node("everything", "server-everything"));
    let call = r#"call everything__trigger-long-running-operation {"duration": 1, "steps": 2}"#;
    let output = jp.run(&["q", "--new", "--non-interactive", call]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("Long running operation completed"), "{}", output.stdout);
    jp.assert_sound();
}

#[test]
fn what_everything_asks_for_is_declined_when_nobody_is_there() {
    let jp = user(&node("everything", "server-everything"));
    let cancelled = run(&jp, "everything__trigger-elicitation-request", "{}").ok();
    assert!(cancelled.contains("\"action\": \"cancel\""), "{cancelled}");
    // In a query it is an event too.
    let call = "call everything__trigger-elicitation-request {}";
    let output = jp.run(&["q", "--new", "--non-interactive", call]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("User cancelled"), "{}", output.stdout);
    let events = events(&jp);
    let asked = events.iter().find(|event| event["type"] == "inquiry-request").unwrap();
    let text = "The server `everything` asks: Please provide";
    assert!(asked.to_string().contains(text), "{asked}");
    assert_eq!(types(&events).iter().filter(|kind| **kind == "inquiry-response").count(), 1);
}

#[test]
fn how_far_everything_is_shows_at_a_terminal() {
    let jp = user(&node("everything", "server-everything"));
    let call = r#"call everything__trigger-long-running-operation {"duration": 2, "steps": 4}"#;
    let query = format!("{} q --new '{call}'", env!("CARGO_BIN_EXE_jp"));
    let mut command = jp.command("script");
    command.args(["-qec", &query, "/dev/null"]).env("TERM", "xterm").stdin(Stdio::null());
    let seen = Output::of(&mut command).ok();
    assert!(seen.contains("everything__trigger-long-running-operation (2 of 4)"), "{seen}");
}

#[test]
fn the_workspace_is_what_the_filesystem_server_serves() {
    let jp = user(&node("files", "server-filesystem"));
    jp.write("note.txt", "in the workspace\n");
    let path = jp.path("note.txt").canonicalize().unwrap();
    let read = run(&jp, "files__read_text_file", &format!("{{\"path\": {path:?}}}")).ok();
    assert!(read.contains("in the workspace"), "{read}");
    let outside = run(&jp, "files__read_text_file", r#"{"path": "/etc/hostname"}"#);
    assert_eq!(outside.code, 1, "{}", outside.stdout);
}

#[test]
fn a_server_in_python_tells_the_time() {
    let program = installed("venv/bin/mcp-server-time");
    let jp = user(&format!("[mcp.time]\ncommand = [{program:?}]\npermission = \"allow\"\n"));
    let time = run(&jp, "time__get_current_time", r#"{"timezone": "Europe/Berlin"}"#).ok();
    assert!(time.contains("Europe/Berlin"), "{time}");
}

/// A server that listens until this is dropped.
struct Listening(Child);

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn everything_is_called_over_http() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let program = installed("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let mut command = Command::new("node");
    command.arg(program).arg("streamableHttp").env("PORT", port.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _server = Listening(command.spawn().unwrap());
    let began = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(60), "the server does not listen");
        std::thread::yield_now();
    }
    let settings =
        format!("[mcp.web]\nurl = \"http://127.0.0.1:{port}/mcp\"\npermission = \"allow\"\n");
    let jp = user(&settings);
    assert_eq!(run(&jp, "web__echo", r#"{"message": "far"}"#).ok(), "Echo: far\n");
    let sum = run(&jp, "web__get-sum", r#"{"a": 2, "b": 3}"#).ok();
    assert!(sum.contains('5'), "{sum}");
    let asked = run(&jp, "web__trigger-elicitation-request", "{}").ok();
    assert!(asked.contains("\"action\": \"cancel\""), "{asked}");
}
