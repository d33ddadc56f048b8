//! What is on its way to a client: a queue with a limit, and a thread that writes it.

use std::{
    collections::VecDeque,
    io::{self, Write},
    net::Shutdown,
    os::unix::net::UnixStream,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The lines of a message, which all clients share.
pub type Lines = Arc<[u8]>;

/// How many bytes of short messages are written at once.
const TOGETHER: usize = 16 << 10;

/// What is on its way to a client. Whoever puts something in never waits for the client.
#[derive(Clone)]
pub struct Outbox {
    shared: Arc<Shared>,
}

/// How many bytes are on their way to several clients together.
pub type Pool = Arc<AtomicUsize>;

struct Shared {
    state: Mutex<State>,
    /// Something is to be written, or nothing ever again.
    arrived: Condvar,
    /// Nothing is to be written for now, or ever again.
    settled: Condvar,
    /// How many bytes may be on their way.
    most: usize,
    /// Counts what is on its way to this client, and to others.
    pool: Pool,
}

struct State {
    queue: VecDeque<Lines>,
    bytes: usize,
    /// Bytes that are being written.
    writing: usize,
    /// When the client has last read something, or came.
    read: Instant,
    is_writing: bool,
    /// Nothing is taken any more; what is there is still written.
    is_closed: bool,
    /// Nothing is written any more.
    is_dead: bool,
}

impl Outbox {
    /// Starts the thread that writes to a client.
    pub fn start(stream: UnixStream, most: usize, pool: Pool) -> io::Result<Self> {
        let state = Mutex::new(State {
            queue: VecDeque::new(),
            bytes: 0,
            writing: 0,
            read: Instant::now(),
            is_writing: false,
            is_closed: false,
            is_dead: false,
        });
        let shared = Arc::new(Shared {
            state,
            arrived: Condvar::new(),
            settled: Condvar::new(),
            most,
            pool,
        });
        let writer = shared.clone();
        thread::Builder::new()
            .name("client-writer".to_owned())
            .stack_size(64 << 10)
            .spawn(move || writer.write_on(stream))?;
        Ok(Self { shared })
    }

    /// Sends something. A client that is too far behind is cut off.
    pub fn send(&self, lines: Lines) {
        let mut state = self.shared.state();
        if state.is_closed || state.is_dead {
            return;
        }
        if state.bytes + lines.len() > self.shared.most && !state.queue.is_empty() {
            drop(state);
            return self.cut_off();
        }
        state.bytes += lines.len();
        self.shared.pool.fetch_add(lines.len(), Ordering::Relaxed);
        state.queue.push_back(lines);
        // Whoever is writing looks for more by itself: with many who do not read, to wake each of
        // them for each part of a text would slow the turn.
        if !state.is_writing {
            self.shared.arrived.notify_one();
        }
    }

    /// Whether what is on its way is counted there.
    pub fn is_in(&self, pool: &Pool) -> bool {
        Arc::ptr_eq(&self.shared.pool, pool)
    }

    /// Since when the client does not read what is on its way to it; `None` if nothing is, or if it
    /// was cut off.
    pub fn unread_since(&self) -> Option<Instant> {
        let state = self.shared.state();
        (!state.is_dead && state.bytes + state.writing > 0).then_some(state.read)
    }

    /// Sends nothing any more, not even what is on its way.
    pub fn cut_off(&self) {
        self.shared.die(&mut self.shared.state());
    }

    /// Sends nothing after what is on its way.
    pub fn close(&self) {
        self.shared.state().is_closed = true;
        self.shared.arrived.notify_one();
    }

    /// Waits until everything is written, for so long at most.
    pub fn settle(&self, until: Instant) {
        let left = until.saturating_duration_since(Instant::now());
        let is_busy =
            |state: &mut State| !state.is_dead && (state.is_writing || !state.queue.is_empty());
        let settled = self.shared.settled.wait_timeout_while(self.shared.state(), left, is_busy);
        drop(settled.unwrap_or_else(PoisonError::into_inner));
    }
}

impl State {
    /// The next lines to write: those of one message, or of several short ones.
    fn take(&mut self) -> Option<Lines> {
        let first = self.queue.pop_front()?;
        let mut length = first.len();
        let fits = |next: &&Lines| {
            length += next.len();
            length <= TOGETHER
        };
        let more = self.queue.iter().take_while(fits).count();
        if more == 0 {
            return Some(first);
        }
        let mut together = first.to_vec();
        self.queue.drain(..more).for_each(|next| together.extend_from_slice(&next));
        Some(together.into())
    }
}

impl Shared {
    fn die(&self, state: &mut State) {
        state.is_dead = true;
        state.queue.clear();
        self.pool.fetch_sub(std::mem::take(&mut state.bytes), Ordering::Relaxed);
        self.arrived.notify_one();
        self.settled.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_on(&self, mut stream: UnixStream) {
        // Whoever reads nothing at all must not keep this thread for ever.
        let _unset = stream.set_write_timeout(Some(Duration::from_secs(1)));
        while let Some(lines) = self.next() {
            let written = self.write(&mut stream, &lines);
            let mut state = self.state();
            state.is_writing = false;
            self.pool.fetch_sub(std::mem::take(&mut state.writing), Ordering::Relaxed);
            if written.is_err() {
                self.die(&mut state);
            } else if state.queue.is_empty() {
                self.settled.notify_all();
            }
        }
        // The thread that reads from it ends with this.
        let _gone = stream.shutdown(Shutdown::Both);
    }

    /// Writes everything, however long it takes, unless the client was cut off meanwhile.
    fn write(&self, stream: &mut UnixStream, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match stream.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    bytes = &bytes[count..];
                    self.state().read = Instant::now();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if self.state().is_dead {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The next lines to write; `None` if there will be none.
    fn next(&self) -> Option<Lines> {
        let is_idle =
            |state: &mut State| state.queue.is_empty() && !state.is_closed && !state.is_dead;
        let state = self.arrived.wait_while(self.state(), is_idle);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.is_dead {
            return None;
        }
        let lines = state.take()?;
        // What is being written does not count, or one large event would be too much.
        state.bytes = state.bytes.saturating_sub(lines.len());
        state.writing = lines.len();
        state.is_writing = true;
        Some(lines)
    }
}
