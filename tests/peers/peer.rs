//! A server in a process of its own, and what it has heard.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::Value;

/// How long a server may take to listen.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs until this is dropped.
pub struct Peer {
    /// Where it is, such as `http://127.0.0.1:4711`.
    pub url: String,
    process: Child,
    /// Some end when this is closed.
    _input: Option<ChildStdin>,
}

impl Peer {
    /// Starts a server that prints where it listens.
    pub fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let input = process.stdin.take();
        let (say, heard) = mpsc::channel();
        // It is read to its end, so that the server never waits for a reader.
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if let Some((_, url)) = line.split_once("listening on ") {
                    let _ = say.send(url.trim().to_owned());
                }
            }
        });
        let url = heard.recv_timeout(PATIENCE);
        if url.is_err() {
            let _ = process.kill();
        }
        Self { url: url.expect("the server says where it listens"), process, _input: input }
    }

    /// What it answers to a question of ours.
    pub fn get(&self, path: &str) -> Value {
        let address = self.url.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET {path} HTTP/1.0\r\nhost: {address}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Where `.ci/peers` has put a file.
pub fn installed(path: &str) -> PathBuf {
    let directory = std::env::var_os("JP_PEERS_DIR").expect("`.ci/peers` runs these tests");
    PathBuf::from(directory).join(path)
}
