//! A way to call somebody off who waits for the person at the terminal.

use std::{
    io::{self, PipeReader, PipeWriter, Read, Write},
    os::fd::{AsFd, BorrowedFd},
    sync::Arc,
};

/// The side that waits: a question that is being asked ends when it is woken.
#[derive(Debug)]
pub struct Wake {
    reader: PipeReader,
    /// Keeps the pipe open, so that it is readable only when somebody has woken it.
    waker: Waker,
}

/// The side that calls off, from any thread.
#[derive(Clone, Debug)]
pub struct Waker(Arc<PipeWriter>);

impl Wake {
    /// Something that can be woken.
    pub fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        rustix::io::ioctl_fionbio(&reader, true)?;
        rustix::io::ioctl_fionbio(&writer, true)?;
        Ok(Self { reader, waker: Waker(Arc::new(writer)) })
    }

    /// What wakes it.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Forgets that it was woken.
    pub fn reset(&self) {
        let mut bytes = [0; 64];
        while (&self.reader).read(&mut bytes).is_ok_and(|count| count > 0) {}
    }
}

impl AsFd for Wake {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}

impl Waker {
    /// Ends the question that is being asked, or the next one.
    pub fn wake(&self) {
        // A pipe that is full has been woken often enough.
        let _full = (&*self.0).write(&[1]);
    }
}
