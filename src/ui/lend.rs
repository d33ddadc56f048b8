//! Lending the terminal to another program.

use std::{
    fs::OpenOptions,
    io::{self, IsTerminal},
    os::fd::AsFd,
    process::{Command, ExitStatus, Stdio},
};

use super::signals::ForAnother;

/// Runs a program on the terminal, wherever standard input and output go, and waits for it. While
/// it runs, an interrupt is for that program alone, and Ctrl+Z stops both.
///
/// Without a terminal it reads nothing, and what it prints goes to standard error: standard output
/// is for what was asked for.
pub fn lend_terminal(command: &mut Command) -> io::Result<ExitStatus> {
    match OpenOptions::new().read(true).write(true).open("/dev/tty") {
        Ok(terminal) => {
            let instead = || terminal.try_clone().map(Stdio::from);
            if !io::stdin().is_terminal() {
                command.stdin(instead()?);
            }
            if !io::stdout().is_terminal() {
                command.stdout(instead()?);
            }
            if !io::stderr().is_terminal() {
                command.stderr(instead()?);
            }
        }
        Err(_none) => {
            let talk = io::stderr().as_fd().try_clone_to_owned()?;
            command.stdin(Stdio::null()).stdout(talk);
        }
    }
    let _for_it = ForAnother::begin();
    command.status()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the probe writes what it found.
    const PROBE: &str = "JP_TEST_PROBE";

    /// Lends what there is to a program that says which of its three files are a terminal. It is
    /// run again in other places below.
    #[test]
    fn a_program_runs_with_whatever_there_is() {
        let found = std::env::var_os(PROBE).unwrap_or_else(|| "/dev/null".into());
        let script = "r=; for n in 0 1 2; do test -t $n && r=${r}t || r=$r-; done; echo $r >$FOUND";
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(script).env("FOUND", found);
        assert!(lend_terminal(&mut shell).unwrap().success());
    }

    /// Runs that test by another program, with nothing of its own on the terminal.
    fn probed(program: &str, arguments: impl Fn(String) -> Vec<String>) -> String {
        let own = std::env::current_exe().unwrap();
        let found = tempfile::NamedTempFile::new().unwrap();
        let name = "ui::lend::tests::a_program_runs_with_whatever_there_is";
        let test = format!("'{}' --exact {name} </dev/null >/dev/null 2>&1", own.display());
        let mut command = Command::new(program);
        let output = command.args(arguments(test)).env(PROBE, found.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        std::fs::read_to_string(found.path()).unwrap()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_gets_the_terminal_even_if_ours_go_elsewhere() {
        let script = |test| vec!["-qec".to_owned(), test, "/dev/null".to_owned()];
        assert_eq!(probed("script", script), "ttt\n");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn without_a_terminal_a_program_gets_none() {
        let setsid = |test| vec!["-w".to_owned(), "sh".to_owned(), "-c".to_owned(), test];
        assert_eq!(probed("setsid", setsid), "---\n");
    }
}
