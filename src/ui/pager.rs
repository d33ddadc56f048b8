//! The pager, for what does not fit on the screen.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Write},
    process::{Child as Process, Command, Stdio},
};

use super::{signals::ForAnother, terminal::Size, width};
use crate::{
    env::Env,
    process::{self, Child},
};

/// What a shell returns for a program that it cannot run.
const CANNOT_RUN: [i32; 2] = [126, 127];

/// Shows a text, through a pager if it does not fit on the screen.
pub fn page(env: &Env, stdout: &mut dyn Write, text: &[u8]) -> io::Result<()> {
    // What was said before comes before it.
    stdout.flush()?;
    let pager = Pager::of(env).filter(|_| !fits(text, Size::of_stdout(env)));
    match pager.map_or(Ok(Shown::No), |pager| pager.show(text))? {
        Shown::Yes => Ok(()),
        Shown::No => stdout.write_all(text),
    }
}

/// Shows a text at the terminal, wherever standard output goes; without a pager as it is.
pub(super) fn page_at(env: &Env, terminal: &File, text: &str) -> io::Result<()> {
    let pager = match Pager::of(env) {
        Some(mut pager) => {
            pager.0.stdout(terminal.try_clone()?);
            Some(pager)
        }
        None => None,
    };
    let mut direct = terminal;
    match pager.map_or(Ok(Shown::No), |pager| pager.show(text.as_bytes()))? {
        Shown::Yes => Ok(()),
        Shown::No => direct.write_all(text.as_bytes()),
    }
}

/// Whether the reader has seen a text, or as much of it as was wanted.
#[derive(Debug, PartialEq, Eq)]
enum Shown {
    Yes,
    No,
}

/// The program that shows long texts.
struct Pager(Command);

impl Pager {
    /// The pager that the user wants: `JP_PAGER`, else `PAGER`, else `less`. A variable that is
    /// blank, `cat`, or a terminal that cannot move its cursor mean none.
    fn of(env: &Env) -> Option<Self> {
        if env.var("TERM").is_some_and(|term| term == "dumb") {
            return None;
        }
        let mut command = match wanted(env) {
            Some(program) if is_none(&program) => return None,
            Some(program) => {
                let mut shell = process::command(env, Child::Pager, "sh");
                shell.arg("-c").arg(program);
                shell
            }
            None => {
                let mut less = process::command(env, Child::Pager, "less");
                less.arg("-R");
                less
            }
        };
        if variable(env, "LESS").is_none() {
            // Quit if it fits, let colours through, leave the text on the screen.
            command.env("LESS", "FRX");
        }
        if ["LESSCHARSET", "LESSCHARDEF"].iter().all(|name| variable(env, name).is_none()) {
            // What it gets is UTF-8, whatever the locale says.
            command.env("LESSCHARSET", "utf-8");
        }
        Some(Self(command))
    }

    /// Has the pager show a text, and waits until the reader has seen enough. One that cannot be run
    /// shows nothing.
    fn show(mut self, text: &[u8]) -> io::Result<Shown> {
        let _interrupts = ForAnother::begin();
        match self.0.stdin(Stdio::piped()).spawn() {
            Ok(child) => feed(child, text),
            Err(_) => Ok(Shown::No),
        }
    }
}

fn feed(mut pager: Process, text: &[u8]) -> io::Result<Shown> {
    // Dropped before the wait: the pager reads to the end.
    let written = pager.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(text));
    if pager.wait()?.code().is_some_and(|code| CANNOT_RUN.contains(&code)) {
        return Ok(Shown::No);
    }
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(Shown::Yes),
    }
}

fn wanted(env: &Env) -> Option<OsString> {
    variable(env, "JP_PAGER").or_else(|| variable(env, "PAGER")).map(OsStr::to_owned)
}

/// Whether a program only passes on what it gets, or is none at all: a shell would swallow it.
fn is_none(program: &OsStr) -> bool {
    matches!(program.as_encoded_bytes().trim_ascii(), b"" | b"cat")
}

/// A variable, even if it is empty.
fn variable<'a>(env: &'a Env, name: &str) -> Option<&'a OsStr> {
    env.vars().find(|(other, _)| *other == name).map(|(_, value)| value)
}

/// Whether a text fits on the screen, with a line to spare for the prompt after it.
fn fits(text: &[u8], size: Size) -> bool {
    let most = size.rows.saturating_sub(1);
    if text.len() <= most {
        return true;
    }
    let text = String::from_utf8_lossy(text);
    let mut rows = 0;
    for line in text.lines() {
        rows += columns(line).div_ceil(size.columns.max(1)).max(1);
        if rows > most {
            return false;
        }
    }
    true
}

