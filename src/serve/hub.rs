//! Where a turn and its clients meet: what happens is told to all who are connected, one of them is
//! asked, and nobody who does not read or talks nonsense holds anything up.

use std::{
    io::{self, BufReader},
    os::unix::net::UnixStream,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{
    frame::{FrameError, Reader, lines},
    message::{AskText, Closing, FromClient, FromServer, Hello, Role, VERSION, Welcome},
    outbox::{Lines, Outbox},
    present::Present,
};
use crate::{
    model::{Answer, AnswerType, EventKind, InquiryId, InquiryKind, InquiryRequest, Timestamp},
    tool::Audience,
    turn::{Ask, Closed, FrontEnd, Interrupt, Notice, Post, Reply},
};

/// How long a client may take to say who it is.
const GREETING: Duration = Duration::from_secs(5);

/// The longest message of a client: an edited result, at most.
const LARGEST: usize = 24 << 20;

/// How many bytes may be on their way to a client: to the one that began the query, and to others.
const TO_THE_FIRST: usize = 64 << 20;
const TO_OTHERS: usize = 4 << 20;

/// How many clients may be connected.
const MOST: usize = 256;

/// How long those who are connected may take to read the end.
const FAREWELL: Duration = Duration::from_secs(5);

/// Where a turn and its clients meet.
#[derive(Clone)]
pub struct Hub {
    shared: Arc<Mutex<State>>,
}

/// What a hub asks of the process around it.
pub struct Wiring {
    /// The commit at which the conversation stands.
    pub tip: Box<dyn Fn() -> Option<String> + Send>,
    /// Hears that somebody has to answer who is not there.
    pub waits: Box<dyn FnMut(&Ask) + Send>,
    /// The time.
    pub now: Box<dyn Fn() -> Timestamp + Send>,
    /// How long to wait for somebody who can answer.
    pub patience: Duration,
    /// Whether nobody is ever asked.
    pub asks_nobody: bool,
}

struct State {
    wiring: Wiring,
    about: Welcome,
    clients: Vec<Client>,
    /// Those who have said who they are and wait for a moment at which all is stored.
    coming: Vec<Client>,
    next: u64,
    present: Present,
    open: Vec<Ask>,
    post: Option<Post>,
    /// What somebody wanted while no turn was under way.
    interrupted: Option<Interrupt>,
    audience: Audience,
    /// Since when nothing has happened.
    quiet_since: Instant,
    is_over: bool,
}

struct Client {
    number: u64,
    pid: u32,
    role: Role,
    outbox: Outbox,
}

impl Hub {
    /// Nobody is connected yet.
    pub fn new(about: Welcome, wiring: Wiring) -> Self {
        let about = Welcome { version: VERSION, pid: std::process::id(), ..about };
        let state = State {
            wiring,
            about,
            clients: Vec::new(),
            coming: Vec::new(),
            next: 0,
            present: Present::default(),
            open: Vec::new(),
            post: None,
            interrupted: None,
            audience: Audience::Detached,
            quiet_since: Instant::now(),
            is_over: false,
        };
        Self { shared: Arc::new(Mutex::new(state)) }
    }

    /// Takes the client that began the query; returns when it has said who it is.
    pub fn take_first(&self, stream: UnixStream) -> Result<Hello, FrameError> {
        let (hello, reader) = greet(&stream)?;
        self.admit(stream, reader, &hello, TO_THE_FIRST)?;
        // Nothing has happened yet that it could have missed.
        self.state().welcome();
        Ok(hello)
    }

    /// Takes a client that came later.
    pub fn take(&self, stream: UnixStream) {
        let hub = self.clone();
        let thread = thread::Builder::new().name("client".to_owned()).stack_size(128 << 10);
        // Without a thread the connection is closed, which is what the client sees.
        let _unstarted = thread.spawn(move || match greet(&stream) {
            Ok((hello, _)) if hello.version != VERSION => {
                let text = format!("this server speaks version {VERSION} of the protocol");
                refuse(stream, text);
            }
            Ok((hello, reader)) => {
                let _closed = hub.admit(stream, reader, &hello, TO_OTHERS);
            }
            Err(FrameError::Closed) => {}
            Err(FrameError::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {
                refuse(stream, "nobody said `hello` in time".to_owned());
            }
            Err(error) => refuse(stream, error.to_string()),
        });
    }

    fn admit(
        &self,
        stream: UnixStream,
        reader: Reader<BufReader<UnixStream>>,
        hello: &Hello,
        most: usize,
    ) -> io::Result<()> {
        let mut state = self.state();
        if state.clients.len() + state.coming.len() >= MOST || state.is_over {
            let is_over = state.is_over;
            drop(state);
            if !is_over {
                refuse(stream, "no more clients are taken".to_owned());
            }
            return Ok(());
        }
        let outbox = Outbox::start(stream, most)?;
        let number = state.next;
        state.next += 1;
        let client = Client { number, pid: hello.pid, role: hello.role, outbox };
        // Whoever is shown nothing has nothing to catch up with.
        match client.role {
            Role::Messenger => state.clients.push(client),
            Role::Person | Role::Command | Role::Watcher => state.coming.push(client),
        }
        state.count_heads();
        drop(state);
        let hub = self.clone();
        let thread = thread::Builder::new().name("client-reader".to_owned());
        thread.stack_size(256 << 10).spawn(move || hub.listen(number, reader))?;
        Ok(())
    }

    /// Hears what a client says, until it is gone.
    fn listen(&self, number: u64, mut reader: Reader<BufReader<UnixStream>>) {
        loop {
            match reader.read::<FromClient>() {
                Ok(message) => {
                    if !self.state().hear(number, message) {
                        break;
                    }
                }
                Err(FrameError::Closed | FrameError::Io(_)) => {
                    self.state().lose(number);
                    break;
                }
                Err(error) => {
                    let mut state = self.state();
                    state.tell(number, &FromServer::Refused { message: error.to_string() });
                    state.lose(number);
                    break;
                }
            }
        }
    }

    /// Another turn begins; who there is to be asked.
    pub fn begin(&self, post: Post) -> Audience {
        let mut state = self.state();
        if let Some(interrupt) = state.interrupted.take() {
            post.interrupt(interrupt);
        }
        (state.post, state.present) = (Some(post), Present::default());
        state.audience = state.present_audience();
        state.audience
    }

    /// Another turn is to begin, in the same conversation.
    pub fn go_on(&self, about: Welcome) {
        let mut state = self.state();
        let conversation = state.about.conversation.clone();
        state.about = Welcome { version: VERSION, pid: state.about.pid, conversation, ..about };
        state.broadcast(&FromServer::Welcome(state.about.clone()));
        state.broadcast(&FromServer::Live);
    }

    /// The conversation has begun, and the request is on disk.
    pub fn begun(&self, conversation: &str) {
        let mut state = self.state();
        state.about.conversation = Some(conversation.to_owned());
        state.announce(&FromServer::Begun { conversation: conversation.to_owned() });
    }

    /// The conversation has another title.
    pub fn named(&self, title: &str) {
        let mut state = self.state();
        state.about.title = Some(title.to_owned());
        state.announce(&FromServer::Named { title: title.to_owned() });
    }

    /// Says something beside the answer.
    pub fn say(&self, text: &str) {
        self.state().announce(&FromServer::Say { text: text.to_owned() });
    }

    /// The turn is over.
    pub fn end(&self, closing: Closing) {
        let mut state = self.state();
        (state.post, state.present) = (None, Present::default());
        state.open.clear();
        state.is_over = !closing.goes_on;
        state.welcome();
        state.announce(&FromServer::End(Box::new(closing)));
    }

    /// Whether the last turn is over.
    pub fn is_over(&self) -> bool {
        self.state().is_over
    }

    /// Whether somebody is there who sees how it ends.
    pub fn is_attended(&self) -> bool {
        let state = self.state();
        let mut roles = state.clients.iter().chain(&state.coming).map(|client| client.role);
        roles.any(|role| matches!(role, Role::Person | Role::Command))
    }

    /// Lets those who are connected read what is on its way, and closes.
    pub fn close(&self) {
        let clients = {
            let mut state = self.state();
            state.is_over = true;
            std::mem::take(&mut state.clients)
        };
        let until = Instant::now() + FAREWELL;
        clients.iter().for_each(|client| client.outbox.close());
        clients.iter().for_each(|client| client.outbox.settle(until));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A moment at which all that happened is stored: those who came are told the rest.
    fn welcome(&mut self) {
        if self.coming.is_empty() {
            return;
        }
        let commit = (self.wiring.tip)();
        let running = self.present.running().map(ToString::to_string).collect();
        let welcome = Welcome { commit, running, ..self.about.clone() };
        let mut messages = vec![FromServer::Welcome(welcome)];
        if self.present.is_truncated() {
            messages.push(FromServer::Truncated);
        }
        messages.extend(self.present.told().map(|notice| FromServer::of_notice(&notice)));
        messages.push(FromServer::Live);
        let messages: Vec<Lines> = messages.iter().map(|message| lines(message).into()).collect();
        let before = self.controller().map(|client| client.number);
        for client in std::mem::take(&mut self.coming) {
            messages.iter().for_each(|lines| {
                client.outbox.send(lines.clone());
            });
            self.clients.push(client);
        }
        self.hand_over(before);
        self.open.iter().for_each(|ask| self.tell_pending(ask));
    }

    /// The client that is asked: the last one that came and can be.
    fn controller(&self) -> Option<&Client> {
        self.clients.iter().rev().find(|client| client.role == Role::Person)
    }

    /// Lets another client be asked than before, if another is to be.
    fn hand_over(&self, before: Option<u64>) {
        let now = self.controller();
        if now.map(|client| client.number) == before {
            return;
        }
        let pid = now.map(|client| client.pid);
        if let Some(before) = before {
            for ask in &self.open {
                let inquiry = ask.inquiry.id.to_string();
                self.tell(before, &FromServer::Withdraw { inquiry });
            }
        }
        for client in self.clients.iter().filter(|client| client.role != Role::Messenger) {
            let yours = Some(client.number) == now.map(|client| client.number);
            self.tell(client.number, &FromServer::Control { yours, pid });
        }
        if let Some(client) = now {
            for ask in &self.open {
                self.tell(client.number, &FromServer::Ask(Box::new(AskText::of(ask))));
            }
        }
    }

    /// Who there is to be asked.
    fn present_audience(&self) -> Audience {
        let mut roles = self.clients.iter().chain(&self.coming).map(|client| client.role);
        match () {
            () if self.wiring.asks_nobody => Audience::Nobody,
            () if roles.clone().any(|role| role == Role::Person) => Audience::Person,
            () if roles.any(|role| role == Role::Command) => Audience::Nobody,
            () => Audience::Detached,
        }
    }

    /// Tells the turn who there is to be asked, if that has changed.
    fn count_heads(&mut self) {
        let audience = self.present_audience();
        if audience != self.audience {
            self.audience = audience;
            self.quiet_since = Instant::now();
            if let Some(post) = &self.post {
                post.audience(audience);
            }
            self.notice_waiting();
        }
    }

    /// A client says something; whether it may say more.
    fn hear(&mut self, number: u64, message: FromClient) -> bool {
        let Some(role) = self.role(number) else { return false };
        match message {
            FromClient::Detach => {
                self.remove(number);
                return false;
            }
            FromClient::Reply(reply) => {
                let is_asked = self.controller().is_some_and(|client| client.number == number);
                let (inquiry, reply) = reply.read();
                let at = self.open.iter().position(|ask| ask.inquiry.id == inquiry);
                let fits = at.is_some_and(|at| fits(&self.open[at].inquiry, &reply));
                match (at, &self.post) {
                    (Some(_), Some(_)) if !fits => {
                        self.refuse(number, &format!("this is no answer to `{inquiry}`"));
                    }
                    (Some(at), Some(post)) if is_asked || role == Role::Messenger => {
                        post.reply(inquiry.clone(), reply);
                        self.open.remove(at);
                        // Somebody else may be looking at it.
                        if !is_asked {
                            self.withdraw_from_controller(&inquiry);
                        }
                    }
                    _ => {
                        let message = format!("`{inquiry}` is not to be answered by this client");
                        self.refuse(number, &message);
                    }
                }
            }
            FromClient::Interrupt(_) | FromClient::Stop | FromClient::Send { .. }
                if role == Role::Watcher =>
            {
                self.refuse(number, "whoever only watches changes nothing");
            }
            FromClient::Interrupt(interrupt) => self.interrupt(interrupt.into()),
            FromClient::Stop => self.interrupt(Interrupt::HangUp),
            FromClient::Send { request } => match (request.read((self.wiring.now)()), &self.post) {
                (Ok(request), Some(post)) if request.request().is_some() => {
                    post.follow_up(number, request);
                }
                (Ok(_), Some(_)) => self.refuse(number, "only a request can be queued"),
                (Err(error), _) => self.refuse(number, &error.to_string()),
                // Whoever is not heard takes the lock, as soon as it is free.
                (_, None) => {
                    self.remove(number);
                    return false;
                }
            },
            // It was said before.
            FromClient::Hello(_) => {}
        }
        true
    }

    fn refuse(&self, number: u64, message: &str) {
        self.tell(number, &FromServer::Refused { message: message.to_owned() });
    }

    fn interrupt(&mut self, interrupt: Interrupt) {
        match &self.post {
            Some(post) => post.interrupt(interrupt),
            // Between two turns it is for the next one.
            None => self.interrupted = Some(interrupt),
        }
    }

    fn role(&self, number: u64) -> Option<Role> {
        let mut all = self.clients.iter().chain(&self.coming);
        all.find(|client| client.number == number).map(|client| client.role)
    }

    /// A client is gone without a word.
    fn lose(&mut self, number: u64) {
        let Some(role) = self.role(number) else { return };
        self.remove(number);
        // Whoever waits for a command without a terminal is not there any more either.
        if role == Role::Command && self.audience != Audience::Person {
            self.interrupt(Interrupt::HangUp);
        }
    }

    fn remove(&mut self, number: u64) {
        let before = self.controller().map(|client| client.number);
        for client in self.clients.iter().chain(&self.coming) {
            if client.number == number {
                client.outbox.close();
            }
        }
        self.clients.retain(|client| client.number != number);
        self.coming.retain(|client| client.number != number);
        self.hand_over(before);
        if before != self.controller().map(|client| client.number) {
            self.open.iter().for_each(|ask| self.tell_pending(ask));
        }
        self.count_heads();
    }

    fn tell(&self, number: u64, message: &FromServer) {
        let mut all = self.clients.iter().chain(&self.coming);
        if let Some(client) = all.find(|client| client.number == number) {
            client.outbox.send(lines(message).into());
        }
    }

    /// Tells those who show everything.
    fn broadcast(&self, message: &FromServer) {
        let shows = |client: &&Client| client.role != Role::Messenger;
        if self.clients.iter().any(|client| shows(&client)) {
            let lines: Lines = lines(message).into();
            for client in self.clients.iter().filter(shows) {
                client.outbox.send(lines.clone());
            }
        }
    }

    /// Tells everybody.
    fn announce(&self, message: &FromServer) {
        let lines: Lines = lines(message).into();
        for client in &self.clients {
            client.outbox.send(lines.clone());
        }
    }

    fn withdraw_from_controller(&self, inquiry: &InquiryId) {
        if let Some(client) = self.controller() {
            self.tell(client.number, &FromServer::Withdraw { inquiry: inquiry.to_string() });
        }
    }

    /// Lets those who are not asked know what is.
    fn tell_pending(&self, ask: &Ask) {
        let controller = self.controller();
        let message = FromServer::Pending {
            inquiry: ask.inquiry.id.to_string(),
            tool: ask.call.tool.to_string(),
            pid: controller.map(|client| client.pid),
        };
        let asked = controller.map(|client| client.number);
        for client in self.clients.iter().filter(|client| client.role != Role::Messenger) {
            if Some(client.number) != asked {
                self.tell(client.number, &message);
            }
        }
    }

    /// Says that somebody has to answer who is not there.
    fn notice_waiting(&mut self) {
        if self.audience == Audience::Detached
            && let Some(ask) = self.open.first()
        {
            (self.wiring.waits)(ask);
        }
    }
}

impl FrontEnd for Hub {
    fn show(&mut self, notice: &Notice) -> Result<(), Closed> {
        let mut state = self.state();
        state.quiet_since = Instant::now();
        state.present.take(notice);
        let message = FromServer::of_notice(notice);
        match notice {
            Notice::Queued { from, .. } => state.tell(*from, &message),
            // Whoever has answered from elsewhere waits for this.
            Notice::Saved { event, .. } if is_response(&event.kind) => state.announce(&message),
            _ => state.broadcast(&message),
        }
        Ok(())
    }

    fn ask(&mut self, ask: &Ask, _post: &Post) {
        let mut state = self.state();
        state.open.retain(|open| open.inquiry.id != ask.inquiry.id);
        state.open.push(ask.clone());
        state.tell_pending(ask);
        match state.controller() {
            Some(client) => {
                let message = FromServer::Ask(Box::new(AskText::of(ask)));
                state.tell(client.number, &message);
            }
            None if state.open.len() == 1 => state.notice_waiting(),
            None => {}
        }
    }

    fn withdraw(&mut self, inquiry: &InquiryId) {
        let mut state = self.state();
        state.open.retain(|ask| ask.inquiry.id != *inquiry);
        state.withdraw_from_controller(inquiry);
    }

    fn tick(&mut self) -> Result<(), Closed> {
        let mut state = self.state();
        let is_left = !state.open.is_empty()
            && state.present.running().next().is_none()
            && state.audience == Audience::Detached
            && state.quiet_since.elapsed() >= state.wiring.patience;
        if is_left && let Some(post) = &state.post {
            post.audience(Audience::Nobody);
            state.audience = Audience::Nobody;
        }
        Ok(())
    }

    fn pause(&mut self) {
        self.state().welcome();
    }
}

/// Whether a reply is of the kind that a question asks for.
fn fits(inquiry: &InquiryRequest, reply: &Reply) -> bool {
    let is_permission = inquiry.kind == InquiryKind::RunTool;
    match (reply, &inquiry.answer) {
        (Reply::Cancelled, _) => true,
        (Reply::Refused(_), _) => is_permission,
        (Reply::Edited(_), _) => is_permission || inquiry.kind == InquiryKind::DeliverResult,
        (Reply::Answer(Answer::Select(value)), AnswerType::Select { options, .. }) => {
            options.iter().any(|option| option.value == *value)
        }
        (Reply::Answer(Answer::Boolean(_)), AnswerType::Boolean { .. })
        | (Reply::Answer(Answer::Text(_)), AnswerType::Text { .. })
        | (Reply::Secret(_), AnswerType::Secret) => true,
        (Reply::Answer(_) | Reply::Secret(_), _) => false,
    }
}

fn is_response(kind: &EventKind) -> bool {
    matches!(kind, EventKind::InquiryResponse(_))
}

/// Lets a client say who it is.
fn greet(stream: &UnixStream) -> Result<(Hello, Reader<BufReader<UnixStream>>), FrameError> {
    stream.set_read_timeout(Some(GREETING))?;
    let mut reader = Reader::new(BufReader::new(stream.try_clone()?), LARGEST);
    let FromClient::Hello(hello) = reader.read()? else {
        return Err(FrameError::Io(io::Error::other("the first message is `hello`")));
    };
    stream.set_read_timeout(None)?;
    Ok((hello, reader))
}

/// Tells a client why it is not taken.
fn refuse(mut stream: UnixStream, message: String) {
    let _unset = stream.set_write_timeout(Some(Duration::from_secs(1)));
    let _unheard = io::Write::write_all(&mut stream, &lines(&FromServer::Refused { message }));
}
