//! Writing by a thread of its own, so that whoever does not read holds up nobody but it.
//!
//! The queue has no limit: it holds at most what a turn has to say, which the turn itself keeps in
//! memory until it is over. Files that are one and the same share a queue and stay in order.

use std::{
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// A queue in front of one or more files.
#[derive(Clone)]
pub struct Spool {
    shared: Arc<Shared>,
}

/// The way into a queue, to one of its files.
pub struct Spooled {
    shared: Arc<Shared>,
    file: usize,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What is not being written yet, and to which file it goes.
    queue: Vec<(usize, Vec<u8>)>,
    is_writing: bool,
    /// The files that cannot be written any more.
    failed: Vec<(usize, Failure)>,
}

/// Why a file cannot be written: what can be told any number of times.
#[derive(Clone, Copy)]
struct Failure {
    kind: io::ErrorKind,
    code: Option<i32>,
}

impl Spool {
    /// Starts the thread that writes to these files, and returns the way to each.
    pub fn start<const N: usize>(
        files: [Box<dyn Write + Send>; N],
    ) -> io::Result<(Self, [Spooled; N])> {
        let state = Mutex::new(State::default());
        let shared = Arc::new(Shared { state, changed: Condvar::new() });
        let thread = thread::Builder::new().name("spool".to_owned());
        let (spool, writer) = (Self { shared: shared.clone() }, shared.clone());
        thread.spawn(move || writer.write_on(files))?;
        Ok((spool, std::array::from_fn(|file| Spooled { shared: shared.clone(), file })))
    }

    /// Whether all is written that could be.
    pub fn is_idle(&self) -> bool {
        self.shared.state().is_idle()
    }

    /// Waits until all is written that can be, for so long at most, and says whether it is.
    pub fn settle(&self, patience: Option<Duration>) -> bool {
        let is_busy = |state: &mut State| !state.is_idle();
        let (state, changed) = (self.shared.state(), &self.shared.changed);
        match patience {
            None => {
                let state = changed.wait_while(state, is_busy);
                state.unwrap_or_else(PoisonError::into_inner).is_idle()
            }
            Some(patience) => {
                let waited = changed.wait_timeout_while(state, patience, is_busy);
                waited.unwrap_or_else(PoisonError::into_inner).0.is_idle()
            }
        }
    }
}

impl State {
    fn is_idle(&self) -> bool {
        self.queue.is_empty() && !self.is_writing
    }

    fn failure(&self, file: usize) -> Option<Failure> {
        self.failed.iter().find(|(failed, _)| *failed == file).map(|(_, failure)| *failure)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what comes, as long as the process lives.
    fn write_on<const N: usize>(&self, mut files: [Box<dyn Write + Send>; N]) {
        let mut state = self.state();
        loop {
            state.is_writing = false;
            self.changed.notify_all();
            let is_empty = |state: &mut State| state.queue.is_empty();
            let waited = self.changed.wait_while(state, is_empty);
            state = waited.unwrap_or_else(PoisonError::into_inner);
            state.is_writing = true;
            for (file, bytes) in std::mem::take(&mut state.queue) {
                if state.failure(file).is_some() {
                    continue;
                }
                drop(state);
                let written = files[file].write_all(&bytes).and_then(|()| files[file].flush());
                state = self.state();
                if let Err(error) = written {
                    let failure = Failure { kind: error.kind(), code: error.raw_os_error() };
                    state.failed.push((file, failure));
                }
            }
        }
    }
}

impl Spooled {
    fn check(&self, state: &State) -> io::Result<()> {
        match state.failure(self.file) {
            None => Ok(()),
            Some(Failure { code: Some(code), .. }) => Err(io::Error::from_raw_os_error(code)),
            Some(Failure { kind, .. }) => Err(kind.into()),
        }
    }
}

impl Write for Spooled {
    /// Puts it into the queue. Fails if something before it could not be written.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.shared.state();
        self.check(&state)?;
        match state.queue.last_mut() {
            Some((file, waiting)) if *file == self.file => waiting.extend_from_slice(bytes),
            _ => state.queue.push((self.file, bytes.to_vec())),
        }
        self.shared.changed.notify_all();
        Ok(bytes.len())
    }

    /// Says whether what was written so far could be, as far as that is known.
    fn flush(&mut self) -> io::Result<()> {
        self.check(&self.shared.state())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// Writes when it is allowed to, and tells what.
    struct Gated {
        name: &'static str,
        gate: Arc<Mutex<Receiver<io::Result<()>>>>,
        written: Sender<String>,
    }

    impl Write for Gated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.gate.lock().unwrap().recv().unwrap()?;
            let text = String::from_utf8_lossy(bytes);
            self.written.send(format!("{}: {text}", self.name)).unwrap();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn whoever_does_not_read_holds_up_nobody_and_gets_all_in_order() {
        let (open, gate) = channel();
        let (written, reader) = channel();
        let gate = Arc::new(Mutex::new(gate));
        let gated = |name| -> Box<dyn Write + Send> {
            Box::new(Gated { name, gate: gate.clone(), written: written.clone() })
        };
        let (spool, [mut out, mut err]) = Spool::start([gated("out"), gated("err")]).unwrap();
        assert!(spool.settle(None), "there is nothing to write");
        out.write_all(b"one").unwrap();
        err.write_all(b"two").unwrap();
        out.write_all(b"thr").unwrap();
        out.write_all(b"ee").unwrap();
        assert!(!spool.settle(Some(Duration::ZERO)));
        for _ in 0..3 {
            open.send(Ok(())).unwrap();
        }
        // What waits for the same file may be written at once, depending on when the thread looks.
        let mut all = reader.recv().unwrap();
        while !all.ends_with("ee") {
            open.send(Ok(())).unwrap();
            all += "|";
            all += &reader.recv().unwrap();
        }
        assert_eq!(all.replace("thr|out: ee", "three"), "out: one|err: two|out: three");
        assert!(spool.settle(None));
    }

    #[test]
    fn a_file_that_fails_is_told_of_and_the_other_goes_on() {
        let (open, gate) = channel();
        let (written, reader) = channel();
        let gate = Arc::new(Mutex::new(gate));
        let broken = Gated { name: "out", gate: gate.clone(), written: written.clone() };
        let other = Gated { name: "err", gate, written };
        let (spool, [mut out, mut err]) =
            Spool::start([Box::new(broken) as Box<dyn Write + Send>, Box::new(other)]).unwrap();
        out.write_all(b"one").unwrap();
        open.send(Err(io::ErrorKind::BrokenPipe.into())).unwrap();
        assert!(spool.settle(None));
        assert_eq!(out.flush().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(out.write(b"more").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        err.write_all(b"two").unwrap();
        open.send(Ok(())).unwrap();
        assert!(spool.settle(None));
        assert_eq!(reader.recv().unwrap(), "err: two");
    }
}
