//! A process beside a program that must not outlive who talks to it.
//!
//! A program that jp talks to begins while jp still has its terminal, and goes on when jp has left
//! it. When jp is killed, nothing but the end of its input tells the program, and some do not heed
//! that. So jp runs itself once more, in a session without a terminal, and that process runs the
//! program. It ends everything in its group when nobody can read standard error any more: as long as
//! jp lives, it does.

use std::{
    ffi::{OsStr, OsString},
    fs::OpenOptions,
    io,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, atomic::AtomicBool},
    thread,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::{Access, access},
    io::Errno,
    process::{Signal, getpid, kill_process_group, setsid},
    stdio::{dup2_stdin, dup2_stdout, stderr},
};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    low_level::emulate_default_handler,
};

use super::{Inherited, RunError, Spawn, again::itself};

/// The word that stands in place of a command, and that nobody types.
const WORD: &str = "escort";

/// What is added to the number of the signal that ended a program.
const BY_SIGNAL: i32 = 128;

/// This program, which goes along with another one.
#[derive(Clone, Debug)]
pub struct Escort(PathBuf);

impl Escort {
    /// This program, if that can be found.
    pub fn of_this_program() -> io::Result<Self> {
        itself().map(Self)
    }

    /// What runs a program with its escort. That there is no such program is told here, where
    /// somebody listens.
    #[expect(clippy::disallowed_methods, reason = "this is where children come from")]
    pub(super) fn command(&self, spawn: &Spawn, program: &OsStr) -> io::Result<Command> {
        find(spawn, program)?;
        let mut command = Command::new(&self.0);
        command.arg(WORD).args(&spawn.argv);
        Ok(command)
    }
}

/// The program that this process is to go along with, if the arguments say so.
pub fn escorted(mut arguments: impl Iterator<Item = OsString>) -> Option<Vec<OsString>> {
    arguments.nth(1).filter(|word| word == WORD)?;
    Some(arguments.collect())
}

/// Runs a program, and ends with it, in the same way; gives the exit code. If whoever reads standard
/// error is gone, both end at once.
#[expect(clippy::disallowed_methods, reason = "this is where children come from")]
pub fn escort(argv: &[OsString]) -> Result<i32, RunError> {
    let (program, arguments) = argv.split_first().ok_or(RunError::NoProgram)?;
    let failed = |source| RunError::Start { program: program.clone(), source };
    Inherited::at_start().close();
    setsid().map_err(|error| failed(error.into()))?;
    // Whoever asks the group to end asks the program, whose end is waited for here.
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false))).map_err(failed)?;
    }
    let mut child = Command::new(program).args(arguments).spawn().map_err(failed)?;
    let lost = |source| RunError::Lost { program: program.clone(), source };
    // These two are the program's alone: their ends mean something.
    let nowhere = OpenOptions::new().read(true).write(true).open("/dev/null").map_err(lost)?;
    dup2_stdin(&nowhere).map_err(|error| lost(error.into()))?;
    dup2_stdout(&nowhere).map_err(|error| lost(error.into()))?;
    thread::Builder::new().spawn(end_without_reader).map_err(lost)?;
    let status = child.wait().map_err(lost)?;
    if let Some(signal) = status.signal() {
        let _survived = emulate_default_handler(signal);
        return Ok(BY_SIGNAL + signal);
    }
    Ok(status.code().unwrap_or(1))
}

/// Waits until nobody can read standard error any more, and then ends the group.
fn end_without_reader() {
    let stderr = stderr();
    loop {
        // An error is told without being asked for, and there is no other way to hear of it.
        let mut watched = [PollFd::new(&stderr, PollFlags::empty())];
        match poll(&mut watched, None) {
            Err(Errno::INTR) => {}
            _ => break,
        }
    }
    let _ended = kill_process_group(getpid(), Signal::KILL);
}

/// Looks for a program as the system does, and fails as the system would.
fn find(spawn: &Spawn, program: &OsStr) -> io::Result<()> {
    let candidates: Vec<_> = match spawn.vars.get(OsStr::new("PATH")) {
        _ if program.as_encoded_bytes().contains(&b'/') => vec![spawn.cwd.join(program)],
        Some(path) => {
            let places = std::env::split_paths(path);
            places.map(|place| spawn.cwd.join(place).join(program)).collect()
        }
        // Where the system looks by itself is its own affair.
        None => return Ok(()),
    };
    let is_program = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    match () {
        () if candidates.iter().any(|path| is_program(path)) => Ok(()),
        () if candidates.iter().any(|path| path.exists()) => Err(Errno::ACCESS.into()),
        () => Err(Errno::NOENT.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_looked_for_where_the_system_would() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("text"), "").unwrap();
        let found = |program: &str, path: Option<&str>| {
            let mut spawn = Spawn::new([program], place.path());
            spawn.vars.extend(path.map(|path| ("PATH".into(), path.into())));
            find(&spawn, OsStr::new(program)).map_err(|error| error.kind())
        };
        assert_eq!(found("sh", Some("/nowhere:/bin")), Ok(()));
        assert_eq!(found("sh", Some("/nowhere")), Err(io::ErrorKind::NotFound));
        assert_eq!(found("sh", None), Ok(()));
        assert_eq!(found("/bin/sh", Some("/nowhere")), Ok(()));
        assert_eq!(found("./text", Some("/bin")), Err(io::ErrorKind::PermissionDenied));
        assert_eq!(found("text", Some(".")), Err(io::ErrorKind::PermissionDenied));
        assert_eq!(found("./none", None), Err(io::ErrorKind::NotFound));
    }

    #[test]
    fn only_the_word_in_place_of_a_command_counts() {
        let words = |words: &[&str]| escorted(words.iter().map(OsString::from));
        assert_eq!(words(&["jp", "escort", "a", "-b"]), Some(vec!["a".into(), "-b".into()]));
        assert_eq!(words(&["jp", "escort"]), Some(Vec::new()));
        assert_eq!(words(&["jp", "query", "escort"]), None);
        assert_eq!(words(&["jp"]), None);
    }
}
