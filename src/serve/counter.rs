//! One thread that reads long messages for all, one after the other, each in a time that has an end.
//!
//! Memory that a thread has needed for a long message stays with it. With many clients that would be
//! as much as if all of them had sent one at the same time.

use std::{
    io,
    sync::mpsc::{SendError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use serde::de::DeserializeOwned;

use super::frame::{FrameError, Reader, Source};

/// How long a long message may take to come.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reads long messages, one at a time.
#[derive(Clone, Debug)]
pub struct Counter {
    jobs: Sender<Job>,
}

type Job = Box<dyn FnOnce() + Send>;

impl Counter {
    /// Starts the thread, which ends with the last of those who use it.
    pub fn start() -> io::Result<Self> {
        let (jobs, incoming) = channel::<Job>();
        let work = move || incoming.into_iter().for_each(|job| job());
        thread::Builder::new().name("long-messages".to_owned()).spawn(work)?;
        Ok(Self { jobs })
    }

    /// Reads a message of which this has come, when it is its turn.
    pub fn read<R, M>(
        &self,
        mut reader: Reader<R>,
        come: Vec<u8>,
    ) -> (Reader<R>, Result<M, FrameError>)
    where
        R: Source + Send + 'static,
        M: DeserializeOwned + Send + 'static,
    {
        let (done, read) = channel();
        let job: Job = Box::new(move || {
            reader.source().set_deadline(Some(Instant::now() + PATIENCE));
            let message = match reader.read_rest(come) {
                Err(FrameError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {
                    Err(FrameError::TooSlow(PATIENCE))
                }
                message => message,
            };
            reader.source().set_deadline(None);
            let _waited_for = done.send((reader, message));
        });
        if let Err(SendError(job)) = self.jobs.send(job) {
            job();
        }
        read.recv().expect("whoever reads a message says so")
    }
}
