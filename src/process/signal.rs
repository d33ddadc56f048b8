//! Signals for exactly one process, and never for another that got its number.
//!
//! A process that ends frees its number at once, so a signal to a number can hit anybody. A handle of
//! the kernel stays with the process that it was opened for. Whether that was the right one is looked
//! up afterwards: if the right one is still there then, it had the number before, too.

use std::io;

use crate::env::{Life, Process};

/// How a process is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It is asked to, and can put things in order first.
    Ask,
    /// It is ended on the spot.
    Force,
}

/// What became of a process that was to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It got the signal.
    Signalled,
    /// It was gone already.
    Gone,
}

/// Signals a process to end. It fails if the process cannot be seen from here or is another user's.
#[cfg(target_os = "linux")]
pub fn end(process: &Process, how: End) -> io::Result<Ended> {
    use rustix::{
        io::Errno,
        process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
    };
    let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw).ok_or_else(unseen)?;
    let handle = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) => Some(handle),
        Err(Errno::SRCH) => None,
        Err(error) => return Err(error.into()),
    };
    // Only now: before, the number could still have passed to another one.
    match process.life() {
        Life::Alive => {}
        Life::Dead => return Ok(Ended::Gone),
        Life::Unknown => return Err(unseen()),
    }
    let Some(handle) = handle else { return Ok(Ended::Gone) };
    let signal = match how {
        End::Ask => Signal::TERM,
        End::Force => Signal::KILL,
    };
    match pidfd_send_signal(handle, signal) {
        Ok(()) => Ok(Ended::Signalled),
        Err(Errno::SRCH) => Ok(Ended::Gone),
        Err(error) => Err(error.into()),
    }
}

/// Signals a process to end: only Linux has handles of processes.
#[cfg(not(target_os = "linux"))]
pub fn end(_process: &Process, _how: End) -> io::Result<Ended> {
    Err(unseen())
}

fn unseen() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "the process cannot be seen from here")
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::process::ExitStatusExt,
        process::{Child, Command, Stdio},
    };

    use super::*;

    fn start() -> (Child, Process) {
        let child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let process = Process::of(child.id()).unwrap();
        (child, process)
    }

    #[test]
    fn a_process_is_asked_or_forced_to_end() {
        for (how, signal) in [(End::Ask, 15), (End::Force, 9)] {
            let (mut child, process) = start();
            assert_eq!(end(&process, how).unwrap(), Ended::Signalled);
            assert_eq!(child.wait().unwrap().signal(), Some(signal));
            assert_eq!(end(&process, how).unwrap(), Ended::Gone);
        }
    }

    #[test]
    fn one_that_ended_and_was_not_waited_for_is_gone() {
        let (mut child, process) = start();
        drop(child.stdin.take());
        while process.life() == Life::Alive {
            std::thread::yield_now();
        }
        assert_eq!(end(&process, End::Ask).unwrap(), Ended::Gone);
        assert!(child.wait().unwrap().success());
    }

    #[test]
    fn a_stranger_with_its_number_is_left_alone() {
        let (mut child, process) = start();
        let earlier = Process { started: process.started - 1, ..process.clone() };
        assert_eq!(end(&earlier, End::Force).unwrap(), Ended::Gone);
        let elsewhere = Process { realm: "elsewhere".to_owned(), ..process.clone() };
        assert_eq!(end(&elsewhere, End::Force).unwrap_err().kind(), io::ErrorKind::Unsupported);
        for pid in [0, u32::MAX] {
            assert!(end(&Process { pid, ..process.clone() }, End::Force).is_err());
        }
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success(), "nobody ended it");
    }
}
