//! How a command ended, as an outcome for the model.
//!
//! What it printed is carried to the byte; what jp adds says what happened and what can be done.

use std::{fmt, io::ErrorKind, os::unix::process::ExitStatusExt, time::Duration};

use super::{Outcome, excerpt::excerpt, reply};
use crate::process::{Captured, Ended, Ran, RunError};

/// What is said about a command beside its output.
pub(super) struct Ending<'a> {
    pub(super) who: Who<'a>,
    pub(super) timeout: Duration,
    pub(super) limit: usize,
}

/// Who ran.
#[derive(Clone, Copy, Debug)]
pub(super) enum Who<'a> {
    /// A tool of the user, of this name, which may say what came of it.
    Tool(&'a str),
    /// A program that the model named; what it prints is text.
    Program(&'a str),
}

impl fmt::Display for Who<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(name) => write!(f, "tool `{name}`"),
            Self::Program(name) => write!(f, "command `{name}`"),
        }
    }
}

impl Ending<'_> {
    /// The outcome of a command that ran.
    pub(super) fn of(&self, ran: &Ran) -> Outcome {
        let who = self.who;
        let stays = "What it did until then stays done.";
        match ran.ended {
            Ended::Itself => self.by_itself(ran),
            Ended::TimedOut => {
                let time = words(self.timeout);
                let happened = format!(
                    "The {who} was stopped because it was not done after {time}, its \
                     `timeout`. {stays}"
                );
                self.failure(&happened, ran)
            }
            Ended::Cancelled => {
                let happened =
                    format!("The {who} was stopped because the query was cancelled. {stays}");
                self.failure(&happened, ran)
            }
            Ended::WantedTerminal => {
                let happened = format!(
                    "The {who} was stopped because it wanted to use the terminal, which \
                     no tool can: what it needs to know comes on its standard input. {stays}"
                );
                self.failure(&happened, ran)
            }
        }
    }

    /// The outcome of a command that did not run, or of which nothing is known.
    pub(super) fn without_run(&self, error: &RunError) -> Outcome {
        let who = self.who;
        let remedy = match error {
            RunError::Start { source, .. } => match source.kind() {
                ErrorKind::NotFound => {
                    let remedy = match who {
                        Who::Tool(name) => {
                            format!(
                                "the user can install it or correct `command` in `[tools.{name}]`"
                            )
                        }
                        Who::Program(_) => "there is no shell that would know more".to_owned(),
                    };
                    format!(
                        " It, or the interpreter that its first line names, is not installed or \
                         not in `PATH`: {remedy}."
                    )
                }
                ErrorKind::PermissionDenied => {
                    " It is not executable: the user can change that with `chmod +x`.".to_owned()
                }
                // The system knows no program of this kind.
                _ if source.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
                    " It is no program: a script needs a first line such as `#!/bin/sh`.".to_owned()
                }
                _ => String::new(),
            },
            _ => String::new(),
        };
        if error.may_have_run() {
            return Outcome::error(format!("It is not known what the {who} did: {error}."));
        }
        Outcome::error(format!("The {who} was not run: {error}.{remedy}"))
    }

    fn by_itself(&self, ran: &Ran) -> Outcome {
        let who = self.who;
        let whole = ran.stdout.is_whole();
        let speaks = matches!(who, Who::Tool(_));
        let typed = if whole && speaks { reply::typed(&ran.stdout.bytes) } else { None };
        let well = ran.status.success();
        match typed {
            // A command that says what failed may say so with any status.
            Some(Ok(Outcome::Error(message))) => return Outcome::Error(message),
            Some(Ok(outcome)) if well => return outcome,
            Some(Err(problem)) if well => {
                let happened =
                    format!("The {who} ran to its end, and its outcome cannot be read: {problem}.");
                return self.failure(&happened, ran);
            }
            _ => {}
        }
        if well && !whole && speaks && reply::begins_typed(&ran.stdout.bytes) {
            let limit = self.limit;
            let happened = format!(
                "The {who} ran to its end, and its outcome cannot be read: it is longer \
                 than {limit} bytes, its `output_limit`."
            );
            return self.failure(&happened, ran);
        }
        if well {
            let mut text = excerpt(&ran.stdout, self.limit);
            // Of a tool this is talk that its author can turn off; a program has no author here.
            if !speaks && ran.stderr.total > 0 {
                text.extend_from_slice(if text.is_empty() { b"stderr:\n" } else { b"\nstderr:\n" });
                text.extend_from_slice(&excerpt(&ran.stderr, self.limit));
            }
            return Outcome::success(text);
        }
        let happened = match (ran.status.code(), ran.status.signal()) {
            (Some(code), _) => format!("The {who} failed with exit status {code}."),
            (None, Some(signal)) => {
                format!("The {who} was killed by signal {signal}{}.", name_of(signal))
            }
            (None, None) => format!("The {who} failed."),
        };
        self.failure(&happened, ran)
    }

    /// What happened, and what the command said.
    fn failure(&self, happened: &str, ran: &Ran) -> Outcome {
        let mut text = happened.as_bytes().to_vec();
        for (name, output) in [("stderr", &ran.stderr), ("stdout", &ran.stdout)] {
            if output.total > 0 {
                text.extend_from_slice(format!("\n\n{name}:\n").as_bytes());
                text.extend_from_slice(without_last_newline(&excerpt(output, self.limit)));
            }
        }
        if is_silent(&ran.stderr) && is_silent(&ran.stdout) {
            text.extend_from_slice(b" It printed nothing.");
        }
        Outcome::error(text)
    }
}

fn is_silent(output: &Captured) -> bool {
    output.total == 0
}

fn without_last_newline(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"\n").unwrap_or(bytes)
}

/// The name of a signal that ends programs.
fn name_of(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (it aborted itself)",
        8 => " (a wrong calculation)",
        9 => " (SIGKILL: perhaps it used too much memory)",
        11 => " (a wrong memory access)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// A time in words.
pub(super) fn words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 60, seconds % 60) {
        (0, _) => format!("{} s", duration.as_secs_f64()),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}
