//! Waiting for a lock with somebody at the terminal, who is soon asked what to do instead.
//!
//! The question stands in a thread of its own, so that the lock is looked at all the while: when it
//! becomes free, the question is called off and the command goes on.

use std::{
    io,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::Duration,
};

use super::{Offer, who};
use crate::{
    env::Env,
    model::ConversationId,
    store::Holder,
    ui::{Asked, Key, Prompter, Signal, Signals, Wake, Waker},
    workspace::{Meanwhile, Waiting},
};

/// When somebody is asked for the first time.
const SOON: Duration = Duration::from_secs(1);

const WAIT: Key<'static> = Key { key: 'w', says: "wait on" };
const NEW: Key<'static> = Key { key: 'n', says: "new conversation" };
const FORK: Key<'static> = Key { key: 'f', says: "fork this one" };
const CANCEL: Key<'static> = Key { key: 'c', says: "cancel" };

/// What somebody wants who does not wait.
#[derive(Debug)]
pub enum Choice {
    /// A new conversation.
    New,
    /// A fork of the one that is locked.
    Fork,
    /// Nothing any more.
    Cancelled {
        /// Who had the lock.
        holder: Option<Box<Holder>>,
        /// How long it was waited for.
        waited: Duration,
    },
    /// This signal broke it off.
    Interrupted(u8),
}

/// Somebody at the terminal who waits.
pub struct AtTerminal<'a> {
    env: &'a Env,
    id: ConversationId,
    patience: Duration,
    offer: Offer,
    stage: Stage<'a>,
    sender: Sender<Happening>,
    happenings: Receiver<Happening>,
    signals: Option<Signals>,
}

enum Stage<'a> {
    /// It is not yet time to ask.
    Waiting {
        /// When it is.
        until: Duration,
        /// Where it says so, if somebody knows that it is waited.
        line: Option<Prompter<'a>>,
    },
    /// Somebody is being asked.
    Asking(Prompt),
}

enum Happening {
    Asked(Asked<char>),
    Signal(Signal),
}

impl<'a> AtTerminal<'a> {
    /// Nobody has been asked yet.
    pub fn new(env: &'a Env, id: ConversationId, patience: Duration, offer: Offer) -> Self {
        let (sender, happenings) = channel();
        let stage = Stage::Waiting { until: patience.min(SOON), line: None };
        Self { env, id, patience, offer, stage, sender, happenings, signals: None }
    }

    /// Spends the time until the next look at the lock.
    pub fn meanwhile(&mut self, waiting: &Waiting<'_>) -> Meanwhile<Choice> {
        match &mut self.stage {
            Stage::Waiting { until, .. } if waiting.waited >= *until => self.ask(waiting),
            Stage::Waiting { line: Some(line), .. } => {
                let (seconds, id) = (waiting.waited.as_secs(), self.id);
                line.note(&format!(
                    "{seconds}s · waiting for conversation {id} ({})",
                    who(waiting.holder)
                ));
            }
            Stage::Waiting { line: None, .. } | Stage::Asking(_) => {}
        }
        match self.happenings.recv_timeout(waiting.pause) {
            // We hold a sender: it is never disconnected.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Meanwhile::LookAgain,
            Ok(Happening::Signal(signal)) => Meanwhile::Stop(Choice::Interrupted(signal.number())),
            Ok(Happening::Asked(asked)) => match chosen(&asked, waiting) {
                Some(choice) => Meanwhile::Stop(choice),
                None => {
                    let until = waiting.waited.saturating_add(self.patience);
                    let line = Prompter::open(self.env).ok();
                    self.stage = Stage::Waiting { until, line };
                    Meanwhile::LookAgain
                }
            },
        }
    }

    /// The lock is taken: calls the question off. Returns what was answered in that moment.
    pub fn close(mut self) -> Option<Choice> {
        let until = Duration::MAX;
        match std::mem::replace(&mut self.stage, Stage::Waiting { until, line: None }) {
            Stage::Waiting { mut line, .. } => {
                if let Some(line) = &mut line {
                    line.clear_note();
                }
            }
            Stage::Asking(prompt) => {
                drop(prompt);
                if let Ok(mut terminal) = Prompter::open(self.env) {
                    terminal.say(&format!("Conversation {} is free: going on", self.id));
                }
            }
        }
        let now = Waiting { holder: None, waited: Duration::ZERO, pause: Duration::ZERO };
        self.happenings.try_iter().find_map(|happening| match happening {
            Happening::Asked(asked) => chosen(&asked, &now),
            Happening::Signal(signal) => Some(Choice::Interrupted(signal.number())),
        })
    }

