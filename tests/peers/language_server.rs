//! A language server in a process of its own, and the part of an editor that talks to it.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// How long a server may take to say something.
const PATIENCE: Duration = Duration::from_secs(60);

/// A mistake that a server sees: the line, counted from 0, and what is wrong.
pub type Mistake = (u64, String);

/// A server that runs until this is dropped.
pub struct LanguageServer {
    process: Child,
    input: ChildStdin,
    heard: Receiver<Value>,
    root: PathBuf,
    settings: Value,
    mistakes: BTreeMap<String, Vec<Mistake>>,
    requests: u64,
}

impl LanguageServer {
    /// Starts a server that speaks over its pipes, for a directory, with these settings.
    pub fn start(command: &mut Command, root: &Path, settings: Value) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.current_dir(root).spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let (say, heard) = mpsc::channel();
        thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if say.send(message).is_err() {
                    break;
                }
            }
        });
        let root = root.to_owned();
        let (mistakes, requests) = (BTreeMap::new(), 0);
        let mut server = Self { process, input, heard, root, settings, mistakes, requests };
        let folder = format!("file://{}", server.root.display());
        server.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "rootUri": folder,
                "workspaceFolders": [{"uri": folder, "name": "checkout"}],
                "capabilities": {
                    "workspace": {"configuration": true, "workspaceFolders": true},
                    "textDocument": {"publishDiagnostics": {}},
                },
            }),
        );
        server.notify("initialized", json!({}));
        let settings = server.settings.clone();
        server.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
        server
    }

    /// Opens a file of the directory, whatever is on disk, and waits until the server has looked
    /// at it.
    pub fn open(&mut self, name: &str, language: &str, text: &str) {
        let uri = self.uri(name);
        let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
        self.mistakes(name, |_| true);
    }

    /// The mistakes that the server sees in a file, as soon as they are what is waited for.
    pub fn mistakes(&mut self, name: &str, until: impl Fn(&[Mistake]) -> bool) -> Vec<Mistake> {
        let (uri, began) = (self.uri(name), Instant::now());
        loop {
            if let Some(mistakes) = self.mistakes.get(&uri).filter(|mistakes| until(mistakes)) {
                return mistakes.clone();
            }
            let seen = self.mistakes.get(&uri);
            assert!(began.elapsed() < PATIENCE, "{name}: the server says only {seen:?}");
            if let Ok(message) = self.heard.recv_timeout(Duration::from_secs(1)) {
                self.answer(&message);
            }
        }
    }

    /// What the server offers at a place, counted from 0.
    pub fn complete(&mut self, name: &str, line: u64, character: u64) -> Vec<String> {
        let uri = self.uri(name);
        let position = json!({"line": line, "character": character});
        let answer = self.request(
            "textDocument/completion",
            json!({"textDocument": {"uri": uri}, "position": position}),
        );
        let items = answer.get("items").unwrap_or(&answer).as_array().unwrap();
        items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.root.join(name).display())
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.heard.recv_timeout(PATIENCE).expect("the server answers");
            if message.get("method").is_none() && message["id"] == id {
                return message["result"].clone();
            }
            self.answer(&message);
        }
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Takes note of mistakes, and answers what a server asks an editor.
    fn answer(&mut self, message: &Value) {
        let params = &message["params"];
        if message["method"] == "textDocument/publishDiagnostics" {
            let uri = params["uri"].as_str().unwrap().to_owned();
            let mistake = |found: &Value| {
                let line = found["range"]["start"]["line"].as_u64().unwrap();
                (line, found["message"].as_str().unwrap().to_owned())
            };
            let found = params["diagnostics"].as_array().unwrap();
            self.mistakes.insert(uri, found.iter().map(mistake).collect());
        }
        let (Some(id), Some(method)) = (message.get("id"), message.get("method")) else { return };
        let result = if method == "workspace/configuration" {
            let items = params["items"].as_array().unwrap();
            let section = |item: &Value| {
                let section = item["section"].as_str().and_then(|name| self.settings.get(name));
                section.cloned().unwrap_or_else(|| json!({}))
            };
            items.iter().map(section).collect()
        } else {
            Value::Null
        };
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }
}

impl Drop for LanguageServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The next message, unless there is none any more.
fn read(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}
