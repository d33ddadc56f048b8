//! The pager, for what does not fit on the screen.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, BufWriter, Write},
    process::{Child, ChildStdin, Command, Stdio},
};

use super::{signals::ForThePager, terminal::Size, width};
use crate::{env::Env, process};

/// What a shell returns for a program that it cannot run.
const CANNOT_RUN: [i32; 2] = [126, 127];

/// Shows what a function prints, through a pager if it does not fit on the screen.
///
/// The function may be called twice: a pager that cannot be run has swallowed what it was given.
pub fn page(
    env: &Env,
    stdout: &mut dyn Write,
    print: impl Fn(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let Some(pager) = Pager::of(env) else {
        return print(stdout);
    };
    stdout.flush()?;
    let mut screen =
        Screen { pager, size: Size::of_stdout(env), stdout, state: State::Held(Vec::new()) };
    let printed = print(&mut screen);
    match screen.end(printed)? {
        Shown::Yes => Ok(()),
        Shown::No => print(stdout),
    }
}

/// Shows a text at the terminal, wherever standard output goes; without a pager as it is.
pub(super) fn page_at(env: &Env, terminal: &File, text: &str) -> io::Result<()> {
    let mut direct = terminal;
    let Some(mut pager) = Pager::of(env) else {
        return direct.write_all(text.as_bytes());
    };
    pager.0.stdout(terminal.try_clone()?);
    let Some(mut paged) = Paged::start(&mut pager) else {
        return direct.write_all(text.as_bytes());
    };
    let printed = paged.stdin.write_all(text.as_bytes());
    match paged.end(printed)? {
        Shown::Yes => Ok(()),
        Shown::No => direct.write_all(text.as_bytes()),
    }
}

/// The program that shows long texts.
struct Pager(Command);

impl Pager {
    /// The pager that the user wants: `JP_PAGER`, else `PAGER`, else `less`. A variable that is
    /// empty, `cat`, or a terminal that cannot move its cursor mean none.
    fn of(env: &Env) -> Option<Self> {
        if env.var("TERM").is_some_and(|term| term == "dumb") {
            return None;
        }
        let mut command = match wanted(env) {
            Some(program) if program.is_empty() || program == "cat" => return None,
            Some(program) => {
                let mut shell = process::command(env, "sh");
                shell.arg("-c").arg(program);
                shell
            }
            None => {
                let mut less = process::command(env, "less");
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
}

fn wanted(env: &Env) -> Option<OsString> {
    variable(env, "JP_PAGER").or_else(|| variable(env, "PAGER")).map(OsStr::to_owned)
}

/// A variable, even if it is empty.
fn variable<'a>(env: &'a Env, name: &str) -> Option<&'a OsStr> {
    env.vars().find(|(other, _)| *other == name).map(|(_, value)| value)
}

/// What is printed, until it is known whether it fits, and from then on.
struct Screen<'a> {
    pager: Pager,
    size: Size,
    stdout: &'a mut dyn Write,
    state: State,
}

enum State {
    /// So far it fits.
    Held(Vec<u8>),
    /// It goes to the pager.
    Paged(Paged),
    /// There is no pager: it goes to the screen.
    Direct,
}

/// Whether the reader has seen what was printed, or as much as was wanted.
enum Shown {
    Yes,
    No,
}

impl Screen<'_> {
    fn end(self, printed: io::Result<()>) -> io::Result<Shown> {
        match self.state {
            State::Held(held) => {
                self.stdout.write_all(&held)?;
                printed.map(|()| Shown::Yes)
            }
            State::Direct => printed.map(|()| Shown::Yes),
            State::Paged(paged) => paged.end(printed),
        }
    }
}

impl Write for Screen<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            State::Held(held) => {
                held.extend_from_slice(bytes);
                if fits(held, self.size) {
                    return Ok(bytes.len());
                }
                let held = std::mem::take(held);
                self.state = match Paged::start(&mut self.pager) {
                    Some(paged) => State::Paged(paged),
                    None => State::Direct,
                };
                self.write_all(&held)?;
                Ok(bytes.len())
            }
            State::Paged(paged) => paged.stdin.write(bytes),
            State::Direct => self.stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            State::Held(_) => Ok(()),
            State::Paged(paged) => paged.stdin.flush(),
            State::Direct => self.stdout.flush(),
        }
    }
}

