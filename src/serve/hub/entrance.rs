//! How clients come in: whoever says nothing, or nonsense, has a place for a moment and no more.

use std::{
    io::{self, BufReader, Read},
    net::Shutdown,
    os::unix::net::UnixStream,
    thread,
    time::{Duration, Instant},
};

use super::{
    super::{
        counter::Counter,
        frame::{FrameError, Reader, Source, lines},
        message::{FromClient, FromServer, Hello, Role, VERSION},
        outbox::{Outbox, Pool},
    },
    Client, Hub,
};

/// How long a client may take to say who it is.
const GREETING: Duration = Duration::from_secs(5);

/// The longest message of somebody who has not said who it is, and the longest one of all: an
/// edited result, at most.
const LARGEST_HELLO: usize = 4 << 10;
const LARGEST: usize = 24 << 20;

/// How many bytes may be on their way to a client: to the one that began the query, and to others.
const TO_THE_FIRST: usize = 64 << 20;
const TO_OTHERS: usize = 4 << 20;

/// How many clients may be connected, and how many may be about to say who they are.
const MOST: usize = 256;
const MOST_AT_THE_DOOR: usize = 32;

/// How long those have at least who are about to say who they are, however many others come.
const MOMENT: Duration = Duration::from_millis(250);

/// How often it is looked whether one of them has gone in.
const PAUSE: Duration = Duration::from_millis(2);

/// What a client says, in a time that has an end until it has said who it is.
type Ear = Reader<BufReader<Timed>>;

impl Hub {
    /// Takes the client that began the query; returns when it has said who it is.
    pub fn take_first(&self, stream: UnixStream) -> Result<Hello, FrameError> {
        let mut ear = ear(stream);
        let hello = greet(&mut ear)?;
        self.admit(ear, &hello, TO_THE_FIRST, Pool::default())?;
        // Nothing has happened yet that it could have missed.
        self.state().welcome();
        Ok(hello)
    }

    /// Takes a client that came later, as soon as there is a place for it.
    pub fn take(&self, stream: UnixStream) {
        let hub = self.clone();
        while !self.state().has_room_at_the_door() {
            thread::sleep(PAUSE);
        }
        // Without a thread or a handle the connection is closed, which is what the client sees.
        let Some(place) = self.state().come_to_the_door(&stream) else { return };
        let thread = thread::Builder::new().name("client".to_owned()).stack_size(128 << 10);
        let greet_and_admit = move || {
            let mut ear = ear(stream);
            let greeted = greet(&mut ear);
            hub.state().leave_the_door(place);
            match greeted {
                Ok(hello) => {
                    let pool = hub.state().pool.clone();
                    let _closed = hub.admit(ear, &hello, TO_OTHERS, pool);
                }
                Err(FrameError::Closed) => {}
                Err(FrameError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {
                    refuse(&mut ear, "nobody said `hello` in time".to_owned());
                }
                Err(error) => refuse(&mut ear, error.to_string()),
            }
        };
        if thread.spawn(greet_and_admit).is_err() {
            self.state().leave_the_door(place);
        }
    }

    fn admit(&self, mut ear: Ear, hello: &Hello, most: usize, pool: Pool) -> io::Result<()> {
        let mut state = self.state();
        if state.clients.len() + state.coming.len() >= MOST || state.is_over {
            let is_over = state.is_over;
            drop(state);
            if !is_over {
                refuse(&mut ear, "no more clients are taken".to_owned());
            }
            return Ok(());
        }
        let stream = ear.source().get_ref().stream.try_clone()?;
        let outbox = Outbox::start(stream, most, pool)?;
        let number = state.next;
        state.next += 1;
        let client = Client { number, pid: hello.pid, role: hello.role, outbox };
        // Whoever is shown nothing has nothing to catch up with.
        match client.role {
            Role::Messenger => state.clients.push(client),
            Role::Person | Role::Command | Role::Watcher => state.coming.push(client),
        }
        let (ear, counter) = (ear.up_to(LARGEST), state.counter.clone());
        state.count_heads();
        drop(state);
        let hub = self.clone();
        let thread = thread::Builder::new().name("client-reader".to_owned());
        thread.stack_size(256 << 10).spawn(move || hub.listen(number, ear, &counter))?;
        Ok(())
    }

    /// Hears what a client says, until it is gone.
    fn listen(&self, number: u64, mut ear: Ear, counter: &Counter) {
        loop {
            let (back, heard) = ear.read_at::<FromClient>(counter);
            ear = back;
            match heard {
                Ok(message) => {
                    if !self.state().hear(number, message) {
                        break;
                    }
                }
                Err(FrameError::Closed | FrameError::Io(_)) => {
                    self.state().lose(number);
                    break;
                }
                Err(error) => {
                    let mut state = self.state();
                    state.tell(number, &FromServer::Refused { message: error.to_string() });
                    state.lose(number);
                    break;
                }
            }
        }
    }
}

impl super::State {
    /// Whether somebody can come who has not said who it is: whoever has waited longest makes room,
    /// but not before it had a moment to say so.
    fn has_room_at_the_door(&mut self) -> bool {
        if self.at_the_door.len() < MOST_AT_THE_DOOR {
            return true;
        }
        let is_silent =
            self.at_the_door.front().is_some_and(|(_, _, came)| came.elapsed() >= MOMENT);
        if is_silent && let Some((_, stream, _)) = self.at_the_door.pop_front() {
            let _gone = stream.shutdown(Shutdown::Both);
        }
        is_silent
    }

