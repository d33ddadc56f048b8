//! Shows a query that goes on in a server: its answer, its tools and its questions, until it is over
//! or somebody leaves.

use std::{
    io::{self, IsTerminal},
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::Duration,
};

use super::{
    super::{DONE, Outcome},
    asker::Asker,
    caption::{Caption, Teller},
    ending::{Left, Words, tell},
    front::{Front, Manner, channels},
    listening::{Leave, Leaving, Listener, StoppedBy},
    starting::lost,
};
use crate::{
    cli::{error::CommandError, output::Output},
    env::Env,
    model::{CallId, InquiryId},
    process::Running,
    serve::{
        Closing, Connection, FrameError, FromClient, FromServer, InterruptText, ReplyText, Role,
        Speaker, Welcome,
    },
    turn::{Closed, FrontEnd, Inbox, Input, Post},
    ui::{Presses, Signal, Signals, escape_lines},
};

/// How often time is seen to pass.
const TICK: Duration = Duration::from_millis(100);

/// What a process ends with whose terminal is gone.
const HUNG_UP: u8 = 129;

/// In which way somebody is there.
#[derive(Clone, Copy, Debug)]
pub struct Attendance {
    /// What we are there for.
    pub role: Role,
    /// How much is said.
    pub words: Words,
    /// Whether what has come and is not stored yet is shown as well.
    pub catches_up: bool,
    /// Whether the query was begun from here, and ends with whoever reads its answer.
    pub has_begun_it: bool,
}

/// What comes in.
enum News {
    Said(Box<FromServer>),
    Lost(FrameError),
    Leave(Leaving),
}

/// Shows a query until it is over or somebody leaves. What is on disk already is shown by the
/// function, before anything else.
pub fn attend(
    env: &Env,
    output: &mut Output,
    connection: Connection,
    attendance: Attendance,
    mut catch_up: impl FnMut(&mut Output, &Welcome) -> Result<(), CommandError>,
) -> Outcome {
    let (sender, news) = channel();
    let speaker = connection.speaker();
    let inbox = Inbox::new();
    let post = inbox.post();
    hear(connection, sender.clone())?;
    forward(inbox, speaker.clone())?;
    let (conversation, is_on_terminal) = (None, io::stdout().is_terminal());
    let mut hall =
        Hall { env, attendance, speaker, post, news, sender, conversation, is_on_terminal };
    loop {
        let signals = hall.listen_between();
        let welcome = match hall.welcome(output)? {
            Came::Turn(welcome) => welcome,
            Came::Left(leaving) => return Ok(hall.farewell(output, leaving)),
        };
        if welcome.follows && !attendance.words.json {
            // The answers stand apart; whoever does not read them is told by the next write.
            let _unread = output.line("").and_then(|()| output.flush());
        }
        catch_up(output, &welcome)?;
        drop(signals);
        let shown = hall.show(output, &welcome)?;
        let (closing, left) = match shown {
            Shown::Over(over) => *over,
            Shown::Left(leaving) => return Ok(hall.farewell(output, leaving)),
            Shown::Lost(error) => return Err(lost(&error, hall.conversation.as_deref())),
        };
        let code = tell(output, attendance.words, &closing, left)?;
        if !closing.goes_on {
            return Ok(code);
        }
    }
}

/// Hears what the server says, in a thread of its own.
fn hear(mut connection: Connection, sender: Sender<News>) -> io::Result<()> {
    let listen = move || {
        loop {
            let (news, is_over) = match connection.hear() {
                Ok(message) => (News::Said(Box::new(message)), false),
                Err(error) => (News::Lost(error), true),
            };
            if sender.send(news).is_err() || is_over {
                return;
            }
        }
    };
    thread::Builder::new().name("listener".to_owned()).spawn(listen).map(drop)
}

/// Brings what somebody here wants to the server.
fn forward(inbox: Inbox, speaker: Speaker) -> io::Result<()> {
    let bring = move || {
        while let Some(input) = inbox.next() {
            let message = match input {
                Input::Replied { inquiry, reply } => {
                    FromClient::Reply(ReplyText::of(&inquiry, &reply))
                }
                Input::Interrupt(interrupt) => FromClient::Interrupt(interrupt.into()),
                _ => continue,
            };
            // That the server is gone is heard by whoever listens to it.
            let _gone = speaker.say(&message);
        }
    };
    thread::Builder::new().name("speaker".to_owned()).spawn(bring).map(drop)
}

/// Where a query is shown.
struct Hall<'a> {
    env: &'a Env,
    attendance: Attendance,
    speaker: Speaker,
    post: Post,
    news: Receiver<News>,
    sender: Sender<News>,
    conversation: Option<String>,
    /// Whether the answer goes to a terminal; one that is gone cannot tell any more.
    is_on_terminal: bool,
}

