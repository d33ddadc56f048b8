//! This program once more, beside the one that runs.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::Command,
};

use rustix::process::Signal;

use crate::env::Env;

/// This program once more, in the same world and with the same streams. It is the same program, also
/// if its file was replaced meanwhile.
#[expect(clippy::disallowed_methods, reason = "this is where children come from")]
pub fn again(env: &Env, arguments: impl IntoIterator<Item = OsString>) -> io::Result<Command> {
    let mut command = Command::new(itself()?);
    command.args(arguments).env_clear().envs(env.vars()).current_dir(env.cwd());
    Ok(command)
}

/// Where this program is.
pub(super) fn itself() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    // On Linux this is the running program itself, whatever has become of its name.
    let itself = Path::new("/proc/self/exe");
    Ok(if own.exists() || !itself.exists() { own } else { itself.to_owned() })
}

/// Ends this process with the one that started it, or not any more.
pub fn end_with_parent(ends: bool) {
    #[cfg(target_os = "linux")]
    {
        let signal = ends.then_some(Signal::TERM);
        // Without it a process whose parent is killed waits for a terminal that closes.
        let _unset = rustix::process::set_parent_process_death_signal(signal);
    }
}

/// Leaves the terminal: neither its keys nor its end reach this process any more, and its streams go
/// nowhere. Standard input may still be read to its end.
pub fn leave_terminal(keeps_stdin: bool) -> io::Result<()> {
    rustix::process::setsid()?;
    let nowhere = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    if !keeps_stdin {
        rustix::stdio::dup2_stdin(&nowhere)?;
    }
    rustix::stdio::dup2_stdout(&nowhere)?;
    rustix::stdio::dup2_stderr(&nowhere)?;
    Ok(())
}

/// A way to signal a child from any thread, also when it has ended and its number is another's.
#[derive(Debug)]
pub struct Reins {
    #[cfg(target_os = "linux")]
    handle: rustix::fd::OwnedFd,
    #[cfg(not(target_os = "linux"))]
    pid: rustix::process::Pid,
}

impl Reins {
    /// Those of a child that nobody has waited for yet.
    pub fn of(child: &std::process::Child) -> io::Result<Self> {
        let pid = rustix::process::Pid::from_child(child);
        #[cfg(target_os = "linux")]
        return Ok(Self {
            handle: rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())?,
        });
        #[cfg(not(target_os = "linux"))]
        return Ok(Self { pid });
    }

    /// Sends it a signal, by its number.
    pub fn signal(&self, number: u8) {
        let Some(signal) = Signal::from_named_raw(i32::from(number)) else { return };
        // Whoever is gone needs none.
        #[cfg(target_os = "linux")]
        let _gone = rustix::process::pidfd_send_signal(&self.handle, signal);
        #[cfg(not(target_os = "linux"))]
        let _gone = rustix::process::kill_process(self.pid, signal);
    }
}
