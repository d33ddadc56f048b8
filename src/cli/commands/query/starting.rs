//! Begins a query in a server of its own, and shows it from here.
//!
//! Until there is a turn to be shown, the server has the terminal: it asks for a conversation, opens
//! an editor, and says what is wrong. Then it meets us at a socket and leaves the terminal to us.

use std::{
    ffi::OsString,
    io,
    os::unix::{net::UnixStream, process::ExitStatusExt},
    path::PathBuf,
    process::ExitStatus,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
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
    ui::{Prompter, Signal, Signals, escape_lines},
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
            Met::Ended(status) => return ended(status),
            Met::Told(status) => return Ok(code_of(status)),
        };
        let words = Words::of(args);
        if args.manner.detach {
            return begin_and_leave(output, words, greet(stream, Role::Messenger)?);
        }
        let is_person = !args.manner.non_interactive && Prompter::open(env).is_ok();
        let role = if is_person { Role::Person } else { Role::Command };
        let connection = greet(stream, role)?;
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
        let started = process::again(env, words.into_iter().chain(arguments));
        let mut child = started.and_then(|mut again| again.spawn()).map_err(unstarted)?;
        let pid = child.id();
        let heard = Arc::new(AtomicU8::new(0));
        let _signals = pass_on(env, Reins::of(&child).map_err(unstarted)?, heard.clone());
        let ended = Arc::new(Mutex::new(None));
        let (told, wake) = (ended.clone(), path.clone());
        let waiter = thread::Builder::new().name("server".to_owned()).spawn(move || {
            let status = child.wait();
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(status);
            // Whoever waits there for the server waits for nothing.
            let _woken = place::connect(&wake);
        });
        waiter.map_err(unstarted)?;
        loop {
            let (stream, _) = listener.accept().map_err(unstarted)?;
            if place::peer_pid(&stream).map_err(unstarted)? == pid {
                return Ok(Met::Here(stream));
            }
            if let Some(status) = ended.lock().unwrap_or_else(PoisonError::into_inner).take() {
                let status = status.map_err(unstarted)?;
                let signal = status.signal().and_then(|signal| u8::try_from(signal).ok());
                // Whoever has sent the signal to us knows of it.
                let is_news = signal.is_some_and(|signal| signal != heard.load(Ordering::SeqCst));
                return Ok(if is_news { Met::Ended(status) } else { Met::Told(status) });
            }
        }
    }
}

/// Lets the server decide what a signal does, as long as it has the terminal. Signals of the terminal
/// reach it by themselves.
fn pass_on(env: &Env, reins: Reins, last: Arc<AtomicU8>) -> Option<Signals> {
    let has_terminal = Prompter::open(env).is_ok_and(|prompter| prompter.is_in_foreground());
    let heard = move |signal: Signal| {
        last.store(signal.number(), Ordering::SeqCst);
        match signal {
            Signal::Interrupt | Signal::Hangup if has_terminal => {}
            signal => reins.signal(signal.number()),
        }
    };
    Signals::listen(heard).ok()
}

/// How it went with a server that was started.
enum Met {
    /// It is there.
    Here(UnixStream),
    /// It has ended, and has said why, or whoever ended it knows.
    Told(ExitStatus),
    /// A signal has ended it.
    Ended(ExitStatus),
}

/// Says who we are to a server that has met us.
fn greet(stream: UnixStream, role: Role) -> Result<Connection, CommandError> {
    Connection::greet(stream, role).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => lost(&FrameError::Closed, None),
        _ => lost(&error.into(), None),
    })
}

fn unstarted(error: io::Error) -> CommandError {
    CommandError::failure(format!("no process can be started for this query: {error}"))
}

/// A signal has ended the server before it met us, and so before it asked anything.
fn ended(status: ExitStatus) -> Outcome {
    let signal = status.signal().unwrap_or_default();
    let message = format!("the process of this query was ended by signal {signal}");
    let failure = CommandError::failure(message).by_signal(code_of(status));
    Err(failure.hint("nothing was asked yet: run the command again"))
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
            Ok(FromServer::Say { text }) if !words.quiet => output.say(escape_lines(&text)),
            Ok(FromServer::Refused { message }) => return Err(CommandError::failure(message)),
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
        None => failure.hint("`jp conversation ls` tells whether the question is stored"),
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, io::Write, rc::Rc};

    use super::*;
    use crate::serve::Failure;

    /// What a client that leaves makes of what its server says, and what it shows.
    fn leave(quiet: bool, messages: &[FromServer]) -> (Outcome, Vec<String>) {
        let (mut server, client) = UnixStream::pair().unwrap();
        for message in messages {
            let line = serde_json::to_string(message).unwrap();
            server.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
        let connection = greet(client, Role::Messenger).unwrap();
        server.shutdown(std::net::Shutdown::Write).unwrap();
        let (mut output, said) = (Output::of_process(), Rc::new(RefCell::new(Vec::new())));
        let hears = said.clone();
        output.divert(move |text| hears.borrow_mut().push(text.to_owned()));
        let outcome = begin_and_leave(&mut output, Words { quiet, json: false }, connection);
        (outcome, said.take())
    }

    #[test]
    fn what_a_server_says_is_shown_by_lines_and_not_to_who_wants_quiet() {
        let said = FromServer::Say { text: "one\ntwo\u{1b}".to_owned() };
        let end = FromServer::End(Box::new(Closing { code: 3, ..Closing::default() }));
        let (outcome, shown) = leave(false, &[said.clone(), end.clone()]);
        assert_eq!((outcome.unwrap(), shown), (3, vec!["one\ntwo\\u{1b}".to_owned()]));
        let (outcome, shown) = leave(true, &[said, end]);
        assert_eq!((outcome.unwrap(), shown), (3, Vec::new()));
    }

    #[test]
    fn a_refusal_is_an_error_and_so_is_a_server_that_is_gone() {
        let refused = FromServer::Refused { message: "no".to_owned() };
        let (outcome, _) = leave(false, &[refused]);
        assert_eq!(outcome.unwrap_err().message(), "no");
        let (outcome, _) = leave(false, &[]);
        let Failure { messages, hints } = outcome.unwrap_err().to_failure();
        assert_eq!(messages, ["the process of this query is gone"]);
        assert_eq!(hints, ["`jp conversation ls` tells whether the question is stored"]);
    }

    #[test]
    fn a_server_that_hangs_up_before_it_is_greeted_is_gone_and_no_silent_success() {
        let (server, client) = UnixStream::pair().unwrap();
        drop(server);
        let error = greet(client, Role::Messenger).err().unwrap();
        assert_eq!(
            (error.exit_code(), error.message().as_str()),
            (1, "the process of this query is gone")
        );
    }
}
