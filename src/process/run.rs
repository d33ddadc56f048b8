//! Running a program to its end: feed it, listen to it, stop it.

use std::{
    io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write},
    os::fd::AsFd,
    process::{ChildStderr, ChildStdin, ChildStdout},
    time::Instant,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::OFlags,
};

use super::{
    Cancel, Ended, Ran, RunError, Spawn,
    capture::Capture,
    course::Course,
    group::{EXITED, Group, WANTED_TERMINAL, watch},
};
use crate::fsutil;

/// What is written to the pipe that wakes the loop when somebody cancels.
const CANCELLED: u8 = b'c';

/// Runs a program to its end, and everything that it started in its group with it.
///
/// It returns soon after the program has ended, even if a process that left the group still holds
/// its outputs open. Only a program that the system cannot kill can keep it.
pub fn run(spawn: &Spawn, cancel: &Cancel) -> Result<Ran, RunError> {
    let program = spawn.argv.first().ok_or(RunError::NoProgram)?;
    if cancel.is_cancelled() {
        return Err(RunError::Cancelled { program: program.clone() });
    }
    if let Some(directory) = &spawn.overflow {
        fsutil::create_dir_private(directory)?;
    }
    let failed = |source| RunError::start(program, &spawn.cwd, source);
    let (woken, wake) = io::pipe().map_err(failed)?;
    let by_end = wake.try_clone().map_err(failed)?;
    let mut by_cancel = wake.try_clone().map_err(failed)?;
    let _listener = cancel.on_cancel(move || {
        let _nobody_waits = by_cancel.write_all(&[CANCELLED]);
    });
    let lost = |source| RunError::Lost { program: program.clone(), source };
    std::thread::scope(|scope| {
        // Leaving the scope early drops the group, which ends the thread that watches it.
        let mut group = Group::start(spawn, program)?;
        let pid = group.pid();
        let watcher = std::thread::Builder::new();
        watcher.spawn_scoped(scope, move || watch(pid, by_end)).map_err(lost)?;
        let mut pipes = Pipes::of(&mut group, spawn, (woken, wake)).map_err(lost)?;
        let mut course = Course::new(Instant::now(), spawn.timeout, spawn.grace);
        pipes.attend(&group, &mut course).map_err(lost)?;
        let status = group.reap().map_err(lost)?;
        let (stdout, stderr) = (pipes.stdout.capture.finish(), pipes.stderr.capture.finish());
        Ok(Ran { status, ended: course.ended(), stdout, stderr })
    })
}

/// What ties jp to a program.
struct Pipes<'a> {
    woken: PipeReader,
    /// Held open, because a pipe that nobody writes to would always be ready.
    _wake: PipeWriter,
    stdin: Option<ChildStdin>,
    unread: &'a [u8],
    stdout: Output<'a, ChildStdout>,
    stderr: Output<'a, ChildStderr>,
}

struct Output<'a, P> {
    pipe: Option<P>,
    capture: Capture<'a>,
}

impl<'a> Pipes<'a> {
    fn of(group: &mut Group, spawn: &'a Spawn, wake: (PipeReader, PipeWriter)) -> io::Result<Self> {
        let (woken, _wake) = wake;
        let (stdin, stdout) = (group.child.stdin.take(), group.child.stdout.take());
        let stderr = group.child.stderr.take();
        never_blocks(&woken)?;
        stdin.as_ref().map_or(Ok(()), never_blocks)?;
        stdout.as_ref().map_or(Ok(()), never_blocks)?;
        stderr.as_ref().map_or(Ok(()), never_blocks)?;
        Ok(Self {
            woken,
            _wake,
            stdin,
            unread: &spawn.stdin,
            stdout: Output { pipe: stdout, capture: Capture::new("stdout", spawn) },
            stderr: Output { pipe: stderr, capture: Capture::new("stderr", spawn) },
        })
    }

    /// Goes on until the program has ended and there is nothing more to hear.
    fn attend(&mut self, group: &Group, course: &mut Course) -> io::Result<()> {
        loop {
            let outputs_open = self.stdout.pipe.is_some() || self.stderr.pipe.is_some();
            if course.is_over(outputs_open) {
                return Ok(());
            }
            self.wait(course.until())?;
            // All are tried, whichever is ready: none of them blocks.
            self.feed();
            self.stdout.listen();
            self.stderr.listen();
            let now = Instant::now();
            for said in self.heard()? {
                let push = match said {
                    EXITED => {
                        self.stdin = None;
                        course.exited(now);
                        None
                    }
                    WANTED_TERMINAL => course.stop(Ended::WantedTerminal, now),
                    _ => course.stop(Ended::Cancelled, now),
                };
                push.into_iter().for_each(|push| group.push(push));
            }
            course.waited(now).into_iter().for_each(|push| group.push(push));
        }
    }

    /// Waits until there is something to do.
    fn wait(&self, until: Option<Instant>) -> io::Result<()> {
        let mut watched = vec![PollFd::new(&self.woken, PollFlags::IN)];
        let readable = |fd| PollFd::from_borrowed_fd(fd, PollFlags::IN);
        watched.extend(self.stdout.pipe.as_ref().map(|pipe| readable(pipe.as_fd())));
        watched.extend(self.stderr.pipe.as_ref().map(|pipe| readable(pipe.as_fd())));
        watched.extend(self.stdin.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut watched, left.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes as much as the program takes. That it does not read is its own affair.
    fn feed(&mut self) {
        let Some(pipe) = &mut self.stdin else { return };
        match pipe.write(self.unread) {
            Ok(written) => self.unread = &self.unread[written..],
            Err(error) if is_for_later(&error) => {}
            Err(_closed) => self.unread = &[],
        }
        if self.unread.is_empty() {
            self.stdin = None;
        }
    }

    /// What was said about the program meanwhile.
    fn heard(&mut self) -> io::Result<Vec<u8>> {
        let mut said = [0; 16];
        match self.woken.read(&mut said) {
            Ok(read) => Ok(said[..read].to_vec()),
            Err(error) if is_for_later(&error) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

impl<P: Read> Output<'_, P> {
    /// Reads what there is, and not more than a pipe holds, so that nobody else has to wait.
    fn listen(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        let mut buffer = [0; 64 << 10];
        match pipe.read(&mut buffer) {
            Ok(0) => self.pipe = None,
            Ok(read) => self.capture.take(&buffer[..read]),
            Err(error) if is_for_later(&error) => {}
            Err(_broken) => self.pipe = None,
        }
    }
}

fn never_blocks(pipe: &impl AsFd) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(pipe)?;
    Ok(rustix::fs::fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?)
}

fn is_for_later(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
