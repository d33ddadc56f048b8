//! A server that is a program: messages as lines through its pipes.
//!
//! A thread reads and a thread writes, because pipes block. A line that is no message is passed
//! over, since programs print all sorts of things; one without an end ends the connection.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    process::{ChildStdin, ChildStdout},
    sync::{Arc, Mutex, PoisonError, mpsc as blocking},
    thread,
};

use rmcp::{
    RoleClient,
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::sync::{mpsc, oneshot};

/// The longest line.
pub(super) const LONGEST_LINE: usize = 16 << 20;

/// How many messages may wait to be looked at.
const WAITING: usize = 64;

/// The pipes of a program.
pub(super) struct Pipes {
    read: mpsc::Receiver<ServerJsonRpcMessage>,
    write: Option<blocking::Sender<Line>>,
}

type Line = (Vec<u8>, oneshot::Sender<io::Result<()>>);

/// What was odd about what a program wrote.
#[derive(Clone, Debug, Default)]
pub(super) struct Oddities(Arc<Mutex<Option<String>>>);

impl Oddities {
    /// The one that ended it all, or else the first, in words.
    pub(super) fn worst(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, oddity: impl FnOnce() -> String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(oddity);
    }

    fn note_fatal(&self, oddity: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(oddity);
    }
}

impl Pipes {
    /// Begins to read and to write.
    pub(super) fn new(
        stdin: ChildStdin,
        stdout: ChildStdout,
        oddities: Oddities,
    ) -> io::Result<Self> {
        let (sender, read) = mpsc::channel(WAITING);
        let (write, lines) = blocking::channel();
        let start = |name: &str| thread::Builder::new().name(name.to_owned());
        start("mcp-read").spawn(move || read_lines(stdout, &sender, &oddities))?;
        start("mcp-write").spawn(move || write_lines(stdin, &lines))?;
        Ok(Self { read, write: Some(write) })
    }
}

impl Transport<RoleClient> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let closed = || io::Error::new(io::ErrorKind::NotConnected, "the server has ended");
        let line = serde_json::to_vec(&message).map(|mut line| {
            line.push(b'\n');
            line
        });
        let (done, written) = oneshot::channel();
        let sent = line.map_err(io::Error::from).and_then(|line| {
            let write = self.write.as_ref().ok_or_else(closed)?;
            write.send((line, done)).map_err(|_gone| closed())
        });
        async move {
            sent?;
            written.await.unwrap_or_else(|_gone| Err(closed()))
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.read.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        // The thread that writes closes the pipe when nothing can come any more.
        self.write = None;
        Ok(())
    }
}

fn read_lines(
    stdout: ChildStdout,
    sender: &mpsc::Sender<ServerJsonRpcMessage>,
    oddities: &Oddities,
) {
    let mut reader = BufReader::new(stdout);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut line);
        match read {
            Ok(0) => return,
            Ok(_) if line.last() != Some(&b'\n') && line.len() >= LONGEST_LINE => {
                oddities.note_fatal(format!("it sent a line of more than {LONGEST_LINE} bytes"));
                return;
            }
            Ok(_) => {}
            Err(_broken) => return,
        }
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line).trim_ascii();
        if text.is_empty() {
            continue;
        }
        match serde_json::from_slice(text) {
            Ok(message) => {
                if sender.blocking_send(message).is_err() {
                    return;
                }
            }
            Err(_other) => oddities.note(|| {
                let said = String::from_utf8_lossy(text);
                let said: String = said.chars().take(80).collect();
                format!("it wrote to its standard output what is no message: `{said}`")
            }),
        }
    }
}

fn write_lines(mut stdin: ChildStdin, lines: &blocking::Receiver<Line>) {
    while let Ok((line, done)) = lines.recv() {
        let written = stdin.write_all(&line).and_then(|()| stdin.flush());
        let is_broken = written.is_err();
        // Whoever does not wait any more does not need to know.
        let _gone = done.send(written);
        if is_broken {
            return;
        }
    }
}