    /// Gives a place to somebody who has not said who it is.
    fn come_to_the_door(&mut self, stream: &UnixStream) -> Option<u64> {
        let place = self.next;
        self.next += 1;
        self.at_the_door.push_back((place, stream.try_clone().ok()?, Instant::now()));
        Some(place)
    }

    fn leave_the_door(&mut self, place: u64) {
        self.at_the_door.retain(|(number, _, _)| *number != place);
    }
}

/// A stream that is read until a moment, or for ever.
struct Timed {
    stream: UnixStream,
    until: Option<Instant>,
}

impl Source for BufReader<Timed> {
    fn set_deadline(&mut self, until: Option<Instant>) {
        let timed = self.get_mut();
        timed.until = until;
        if until.is_none() {
            // One that stays has each read end too early, which is heard as an error.
            let _unset = timed.stream.set_read_timeout(None);
        }
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(until) = self.until {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            self.stream.set_read_timeout(Some(left))?;
        }
        self.stream.read(buffer)
    }
}

fn ear(stream: UnixStream) -> Ear {
    let until = Some(Instant::now() + GREETING);
    Reader::new(BufReader::new(Timed { stream, until }), LARGEST_HELLO)
}

/// Lets a client say who it is.
fn greet(ear: &mut Ear) -> Result<Hello, FrameError> {
    let message: serde_json::Value = ear.read()?;
    if message["type"] != "hello" {
        return Err(FrameError::NoHello);
    }
    // Whatever else another version says is not for us to read.
    if message["version"].as_u64().is_some_and(|version| version != u64::from(VERSION)) {
        return Err(FrameError::OtherVersion(VERSION));
    }
    let FromClient::Hello(hello) = serde_json::from_value(message).map_err(FrameError::Garbage)?
    else {
        return Err(FrameError::NoHello);
    };
    ear.source().set_deadline(None);
    Ok(hello)
}

/// Tells a client why it is not taken.
fn refuse(ear: &mut Ear, message: String) {
    let stream = &mut ear.source().get_mut().stream;
    let _unset = stream.set_write_timeout(Some(Duration::from_secs(1)));
    let _unheard = io::Write::write_all(stream, &lines(&FromServer::Refused { message }));
}
