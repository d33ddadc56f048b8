//! Where a turn and its clients meet: what happens is told to all who are connected, one of them is
//! asked, and nobody who does not read or talks nonsense holds anything up.

mod entrance;
mod hearing;

use std::{
    collections::VecDeque,
    io,
    os::unix::net::UnixStream,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use super::{
    counter::Counter,
    frame::lines,
    message::{AskText, Closing, FromServer, Role, VERSION, Welcome},
    outbox::{Lines, Outbox, Pool},
    present::Present,
};
use crate::{
    model::{CallId, EventKind, InquiryId, Timestamp},
    tool::Audience,
    turn::{Ask, Closed, FrontEnd, Inbox, Input, Interrupt, Notice, Post},
};

/// How many bytes may be on their way to all but the first client together.
const TO_ALL: usize = 24 << 20;

/// How long those who are connected may take to read the end.
const FAREWELL: Duration = Duration::from_secs(5);

/// Where a turn and its clients meet.
#[derive(Clone)]
pub struct Hub {
    shared: Arc<Mutex<State>>,
}

/// Finds the commit at which the conversation stands, if it has begun.
pub type Tip = Box<dyn Fn() -> Result<Option<String>, String> + Send>;

/// What a hub asks of the process around it.
pub struct Wiring {
    /// The commit at which the conversation stands.
    pub tip: Tip,
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
    /// Those who have not said who they are, in the order in which they came.
    at_the_door: VecDeque<(u64, UnixStream, Instant)>,
    /// Counts what is on its way to all but the first client.
    pool: Pool,
    /// Where long messages of clients are read.
    counter: Counter,
    present: Present,
    open: Vec<Ask>,
    post: Option<Post>,
    /// What somebody wanted while no turn was under way.
    interrupted: Option<Interrupt>,
    is_hung_up: bool,
    /// How much clients have said in between that the turn has not stored yet.
    said: usize,
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
    pub fn new(about: Welcome, wiring: Wiring) -> io::Result<Self> {
        let about = Welcome { version: VERSION, pid: std::process::id(), ..about };
        let state = State {
            wiring,
            about,
            clients: Vec::new(),
            coming: Vec::new(),
            next: 0,
            at_the_door: VecDeque::new(),
            pool: Pool::default(),
            counter: Counter::start()?,
            present: Present::default(),
            open: Vec::new(),
            post: None,
            interrupted: None,
            is_hung_up: false,
            said: 0,
            audience: Audience::Detached,
            quiet_since: Instant::now(),
            is_over: false,
        };
        Ok(Self { shared: Arc::new(Mutex::new(state)) })
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
        state.broadcast(|| FromServer::Welcome(state.about.clone()));
        state.broadcast(|| FromServer::Live);
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

    /// The turn does not listen any more. What was said too late for it is for the next one, or told
    /// to be by whoever is not heard.
    pub fn rest(&self, inbox: &Inbox) {
        let mut state = self.state();
        (state.post, state.said) = (None, 0);
        for input in inbox.left() {
            match input {
                Input::Interrupt(interrupt) => state.interrupt(interrupt),
                Input::FollowUp { from, .. } => state.remove(from),
                _ => {}
            }
        }
    }

    /// Somebody wants something else of the turn, or of the next one if none is under way.
    pub fn interrupt(&self, interrupt: Interrupt) {
        self.state().interrupt(interrupt);
    }

    /// Whether somebody wants something else, and no turn has heard of it.
    pub fn is_interrupted(&self) -> bool {
        self.state().interrupted.is_some()
    }

    /// Whether the query was told to save what it has and end.
    pub fn is_hung_up(&self) -> bool {
        self.state().is_hung_up
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
        let (commit, failure) = match (self.wiring.tip)() {
            Ok(commit) => (commit, None),
            Err(error) => (None, Some(format!("what is stored cannot be shown: {error}"))),
        };
        let running = self.present.running().map(ToString::to_string).collect();
        let welcome = Welcome { commit, running, ..self.about.clone() };
        let mut messages = vec![FromServer::Welcome(welcome)];
        messages.extend(failure.map(|text| FromServer::Say { text }));
        if self.present.is_truncated() {
            messages.push(FromServer::Truncated);
        }
        messages.extend(self.present.told().map(|notice| FromServer::of_notice(&notice)));
        messages.push(FromServer::Live);
        let messages: Vec<Lines> = messages.iter().map(|message| lines(message).into()).collect();
        let before = self.controller().map(|client| client.number);
        for client in std::mem::take(&mut self.coming) {
            messages.iter().for_each(|lines| client.outbox.send(lines.clone()));
            self.clients.push(client);
        }
        self.hand_over(before);
        self.open.iter().for_each(|ask| self.tell_pending(ask));
        self.cut_off_who_does_not_read();
    }

    /// Keeps what is on its way to all clients within bounds: whoever has read nothing for the
    /// longest time is cut off.
    fn cut_off_who_does_not_read(&self) {
        while self.pool.load(Ordering::Relaxed) > TO_ALL {
            let outboxes = self.clients.iter().map(|client| &client.outbox);
            let pooled = outboxes.filter(|outbox| outbox.is_in(&self.pool));
            let behind = pooled.filter_map(|outbox| Some((outbox.unread_since()?, outbox)));
            match behind.min_by_key(|(since, _)| *since) {
                Some((_, outbox)) => outbox.cut_off(),
                None => return,
            }
        }
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

    fn role(&self, number: u64) -> Option<Role> {
        let mut all = self.clients.iter().chain(&self.coming);
        all.find(|client| client.number == number).map(|client| client.role)
    }

    /// A client is gone without a word.
    fn lose(&mut self, number: u64) {
        let Some(role) = self.role(number) else { return };
        self.remove(number);
        let is_seen = self.clients.iter().chain(&self.coming).any(|one| one.role == Role::Person);
        // Whoever waits for a command without a terminal is not there any more either.
        if role == Role::Command && !is_seen {
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
    fn broadcast(&self, message: impl FnOnce() -> FromServer) {
        let shows = |client: &&Client| client.role != Role::Messenger;
        if self.clients.iter().any(|client| shows(&client)) {
            let lines: Lines = lines(&message()).into();
            for client in self.clients.iter().filter(shows) {
                client.outbox.send(lines.clone());
            }
            self.cut_off_who_does_not_read();
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

    /// Whether a call cannot go on before somebody has answered.
    fn is_held_up(&self, call: &CallId) -> bool {
        self.open.iter().any(|ask| ask.call.id == *call)
    }

    /// Says that somebody has to answer who is not there.
    fn notice_waiting(&mut self) {
        if self.audience == Audience::Detached {
            let Self { wiring, open, .. } = self;
            open.iter().for_each(|ask| (wiring.waits)(ask));
        }
    }
}

impl FrontEnd for Hub {
    fn show(&mut self, notice: &Notice) -> Result<(), Closed> {
        let mut state = self.state();
        state.quiet_since = Instant::now();
        state.present.take(notice);
        let message = || FromServer::of_notice(notice);
        match notice {
            Notice::Queued { from, .. } => state.tell(*from, &message()),
            // Whoever has answered from elsewhere waits for this.
            Notice::Saved { event, .. } if is_response(&event.kind) => state.announce(&message()),
            _ => state.broadcast(message),
        }
        if let Notice::Saved { event, .. } = notice
            && event.request().is_some_and(|request| request.interrupts)
        {
            state.said = state.said.saturating_sub(1);
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
            None => state.notice_waiting(),
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
            && state.present.running().all(|call| state.is_held_up(call))
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

fn is_response(kind: &EventKind) -> bool {
    matches!(kind, EventKind::InquiryResponse(_))
}