/// The columns that a line takes, without its sequences.
fn columns(line: &str) -> usize {
    let mut pieces = line.split("\u{1b}[");
    let first = pieces.next().map_or(0, width);
    first
        + pieces
            .map(|piece| piece.split_once('m').map_or(0, |(_, rest)| width(rest)))
            .sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_no_line_for_the_prompt_does_not_fit() {
        let size = Size { rows: 4, columns: 10 };
        for (text, expected) in [
            ("", true),
            ("a\nb\nc\n", true),
            ("a\nb\nc\nd\n", false),
            ("0123456789\n0123456789a\n", true),
            ("0123456789a\n0123456789a\n", false),
            ("漢字漢字漢字\na\n", true),
            ("漢字漢字漢字\na\nb\n", false),
            ("\u{1b}[1;31m0123456789\u{1b}[0m\na\nb\n", true),
            ("\n\n\n", true),
            ("\n\n\n\n", false),
        ] {
            assert_eq!(fits(text.as_bytes(), size), expected, "{text:?}");
        }
    }

    #[test]
    fn the_pager_is_the_one_that_the_user_wants() {
        let command = |vars: &[(&str, &str)]| {
            Pager::of(&Env::of_variables(vars)).map(|Pager(command)| {
                let words = std::iter::once(command.get_program()).chain(command.get_args());
                words.map(|word| word.to_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
            })
        };
        for (vars, expected) in [
            ([].as_slice(), Some("less -R")),
            (&[("PAGER", "more -f")], Some("sh -c more -f")),
            (&[("PAGER", "more"), ("JP_PAGER", "most")], Some("sh -c most")),
            (&[("PAGER", "more"), ("JP_PAGER", "")], None),
            (&[("PAGER", "")], None),
            (&[("PAGER", " \t")], None),
            (&[("PAGER", "more"), ("JP_PAGER", "  ")], None),
            (&[("PAGER", "cat")], None),
            (&[("PAGER", " cat ")], None),
            (&[("TERM", "dumb")], None),
        ] {
            assert_eq!(command(vars).as_deref(), expected, "{vars:?}");
        }
    }

    #[test]
    fn less_is_told_how_to_behave_unless_the_user_did() {
        let told = |name: &str, vars: &[(&str, &str)]| {
            let Pager(command) = Pager::of(&Env::of_variables(vars)).unwrap();
            let found = command.get_envs().find(|(other, _)| *other == name);
            found.and_then(|(_, value)| value).map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(told("LESS", &[]).as_deref(), Some("FRX"));
        assert_eq!(told("LESS", &[("LESS", "i")]).as_deref(), Some("i"));
        assert_eq!(told("LESS", &[("LESS", "")]).as_deref(), Some(""));
        assert_eq!(told("LESSCHARSET", &[]).as_deref(), Some("utf-8"));
        assert_eq!(told("LESSCHARSET", &[("LESSCHARDEF", "8bcccb")]), None);
    }

    /// Shows as many lines in a pager.
    fn shown(command: &str, lines: usize) -> Shown {
        let path = std::env::var("PATH").unwrap();
        let env = Env::of_variables(&[("JP_PAGER", command), ("PATH", &path)]);
        let text: String = (0..lines).map(|line| format!("{line}\n")).collect();
        Pager::of(&env).unwrap().show(text.as_bytes()).unwrap()
    }

    #[test]
    fn what_fits_is_printed_without_the_pager() {
        let env = Env::of_variables(&[("JP_PAGER", "exit 1"), ("LINES", "4"), ("COLUMNS", "80")]);
        let mut direct = Vec::new();
        page(&env, &mut direct, b"0\n1\n2\n").unwrap();
        assert_eq!(direct, b"0\n1\n2\n");
    }

    #[test]
    fn a_pager_gets_everything_and_may_end_early() {
        assert_eq!(shown("test \"$(wc -l)\" -eq 10 || exit 127", 10), Shown::Yes);
        assert_eq!(shown("true", 1_000_000), Shown::Yes);
    }

    #[test]
    fn a_pager_that_cannot_be_run_has_shown_nothing() {
        assert_eq!(shown("exec no-such-pager 2>/dev/null", 10), Shown::No);
        let env = Env::of_variables(&[("PATH", "/nowhere"), ("LINES", "4"), ("COLUMNS", "80")]);
        let (mut direct, text) = (Vec::new(), "line\n".repeat(1000));
        page(&env, &mut direct, text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(direct).unwrap(), text);
    }
}
