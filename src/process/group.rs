//! A program in a process group of its own, which is always reaped.

use std::{
    ffi::OsStr,
    io::{self, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus, Stdio},
};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};

use super::{RunError, Running, Spawn, course::Push};

/// A program that was started and not waited for yet.
///
/// Until it is reaped its number is its own, so a signal to the group never meets a stranger.
pub(super) struct Group {
    pub(super) child: Child,
    pid: Pid,
    reaped: bool,
    running: Running,
}

/// What the thread that watches a program says about it.
pub(super) const EXITED: u8 = b'x';
pub(super) const WANTED_TERMINAL: u8 = b't';

impl Group {
    /// Starts a program that reads what is there for it.
    pub(super) fn start(spawn: &Spawn, program: &OsStr) -> Result<Self, RunError> {
        let stdin = if spawn.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
        Self::start_with(spawn, program, stdin)
    }

    /// Starts a program that somebody talks to.
    pub(super) fn start_to_talk(spawn: &Spawn, program: &OsStr) -> Result<Self, RunError> {
        Self::start_with(spawn, program, Stdio::piped())
    }

    #[expect(clippy::disallowed_methods, reason = "this is where children come from")]
    fn start_with(spawn: &Spawn, program: &OsStr, stdin: Stdio) -> Result<Self, RunError> {
        let failed = |source| RunError::start(program, &spawn.cwd, source);
        let mut command = match &spawn.escort {
            // It makes a group by itself, with its session.
            Some(escort) => escort.command(spawn, program).map_err(failed)?,
            None => {
                let mut command = Command::new(program);
                command.args(&spawn.argv[1..]).process_group(0);
                command
            }
        };
        command.env_clear().envs(&spawn.vars).current_dir(&spawn.cwd);
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(failed)?;
        let pid = Pid::from_child(&child);
        let running = spawn.running.clone();
        running.add(pid);
        Ok(Self { child, pid, reaped: false, running })
    }

    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends a signal to everybody in the group.
    pub(super) fn push(&self, push: Push) {
        if self.reaped {
            return;
        }
        match push {
            Push::Ask => {
                signal_all(self.pid, Signal::TERM);
                // Who was stopped does not hear the request before it goes on.
                signal_all(self.pid, Signal::CONT);
            }
            Push::Kill => signal_all(self.pid, Signal::KILL),
        }
    }

    /// Kills what is left of the group, and reaps the program.
    pub(super) fn reap(mut self) -> io::Result<ExitStatus> {
        self.end()
    }

    fn end(&mut self) -> io::Result<ExitStatus> {
        self.push(Push::Kill);
        self.reaped = true;
        self.running.remove(self.pid);
        self.child.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.reaped {
            let _nobody_asks = self.end();
        }
    }
}

/// Sends a signal to a program that is not reaped, and to everybody in its group.
pub(super) fn signal_all(pid: Pid, signal: Signal) {
    // A group without members is what was wanted, or an escort has not made it yet; one of another
    // user cannot be helped.
    let _gone = kill_process_group(pid, signal).or_else(|_none| kill_process(pid, signal));
}

/// Waits until a program ends, without reaping it, and tells of it.
pub(super) fn watch(pid: Pid, mut wake: impl Write) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
    loop {
        let status = waitid(WaitId::Pid(pid), options);
        let said = match status {
            Err(rustix::io::Errno::INTR) => continue,
            Ok(Some(status)) if status.stopped() => {
                let stopped = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
                let _seen = waitid(WaitId::Pid(pid), stopped);
                let terminal = [Signal::TTIN.as_raw(), Signal::TTOU.as_raw()];
                if !status.stopping_signal().is_some_and(|signal| terminal.contains(&signal)) {
                    continue;
                }
                WANTED_TERMINAL
            }
            _ => EXITED,
        };
        // Whoever does not read any more does not need to know.
        let told = wake.write_all(&[said]);
        if said == EXITED || told.is_err() {
            return;
        }
    }
}
