//! A server on this machine that says what it is told to, well or badly.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

/// What the server does with one connection, step by step.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends bytes as they are.
    Raw(Vec<u8>),
    /// Sends a head of this status and headers, for a body in chunks.
    Head(u16, Vec<(&'static str, String)>),
    /// Sends a chunk of the body.
    Chunk(Vec<u8>),
    /// Ends the body.
    End,
    /// Does nothing for a while.
    Wait(Duration),
    /// Does nothing until there is such a file.
    Until(PathBuf),
    /// Does nothing until the other side has gone.
    Hang,
}

/// What a client has sent.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The method and the path.
    pub line: String,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Request {
    /// A header by its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// A server that answers one connection after the other, each with the next of its scripts.
pub struct Loopback {
    /// Where it is, such as `http://127.0.0.1:4711`.
    pub url: String,
    requests: Arc<Mutex<Vec<Request>>>,
    /// Says when a request has been read.
    asked: mpsc::Receiver<()>,
}

impl Loopback {
    /// Starts a server with these scripts; further connections are closed at once.
    pub fn start(scripts: impl IntoIterator<Item = Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (sender, asked) = mpsc::channel();
        let mut scripts: VecDeque<_> = scripts.into_iter().collect();
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let script = scripts.pop_front().unwrap_or_default();
                let (seen, sender) = (Arc::clone(&seen), sender.clone());
                thread::spawn(move || serve(&stream, script, &seen, &sender));
            }
        });
        Self { url, requests, asked }
    }

    /// What was sent so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until a request has been read.
    pub fn wait_for_request(&self) {
        self.asked.recv_timeout(Duration::from_secs(20)).expect("somebody asks");
    }
}

/// A whole answer.
pub fn reply(status: u16, content_type: &str, body: &str) -> Vec<Step> {
    let headers = vec![("content-type", content_type.to_owned())];
    vec![Step::Head(status, headers), Step::Chunk(body.into()), Step::End]
}

/// A stream in pieces of a few bytes.
pub fn stream(content_type: &str, body: &str) -> Vec<Step> {
    let headers = vec![("content-type", content_type.to_owned())];
    let mut steps = vec![Step::Head(200, headers)];
    steps.extend(body.as_bytes().chunks(61).map(|chunk| Step::Chunk(chunk.to_vec())));
    steps.push(Step::End);
    steps
}

fn serve(
    stream: &TcpStream,
    script: Vec<Step>,
    seen: &Mutex<Vec<Request>>,
    asked: &mpsc::Sender<()>,
) {
    stream.set_nodelay(true).unwrap();
    let Some(request) = read_request(stream) else {
        return;
    };
    seen.lock().unwrap().push(request);
    // Nobody may be waiting.
    let _ = asked.send(());
    for step in script {
        if play(stream, step).is_err() {
            return;
        }
    }
}

fn play(mut stream: &TcpStream, step: Step) -> std::io::Result<()> {
    match step {
        Step::Raw(bytes) => stream.write_all(&bytes),
        Step::Head(status, headers) => {
            let mut head = format!("HTTP/1.1 {status} Status\r\ntransfer-encoding: chunked\r\n");
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            stream.write_all(format!("{head}\r\n").as_bytes())
        }
        Step::Chunk(bytes) if bytes.is_empty() => Ok(()),
        Step::Chunk(bytes) => {
            let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
            chunk.extend(bytes);
            chunk.extend(b"\r\n");
            stream.write_all(&chunk)
        }
        Step::End => stream.write_all(b"0\r\n\r\n"),
        Step::Wait(time) => {
            thread::sleep(time);
            Ok(())
        }
        Step::Until(file) => {
            while !file.exists() {
                thread::sleep(Duration::from_millis(5));
            }
            Ok(())
        }
        Step::Hang => stream.read(&mut [0]).map(|_| ()),
    }
}

fn read_request(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut request = Request::default();
    reader.read_line(&mut request.line).ok().filter(|count| *count > 0)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        request.headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = request.header("content-length").and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    request.body = String::from_utf8_lossy(&body).into_owned();
    request.line = request.line.trim_end().to_owned();
    Some(request)
}