/// What came while no turn was shown.
enum Came {
    Turn(Box<Welcome>),
    Left(Leaving),
}

/// How a turn ended for whoever was shown it.
enum Shown<'a> {
    Over(Box<(Closing, Left<'a>)>),
    Left(Leaving),
    Lost(FrameError),
}

impl<'a> Hall<'a> {
    /// Waits until there is a turn to be shown.
    fn welcome(&mut self, output: &mut Output) -> Result<Came, CommandError> {
        loop {
            match self.news.recv() {
                Ok(News::Said(message)) => match *message {
                    FromServer::Welcome(welcome) => {
                        self.conversation =
                            welcome.conversation.clone().or(self.conversation.take());
                        return Ok(Came::Turn(Box::new(welcome)));
                    }
                    FromServer::End(closing) => {
                        let Closing { code, failure, .. } = *closing;
                        return Err(match failure {
                            Some(failure) => CommandError::of_failure(&failure, code),
                            None => CommandError::silent(code),
                        });
                    }
                    FromServer::Say { text } if !self.attendance.words.quiet => {
                        output.say(escape_lines(&text));
                    }
                    FromServer::Refused { message } => return Err(CommandError::failure(message)),
                    _ => {}
                },
                Ok(News::Lost(error)) => return Err(lost(&error, self.conversation.as_deref())),
                Ok(News::Leave(leaving)) => return Ok(Came::Left(leaving)),
                Err(_) => return Err(lost(&FrameError::Closed, self.conversation.as_deref())),
            }
        }
    }

    /// What signals do while no turn is shown: whoever leaves leaves, and all else is for the next
    /// turn.
    fn listen_between(&self) -> Option<Signals> {
        let Attendance { role, has_begun_it, .. } = self.attendance;
        let (leave, speaker) = (self.leave(), self.speaker.clone());
        let heard = move |signal: Signal| {
            let how = match (role, signal) {
                (Role::Person | Role::Watcher, Signal::Hangup) => {
                    return leave(Leaving::TerminalGone);
                }
                (Role::Watcher, _) | (Role::Person, Signal::Suspend) => {
                    return leave(Leaving::Wanted);
                }
                // It may be meant for what is printed of the turns before, or for us alone.
                (_, Signal::Interrupt | Signal::Terminate) if !has_begun_it => {
                    return leave(Leaving::Wanted);
                }
                (_, Signal::Interrupt) => InterruptText::Stop,
                (_, Signal::Terminate | Signal::Hangup | Signal::Suspend) => InterruptText::HangUp,
            };
            // That the server is gone is heard by whoever listens to it.
            let _gone = speaker.say(&FromClient::Interrupt(how));
        };
        match role {
            Role::Command => Signals::listen(heard).ok(),
            _ => Signals::listen_for_suspend(heard).ok(),
        }
    }

    /// Shows a turn.
    fn show(&mut self, output: &Output, welcome: &Welcome) -> Result<Shown<'a>, CommandError> {
        let Attendance { role, words, has_begun_it, .. } = self.attendance;
        let leave = (role != Role::Command).then(|| self.leave());
        let presses = Arc::new(Mutex::new(Presses::new(role == Role::Person)));
        let state = PathBuf::from(&welcome.state);
        let start = || Asker::start(self.env, state, presses.clone(), leave.clone());
        let asker = (role == Role::Person).then(start).transpose()?;
        let caption = (welcome.sets_title && !words.quiet).then(|| {
            let id = welcome.conversation.as_ref().and_then(|id| id.parse().ok());
            Caption::about(id, welcome.title.clone())
        });
        let teller = caption.as_ref().map(Caption::teller);
        let manner = Manner { json: words.json, reasoning: welcome.reasoning, data: welcome.data };
        let model = welcome.model.clone();
        let front = Front::new(channels(self.env, output, words)?, asker, model, manner);
        let mut front = front.with_caption(caption);
        front.have_started(welcome.running.iter().map(|call| CallId::new(call.as_str())));
        let stopped_by = StoppedBy::default();
        let signals = match (role, leave) {
            (Role::Watcher, Some(leave)) => watch_signals(leave),
            (_, leave) => Listener {
                post: self.post.clone(),
                presses: presses.clone(),
                asker: front.asker(),
                running: Running::default(),
                stopped_by: stopped_by.clone(),
                leave,
                has_begun_it,
            }
            .listen(),
        };
        let ended = self.follow(&mut front, teller.as_ref());
        presses.lock().unwrap_or_else(PoisonError::into_inner).stop();
        front.end();
        Ok(match ended {
            Ended::Over(closing) => {
                let code = stopped_by.code();
                Shown::Over(Box::new((*closing, Left { front, code, signals })))
            }
            Ended::Left(leaving) => Shown::Left(leaving),
            Ended::Lost(error) => Shown::Lost(error),
        })
    }

    /// Shows what happens until it is over.
    fn follow(&mut self, front: &mut Front<'_>, teller: Option<&Teller>) -> Ended {
        let mut leaving = None;
        let mut is_closed = false;
        let mut is_live = self.attendance.catches_up;
        loop {
            if let Some(leaving) = leaving.filter(|_| self.conversation.is_some()) {
                return Ended::Left(leaving);
            }
            let shown = match self.news.recv_timeout(TICK) {
                Ok(News::Said(message)) if !is_live && !message.concerns_all() => {
                    is_live = *message == FromServer::Live;
                    Ok(())
                }
                Ok(News::Said(message)) => match self.take(*message, front, teller) {
                    Ok(shown) => shown,
                    Err(closing) => return Ended::Over(closing),
                },
                Ok(News::Leave(why)) => {
                    leaving = Some(why);
                    Ok(())
                }
                Ok(News::Lost(error)) => return Ended::Lost(error),
                Err(RecvTimeoutError::Timeout) => front.tick(),
                Err(RecvTimeoutError::Disconnected) => return Ended::Lost(FrameError::Closed),
            };
            if shown == Err(Closed) && !std::mem::replace(&mut is_closed, true) {
                // Nobody closes a terminal to say that they have read enough.
                if self.attendance.role == Role::Person && self.is_on_terminal {
                    return Ended::Left(Leaving::TerminalGone);
                }
                if self.attendance.role == Role::Watcher || !self.attendance.has_begun_it {
                    return Ended::Left(Leaving::Wanted);
                }
                let _gone = self.speaker.say(&FromClient::Interrupt(InterruptText::Stop));
            }
        }
    }

    /// Takes a message; an error if it was the last one.
    fn take(
        &mut self,
        message: FromServer,
        front: &mut Front<'_>,
        teller: Option<&Teller>,
    ) -> Result<Result<(), Closed>, Box<Closing>> {
        match &message {
            FromServer::Begun { conversation } => {
                self.conversation = Some(conversation.clone());
                if let (Some(teller), Ok(id)) = (teller, conversation.parse()) {
                    teller.begun(id);
                }
            }
            FromServer::Named { title } => {
                teller.iter().for_each(|teller| teller.named(title));
                front.entitle();
            }
            FromServer::Ask(ask) => match ask.read() {
                Ok(ask) => front.ask(&ask, &self.post),
                Err(error) => front.say(&format!("a question cannot be shown: {error}")),
            },
            FromServer::Withdraw { inquiry } => front.withdraw(&InquiryId::new(inquiry.as_str())),
            FromServer::Say { text } | FromServer::Refused { message: text } => front.say(text),
            FromServer::Control { yours: false, pid: Some(pid) }
                if self.attendance.role == Role::Person =>
            {
                front.say(&format!("process {pid} is asked from now on"));
            }
            FromServer::Truncated => {
                let id = self.conversation.as_deref().unwrap_or("ID");
                front.say(&format!(
                    "the beginning is too long to be shown; `jp conversation print {id}` shows it \
                     when it is complete"
                ));
            }
            FromServer::End(closing) => return Err(closing.clone()),
            message => match message.notice() {
                Ok(Some(notice)) => return Ok(front.show(&notice)),
                Ok(None) => {}
                Err(error) => front.say(&format!("something cannot be shown: {error}")),
            },
        }
        Ok(Ok(()))
    }

    fn leave(&self) -> Leave {
        let sender = Mutex::new(self.sender.clone());
        Arc::new(move |leaving| {
            let sender = sender.lock().unwrap_or_else(PoisonError::into_inner);
            let _over = sender.send(News::Leave(leaving));
        })
    }

    /// Leaves the query to itself.
    fn farewell(&self, output: &mut Output, leaving: Leaving) -> u8 {
        let _gone = self.speaker.say(&FromClient::Detach);
        if leaving == Leaving::TerminalGone {
            return HUNG_UP;
        }
        if self.attendance.role == Role::Person
            && let Some(id) = &self.conversation
        {
            output.say(format_args!("Detached: {id}"));
            if !self.attendance.words.quiet {
                output.hint(format_args!("`jp conversation attach {id}` shows it again"));
            }
        }
        DONE
    }
}

/// How a turn ended, before it is told.
enum Ended {
    Over(Box<Closing>),
    Left(Leaving),
    Lost(FrameError),
}

/// Whoever only watches leaves with any signal.
fn watch_signals(leave: Leave) -> Option<Signals> {
    Signals::listen_for_suspend(move |_| leave(Leaving::Wanted)).ok()
}
