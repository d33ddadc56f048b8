//! A program that runs for as long as somebody talks to it.

use std::{
    collections::VecDeque,
    io::{self, Read, Write},
    process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    time::{Duration, Instant},
};

use super::{
    RunError, Spawn,
    course::Push,
    group::{Group, WANTED_TERMINAL, watch},
};

/// How many of the last bytes on standard error are kept.
const KEPT: usize = 16 << 10;

/// How long the rest of what a program said may take to come once it has ended.
const DRAIN: Duration = Duration::from_millis(100);

/// A program in a group of its own, with pipes to talk through. What it writes to its standard
/// error is kept, as much of the end as is worth reading.
///
/// Dropping it kills and reaps it.
#[must_use = "the program is killed once this is dropped"]
pub struct Partner {
    group: Option<Group>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    heard: mpsc::Receiver<u8>,
    drained: mpsc::Receiver<()>,
    grace: Duration,
}

impl Partner {
    /// Starts a program. Of what is to be run, its input, its outputs and its time are not looked
    /// at.
    pub fn start(spawn: &Spawn) -> Result<Self, RunError> {
        let program = spawn.argv.first().ok_or(RunError::NoProgram)?;
        let lost = |source| RunError::Lost { program: program.clone(), source };
        let mut group = Group::start_to_talk(spawn, program)?;
        let (stdin, stdout) = (group.child.stdin.take(), group.child.stdout.take());
        let (told, heard) = mpsc::channel();
        let pid = group.pid();
        let watcher = std::thread::Builder::new().name("watch".to_owned());
        watcher.spawn(move || watch(pid, Told(told))).map_err(lost)?;
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let (end, drained) = mpsc::channel();
        if let Some(pipe) = group.child.stderr.take() {
            let kept = stderr.clone();
            let reader = std::thread::Builder::new().name("stderr".to_owned());
            let read = move || {
                keep(pipe, &kept);
                drop(end);
            };
            reader.spawn(read).map_err(lost)?;
        }
        let (group, grace) = (Some(group), spawn.grace);
        Ok(Self { group, stdin, stdout, stderr, heard, drained, grace })
    }

    /// What the program reads and what it writes; once.
    pub fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        Some((self.stdin.take()?, self.stdout.take()?))
    }

    /// The end of what it has written to its standard error so far.
    pub fn stderr(&self) -> Vec<u8> {
        lock(&self.stderr).iter().copied().collect()
    }

    /// Waits for the program to end by itself, whose input has been closed; then asks it to, then
    /// kills it, each after the grace. What is left of its group is killed.
    pub fn end(mut self) -> Option<ExitStatus> {
        drop((self.stdin.take(), self.stdout.take()));
        if !self.has_ended_within(self.grace) {
            self.push(Push::Ask);
            if !self.has_ended_within(self.grace) {
                self.push(Push::Kill);
            }
        }
        self.reap()
    }

    /// Kills and reaps the program, and says how it ended, if it had ended before.
    pub fn reap(&mut self) -> Option<ExitStatus> {
        let had_ended = self.has_ended_within(DRAIN);
        let status = self.group.take()?.reap().ok()?;
        // The rest of what it said tells why.
        let _open = self.drained.recv_timeout(DRAIN);
        had_ended.then_some(status)
    }

    fn has_ended_within(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        loop {
            match self.heard.recv_timeout(until.saturating_duration_since(Instant::now())) {
                // It has no terminal to go on with.
                Ok(WANTED_TERMINAL) => self.push(Push::Kill),
                Ok(_) | Err(mpsc::RecvTimeoutError::Disconnected) => return true,
                Err(mpsc::RecvTimeoutError::Timeout) => return false,
            }
        }
    }

    fn push(&self, push: Push) {
        if let Some(group) = &self.group {
            group.push(push);
        }
    }
}

/// What the thread that watches a program says, as values.
struct Told(mpsc::Sender<u8>);

impl Write for Told {
    fn write(&mut self, said: &[u8]) -> io::Result<usize> {
        for byte in said {
            self.0.send(*byte).map_err(|_gone| io::Error::from(io::ErrorKind::BrokenPipe))?;
        }
        Ok(said.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads until the end, and keeps the last bytes.
fn keep(mut pipe: ChildStderr, kept: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 4 << 10];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(read) => {
                let mut kept = lock(kept);
                kept.extend(&buffer[..read]);
                let more = kept.len().saturating_sub(KEPT);
                kept.drain(..more);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_broken) => return,
        }
    }
}

fn lock(kept: &Mutex<VecDeque<u8>>) -> MutexGuard<'_, VecDeque<u8>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsString, io::BufRead};

    use super::*;
    use crate::process::Running;

    fn spawn(script: &str) -> Spawn {
        let mut spawn = Spawn::new(["/bin/sh", "-c", script], "/");
        spawn.vars.insert(OsString::from("PATH"), OsString::from("/usr/bin:/bin"));
        spawn.grace = Duration::from_secs(10);
        spawn
    }

    #[test]
    fn a_program_that_ends_with_its_input_is_not_killed() {
        let mut partner = Partner::start(&spawn("cat; echo over >&2; exit 3")).unwrap();
        let (mut stdin, stdout) = partner.take_pipes().unwrap();
        stdin.write_all(b"hello\n").unwrap();
        let mut line = String::new();
        io::BufReader::new(stdout).read_line(&mut line).unwrap();
        assert_eq!(line, "hello\n");
        drop(stdin);
        assert_eq!(partner.end().unwrap().code(), Some(3));
    }

    #[test]
    fn one_that_does_not_is_asked_and_then_killed_with_its_children() {
        let running = Running::default();
        let script = "trap '' TERM; sleep 1000 & echo up; while :; do sleep 1000; done";
        let mut spawn = spawn(script);
        spawn.grace = Duration::from_millis(20);
        spawn.running = running.clone();
        let mut partner = Partner::start(&spawn).unwrap();
        let (_stdin, mut stdout) = partner.take_pipes().unwrap();
        stdout.read_exact(&mut [0; 3]).unwrap();
        partner.end();
        // The children held it open.
        assert_eq!(stdout.read_to_end(&mut Vec::new()).unwrap(), 0);
        assert_eq!(format!("{running:?}"), format!("{:?}", Running::default()));
    }

    #[test]
    fn the_end_of_what_it_said_is_kept() {
        let script = "head -c 100000 /dev/zero | tr '\\0' x >&2; echo last words >&2";
        let mut partner = Partner::start(&spawn(script)).unwrap();
        let (_stdin, mut stdout) = partner.take_pipes().unwrap();
        stdout.read_to_end(&mut Vec::new()).unwrap();
        assert!(partner.reap().unwrap().success());
        let said = partner.stderr();
        assert_eq!(said.len(), KEPT);
        assert!(said.ends_with(b"xlast words\n"));
    }
}
