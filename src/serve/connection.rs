//! The other end of a server: how a client reaches it.

use std::{
    io::{self, BufReader, Write},
    os::unix::net::UnixStream,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    frame::{FrameError, Reader, lines},
    message::{FromClient, FromServer, Hello, Role, VERSION},
    place,
};

/// The longest message of a server: an event, escaped.
const LARGEST: usize = 256 << 20;

/// A connection to a server.
pub struct Connection {
    reader: Reader<BufReader<UnixStream>>,
    speaker: Speaker,
}

/// A way to say something to a server, from any thread.
#[derive(Clone)]
pub struct Speaker {
    stream: Arc<Mutex<UnixStream>>,
}

impl Connection {
    /// Connects to the server that listens at a path, and says who we are; nothing if nobody does.
    pub fn open(path: &Path, role: Role) -> io::Result<Option<Self>> {
        match place::connect(path).and_then(|stream| Self::greet(stream, role)) {
            Ok(connection) => Ok(Some(connection)),
            // It may have ended a moment ago, or is about to.
            Err(error) if is_gone(error.kind()) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Says who we are.
    pub fn greet(stream: UnixStream, role: Role) -> io::Result<Self> {
        let reader = Reader::new(BufReader::new(stream.try_clone()?), LARGEST);
        let speaker = Speaker { stream: Arc::new(Mutex::new(stream)) };
        let hello = Hello { version: VERSION, pid: std::process::id(), role };
        speaker.say(&FromClient::Hello(hello))?;
        Ok(Self { reader, speaker })
    }

    /// A way to say something.
    pub fn speaker(&self) -> Speaker {
        self.speaker.clone()
    }

    /// What the server says next.
    pub fn hear(&mut self) -> Result<FromServer, FrameError> {
        self.reader.read()
    }
}

fn is_gone(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionRefused, ConnectionReset, NotFound};
    matches!(kind, NotFound | ConnectionRefused | ConnectionReset | BrokenPipe)
}

impl Speaker {
    /// Says something.
    pub fn say(&self, message: &FromClient) -> io::Result<()> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(&lines(message))
    }
}