    fn ask(&mut self, waiting: &Waiting<'_>) {
        if let Stage::Waiting { line: Some(line), .. } = &mut self.stage {
            line.clear_note();
        }
        if self.signals.is_none() {
            // From now on the terminal has to be put back in order before the process ends.
            let sender = self.sender.clone();
            let deliver = move |signal| drop(sender.send(Happening::Signal(signal)));
            self.signals = Signals::listen(deliver).ok();
        }
        let text = format!("Conversation {} is locked ({})", self.id, who(waiting.holder));
        let keys = match self.offer {
            Offer::Waiting => vec![WAIT, CANCEL],
            Offer::Elsewhere => vec![WAIT, NEW, FORK, CANCEL],
        };
        self.stage = match Prompt::put(self.env, text, keys, self.sender.clone()) {
            Ok(prompt) => Stage::Asking(prompt),
            // It goes on waiting, as if that had been chosen.
            Err(_cannot_ask) => {
                let until = waiting.waited.saturating_add(self.patience);
                Stage::Waiting { until, line: Prompter::open(self.env).ok() }
            }
        };
    }
}

impl Drop for AtTerminal<'_> {
    fn drop(&mut self) {
        if let Stage::Waiting { line: Some(line), .. } = &mut self.stage {
            line.clear_note();
        }
    }
}

/// What an answer asks for; `None` to wait on.
fn chosen(asked: &Asked<char>, waiting: &Waiting<'_>) -> Option<Choice> {
    match asked {
        Asked::Answered(key) if *key == NEW.key => Some(Choice::New),
        Asked::Answered(key) if *key == FORK.key => Some(Choice::Fork),
        Asked::Answered(key) if *key == CANCEL.key => {
            let holder = waiting.holder.cloned().map(Box::new);
            let waited = Duration::from_secs(waiting.waited.as_secs());
            Some(Choice::Cancelled { holder, waited })
        }
        Asked::Answered(_) | Asked::Woken(_) => None,
        Asked::Cancelled | Asked::Gone => Some(Choice::Interrupted(Signal::Interrupt.number())),
    }
}

/// A question that is being asked; called off when this is dropped.
struct Prompt {
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

impl Prompt {
    fn put(
        env: &Env,
        text: String,
        keys: Vec<Key<'static>>,
        sender: Sender<Happening>,
    ) -> io::Result<Self> {
        let (wake, env) = (Wake::new()?, env.clone());
        let waker = wake.waker();
        let ask = move || {
            let asked = match Prompter::open(&env) {
                Ok(mut prompter) => {
                    prompter.say(&text);
                    prompter.choose("What now?", &keys, Some(WAIT.key), &wake)
                }
                Err(_gone) => Asked::Gone,
            };
            // Nobody hears of it who has gone on without it.
            let _gone = sender.send(Happening::Asked(asked));
        };
        let thread = thread::Builder::new().name("lock question".to_owned()).spawn(ask)?;
        Ok(Self { waker, thread: Some(thread) })
    }
}

impl Drop for Prompt {
    fn drop(&mut self) {
        self.waker.wake();
        if let Some(thread) = self.thread.take() {
            // The terminal is as it was before when it ends, even by a panic.
            let _panicked = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_leads_to_what_it_says_and_ctrl_c_interrupts() {
        let holder = Holder { pid: 7, session: None, acquired_at: String::new(), doing: None };
        let waited = Duration::from_millis(2345);
        let waiting = Waiting { holder: Some(&holder), waited, pause: Duration::ZERO };
        let chosen = |asked| chosen(&asked, &waiting);
        assert!(chosen(Asked::Answered('w')).is_none());
        assert!(chosen(Asked::Woken(String::new())).is_none());
        assert!(matches!(chosen(Asked::Answered('n')), Some(Choice::New)));
        assert!(matches!(chosen(Asked::Answered('f')), Some(Choice::Fork)));
        assert!(matches!(chosen(Asked::Cancelled), Some(Choice::Interrupted(2))));
        let Some(Choice::Cancelled { holder, waited }) = chosen(Asked::Answered('c')) else {
            panic!("it is cancelled");
        };
        assert_eq!((holder.unwrap().pid, waited), (7, Duration::from_secs(2)));
    }
}