/// A pager that runs.
struct Paged {
    child: Child,
    stdin: BufWriter<ChildStdin>,
    interrupts: ForThePager,
}

impl Paged {
    /// Starts the pager; `None` if it cannot be started.
    fn start(pager: &mut Pager) -> Option<Self> {
        let interrupts = ForThePager::begin();
        let mut child = pager.0.stdin(Stdio::piped()).spawn().ok()?;
        let stdin = BufWriter::new(child.stdin.take()?);
        Some(Self { child, stdin, interrupts })
    }

    /// Waits until the reader has seen enough.
    fn end(mut self, printed: io::Result<()>) -> io::Result<Shown> {
        let printed = printed.and_then(|()| self.stdin.flush());
        drop(self.stdin.into_parts());
        let status = self.child.wait();
        drop(self.interrupts);
        if status?.code().is_some_and(|code| CANNOT_RUN.contains(&code)) {
            return Ok(Shown::No);
        }
        match printed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(Shown::Yes),
        }
    }
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
    use crate::model::Timestamp;

    fn env(vars: &[(&str, &str)]) -> Env {
        let vars = vars.iter().map(|(name, value)| (name.into(), value.into()));
        Env::fixed(vars, "/".into(), Timestamp::from_seconds(0))
    }

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
            Pager::of(&env(vars)).map(|Pager(command)| {
                let words = std::iter::once(command.get_program()).chain(command.get_args());
                words.map(|word| word.to_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
            })
        };
        for (vars, expected) in [
            ([].as_slice(), Some("less -R")),
            (&[("PAGER", "more -f")], Some("sh -c more -f")),
            (&[("PAGER", "more"), ("JP_PAGER", "most")], Some("sh -c most")),
            (&[("PAGER", "more"), ("JP_PAGER", "")], None),
            (&[("PAGER", "cat")], None),
            (&[("TERM", "dumb")], None),
        ] {
            assert_eq!(command(vars).as_deref(), expected, "{vars:?}");
        }
    }

    #[test]
    fn less_is_told_how_to_behave_unless_the_user_did() {
        let told = |name: &str, vars: &[(&str, &str)]| {
            let Pager(command) = Pager::of(&env(vars)).unwrap();
            let found = command.get_envs().find(|(other, _)| *other == name);
            found.and_then(|(_, value)| value).map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(told("LESS", &[]).as_deref(), Some("FRX"));
        assert_eq!(told("LESS", &[("LESS", "i")]).as_deref(), Some("i"));
        assert_eq!(told("LESS", &[("LESS", "")]).as_deref(), Some(""));
        assert_eq!(told("LESSCHARSET", &[]).as_deref(), Some("utf-8"));
        assert_eq!(told("LESSCHARSET", &[("LESSCHARDEF", "8bcccb")]), None);
    }

    /// Prints lines through a pager as if on a small screen; gives what came out at once.
    fn paged(command: &str, lines: usize) -> (String, bool) {
        let mut vars = vec![("JP_PAGER", command)];
        let path = std::env::var("PATH").unwrap();
        vars.push(("PATH", &path));
        let env = env(&vars);
        let mut direct = Vec::new();
        let size = Size { rows: 4, columns: 80 };
        let pager = Pager::of(&env).unwrap();
        let state = State::Held(Vec::new());
        let mut screen = Screen { pager, size, stdout: &mut direct, state };
        let printed = (0..lines).try_for_each(|line| writeln!(screen, "{line}"));
        let shown = screen.end(printed).unwrap();
        (String::from_utf8(direct).unwrap(), matches!(shown, Shown::Yes))
    }

    #[test]
    fn what_fits_is_printed_without_the_pager() {
        assert_eq!(paged("exit 1", 3), ("0\n1\n2\n".to_owned(), true));
    }

    #[test]
    fn what_does_not_fit_goes_to_the_pager_which_may_end_early() {
        assert_eq!(paged("cat >/dev/null", 10), (String::new(), true));
        assert_eq!(paged("true", 1_000_000), (String::new(), true));
    }

    #[test]
    fn a_pager_that_cannot_be_run_has_shown_nothing() {
        assert_eq!(paged("exec no-such-pager 2>/dev/null", 10), (String::new(), false));
    }
}
