//! Begins a query in a server of its own, and shows it from here.
//!
//! Until there is a turn to be shown, the server has the terminal: it asks for a conversation, opens
//! an editor, and says what is wrong. Then it meets us at a socket and leaves the terminal to us.

use std::{
    ffi::OsString,
    os::unix::{net::UnixStream, process::ExitStatusExt},
    path::PathBuf,
    process::ExitStatus,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use super::{
    super::{BY_SIGNAL, Outcome},
    attending::{Attendance, attend},
    ending::Words,
};
use crate::{
    cli::{args::Query, error::CommandError, output::Output},
    env::Env,
    process::{self, Reins},
    serve::{Closing, Connection, FrameError, FromServer, Role, place},
    ui::{Prompter, Signal, Signals},
};

/// The hidden command that serves a query.
const SERVE: &str = "serve";

/// A server that was started, and where it will meet us.
pub struct Started {
    path: Rendezvous,
    listener: std::os::unix::net::UnixListener,
}

/// A socket that is used once.
struct Rendezvous(PathBuf);

impl Drop for Rendezvous {
    fn drop(&mut self) {
        // A leftover is in nobody's way, and goes later.
        let _left = std::fs::remove_file(&self.0);
    }
}

/// Clears away some of what others left where sockets are.
fn clear_leftovers(env: &Env) {
    if let (Ok(directory), Ok(random)) = (place::directory(env), env.random()) {
        place::clear_leftovers(&directory, usize::from_ne_bytes(random));
    }
}

impl Started {
    /// Makes the place where the server will meet us.
    pub fn prepare(env: &Env) -> Result<Self, CommandError> {
        let directory = place::directory(env)?;
        let path = place::rendezvous(&directory, u64::from_ne_bytes(env.random()?));
        let listener = place::listen(&path)?;
        Ok(Self { path: Rendezvous(path), listener })
    }

    /// Starts the server with the arguments of this process, and shows what it does.
    pub fn run(
        self,
        env: &Env,
        output: &mut Output,
        args: &Query,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Outcome {
        output.flush()?;
        let stream = match self.meet(env, arguments)? {
            Met::Here(stream) => stream,
            Met::Ended(status) => return Ok(code_of(status)),
        };
        let words = Words::of(args);
        if args.manner.detach {
            return begin_and_leave(output, words, Connection::greet(stream, Role::Messenger)?);
        }
        let is_person = !args.manner.non_interactive && Prompter::open(env).is_ok();
        let role = if is_person { Role::Person } else { Role::Command };
        let connection = Connection::greet(stream, role)?;
        let attendance = Attendance { role, words, catches_up: true, has_begun_it: true };
        let outcome = attend(env, output, connection, attendance, |_, _| Ok(()));
        clear_leftovers(env);
        outcome
    }

    /// Starts the server, and waits until it meets us or ends.
    fn meet(
        self,
        env: &Env,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<Met, CommandError> {
        let Self { path: Rendezvous(ref path), ref listener } = self;
        let words = [SERVE.into(), path.clone().into_os_string()];
        let mut child = process::again(env, words.into_iter().chain(arguments))?.spawn()?;
        let pid = child.id();
        let _signals = pass_on(env, Reins::of(&child)?);
        let ended = Arc::new(Mutex::new(None));
        let (told, wake) = (ended.clone(), path.clone());
        thread::Builder::new().name("server".to_owned()).spawn(move || {
            let status = child.wait();
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(status);
            // Whoever waits there for the server waits for nothing.
            let _woken = place::connect(&wake);
        })?;
        loop {
            let (stream, _) = listener.accept()?;
            if place::peer_pid(&stream)? == pid {
                return Ok(Met::Here(stream));
            }
            if let Some(status) = ended.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return Ok(Met::Ended(status?));
            }
        }
    }
}

/// Lets the server decide what a signal does, as long as it has the terminal. Signals of the terminal
/// reach it by themselves.
fn pass_on(env: &Env, reins: Reins) -> Option<Signals> {
    let has_terminal = Prompter::open(env).is_ok_and(|prompter| prompter.is_in_foreground());
    let heard = move |signal: Signal| match signal {
        Signal::Interrupt | Signal::Hangup if has_terminal => {}
        signal => reins.signal(signal.number()),
    };
    Signals::listen(heard).ok()
}

/// How it went with a server that was started.
enum Met {
    /// It is there.
    Here(UnixStream),
    /// It has ended, and has said why.
    Ended(ExitStatus),
}

fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    let signal = || status.signal().and_then(|signal| u8::try_from(signal).ok());
    code.or_else(|| signal().map(|signal| BY_SIGNAL + signal)).unwrap_or(1)
}

/// Waits until what was asked is on disk, and leaves.
fn begin_and_leave(output: &mut Output, words: Words, mut connection: Connection) -> Outcome {
    loop {
        match connection.hear() {
            Ok(FromServer::Begun { conversation }) => {
                match words.json {
                    true => output.json(&serde_json::json!({ "conversation": conversation }))?,
                    false => output.line(&conversation)?,
                }
                if !words.quiet && !words.json {
                    output.hint(format_args!("`jp conversation attach {conversation}` shows it"));
                }
                return Ok(0);
            }
            Ok(FromServer::Say { text }) => output.say(crate::ui::escape(&text)),
            Ok(FromServer::End(closing)) => {
                let Closing { code, failure, .. } = *closing;
                return match failure {
                    Some(failure) => Err(CommandError::of_failure(&failure, code)),
                    None => Ok(code),
                };
            }
            Ok(_) => {}
            Err(error) => return Err(lost(&error, None)),
        }
    }
}

/// The server is gone.
pub fn lost(error: &FrameError, conversation: Option<&str>) -> CommandError {
    let message = match error {
        FrameError::Closed => "the process of this query is gone".to_owned(),
        error => format!("the process of this query cannot be heard any more: {error}"),
    };
    let failure = CommandError::failure(message);
    match conversation {
        Some(id) => failure.hint("what was stored is safe").hint(format!(
            "`jp conversation show {id}` tells how far it is, `jp resume {id}` goes on"
        )),
        None => failure,
    }
}
