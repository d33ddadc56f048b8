//! A server that does what a test wants, well or badly, in the words of both eras of the protocol.
//!
//! It is this test binary, started once more: what the test harness prints to standard output is
//! the noise that real programs make too.

#![expect(clippy::exit, clippy::print_stderr, reason = "this is a program of its own")]

use std::{
    env,
    io::{self, Write},
    path::PathBuf,
    process,
};

use serde_json::{Value, json};

/// The variable that says how the server behaves.
pub const MANNER: &str = "PLAYED_MANNER";
/// The variable that names the file in which it writes down what it hears.
pub const LOG: &str = "PLAYED_LOG";

/// What a server does.
pub struct Played {
    /// How it behaves.
    pub manner: String,
    /// Where it writes down what it hears.
    pub log: PathBuf,
    /// The call that waits for an answer of the user, with its number.
    pub waiting: Option<Value>,
}

impl Played {
    /// Deals with a message; what it says goes to `say`.
    pub fn hear(&mut self, message: &Value, say: &mut dyn FnMut(Value)) {
        let Some(method) = message["method"].as_str() else {
            self.hear_answer(message, say);
            return;
        };
        self.note(&format!("{method} {}", message["params"]["name"].as_str().unwrap_or("")));
        let id = message["id"].clone();
        let mut answer =
            |result: Value| say(json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        match method {
            "server/discover" if self.manner == "modern" => answer(json!({
                "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
                "capabilities": { "tools": {} }, "cacheScope": "private",
            })),
            "initialize" if self.manner != "modern" => answer(json!({
                "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                "serverInfo": { "name": "played", "version": "1" },
            })),
            "tools/list" if self.manner == "many" => {
                let from: usize =
                    message["params"]["cursor"].as_str().unwrap_or("0").parse().unwrap();
                let tools: Vec<_> = (from..from + 100)
                    .map(|n| json!({ "name": format!("t{n}"), "inputSchema": {} }))
                    .collect();
                let mut result = json!({ "tools": tools });
                if from + 100 < 1000 {
                    result["nextCursor"] = json!((from + 100).to_string());
                }
                answer(result);
            }
            "tools/list" => {
                let tool = |name: &str| {
                    json!({ "name": name, "inputSchema": { "type": "object" },
                    "annotations": { "readOnlyHint": true, "idempotentHint": true } })
                };
                let names = ["echo", "fail", "die", "wait", "steps", "ask", "huge", "env", "roots"];
                answer(json!({ "tools": names.map(tool) }));
            }
            "tools/call" => self.call(message, say),
            _ if id.is_null() => {}
            _ => say(json!({ "jsonrpc": "2.0", "id": id,
                "error": { "code": -32601, "message": "no such method" } })),
        }
    }

    fn call(&mut self, message: &Value, say: &mut dyn FnMut(Value)) {
        let params = &message["params"];
        let text = |text: &str| json!({ "content": [{ "type": "text", "text": text }] });
        let result = match params["name"].as_str().unwrap() {
            "echo" if params["arguments"]["meta"] == true => {
                let meta = &params["_meta"];
                text(&format!("{} {}", meta["jp/call_id"], meta["jp/is_resume"]))
            }
            "echo" => text(&params["arguments"].to_string()),
            "fail" => json!({ "content": [{ "type": "text", "text": "no" }], "isError": true }),
            "die" => {
                eprintln!("I die\u{1b}[31m now");
                process::exit(3);
            }
            "wait" => return,
            "steps" => {
                let token = &params["_meta"]["progressToken"];
                for step in 1..=2 {
                    say(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": {
                        "progressToken": token, "progress": step, "total": 2, "message": "going" } }));
                }
                // From a pipe that somebody writes to when it is time to arrive.
                if let Some(pipe) = params["arguments"]["until"].as_str() {
                    std::fs::read(pipe).unwrap();
                }
                text("arrived")
            }
            "ask" if self.manner == "modern" => match params["inputResponses"]["q"].as_object() {
                Some(answer) => text(&format!("{} {}", json!(answer), params["requestState"])),
                None => json!({ "resultType": "input_required", "requestState": "s",
                    "inputRequests": { "q": { "method": "elicitation/create", "params": form() } } }),
            },
            "ask" => {
                self.waiting = Some(message["id"].clone());
                return say(json!({ "jsonrpc": "2.0", "id": "q1", "method": "elicitation/create",
                    "params": form() }));
            }
            "huge" => text(&"0123456789".repeat(30_000)),
            "env" => {
                let names: Vec<_> = env::vars().map(|(name, _)| name).collect();
                text(&names.join(" "))
            }
            "roots" => {
                self.waiting = Some(message["id"].clone());
                return say(json!({ "jsonrpc": "2.0", "id": "r1", "method": "roots/list" }));
            }
            other => text(other),
        };
        say(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
    }

    /// What the user answered is what the call answers.
    fn hear_answer(&mut self, message: &Value, say: &mut dyn FnMut(Value)) {
        let Some(id) = self.waiting.take() else { return };
        let said = message["result"].to_string();
        say(json!({ "jsonrpc": "2.0", "id": id,
            "result": { "content": [{ "type": "text", "text": said }] } }));
    }

    fn note(&self, line: &str) {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.log);
        writeln!(file.unwrap(), "{}", line.trim()).unwrap();
    }
}

fn form() -> Value {
    json!({ "message": "Sure?", "requestedSchema": { "type": "object", "properties": {
        "sure": { "type": "boolean" } }, "required": ["sure"] } })
}

/// Not a test of its own: with its variables set it is the server.
#[test]
fn plays_the_server() {
    let variable =
        |name: &str| env::vars().find(|(known, _)| known == name).map(|(_, value)| value);
    let (Some(manner), Some(log)) = (variable(MANNER), variable(LOG)) else { return };
    let mut out = io::stdout().lock();
    match manner.as_str() {
        "mute" => {
            io::copy(&mut io::stdin().lock(), &mut io::sink()).unwrap();
            process::exit(0);
        }
        "quit" => {
            eprintln!("there is no\nconfiguration");
            process::exit(4);
        }
        "endless" => loop {
            if out.write_all(&[b'x'; 1 << 16]).is_err() {
                process::exit(0);
            }
        },
        "stubborn" => {
            for line in io::stdin().lines().map_while(Result::ok) {
                answer_line(
                    &mut Played { manner: String::new(), log: log.clone().into(), waiting: None },
                    &line,
                    &mut out,
                );
            }
            // The end of its input is nothing to it.
            loop {
                std::thread::park();
            }
        }
        _ => {}
    }
    let mut played = Played { manner, log: log.into(), waiting: None };
    for line in io::stdin().lines().map_while(Result::ok) {
        if played.manner == "noisy" {
            writeln!(out, "warning: {{ not a message\n{{\"a\": 1}}\n\u{feff}").unwrap();
        }
        answer_line(&mut played, &line, &mut out);
    }
    played.note("end of input");
    process::exit(0);
}

fn answer_line(played: &mut Played, line: &str, out: &mut impl Write) {
    let message = serde_json::from_str(line).unwrap();
    played.hear(&message, &mut |said| {
        writeln!(out, "{said}").unwrap();
        out.flush().unwrap();
    });
}
