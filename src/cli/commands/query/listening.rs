//! What a signal does to a query.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU8, Ordering},
};

use super::{super::BY_SIGNAL, asker::Bell};
use crate::{
    process::Running,
    turn::{Interrupt, Post},
    ui::{Press, Presses, Signal, Signals},
};

/// The signal that stopped a query, if one did.
#[derive(Clone, Debug, Default)]
pub struct StoppedBy(Arc<AtomicU8>);

impl StoppedBy {
    /// The exit code that tells of it.
    pub fn code(&self) -> Option<u8> {
        match self.0.load(Ordering::SeqCst) {
            0 => None,
            number => Some(BY_SIGNAL + number),
        }
    }

    fn is(&self, signal: Signal) -> bool {
        self.0.load(Ordering::SeqCst) == signal.number()
    }

    /// This signal stopped it.
    pub fn note(&self, signal: Signal) {
        self.0.store(signal.number(), Ordering::SeqCst);
    }
}

/// Who hears of a signal.
pub struct Listener {
    /// The turn.
    pub post: Post,
    /// How often it was interrupted.
    pub presses: Arc<Mutex<Presses>>,
    /// Who asks what to do, if somebody can be asked.
    pub asker: Option<Bell>,
    /// The programs that tools run.
    pub running: Running,
    /// What stopped it.
    pub stopped_by: StoppedBy,
    /// Leaves a query that goes on elsewhere.
    pub leave: Option<Leave>,
    /// Whether the query was begun from here, and is told to end with us.
    pub has_begun_it: bool,
}

/// Leaves a query that goes on elsewhere, from any thread.
pub type Leave = Arc<dyn Fn(Leaving) + Send + Sync>;

/// Why somebody leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// They want to.
    Wanted,
    /// Their terminal is gone.
    TerminalGone,
}

impl Listener {
    /// Lets Ctrl+C and the end of the terminal be heard.
    pub fn listen(self) -> Option<Signals> {
        // Without them an interrupt ends the process, and what was stored is safe.
        let listening = match self.leave {
            Some(_) => Signals::listen_for_suspend(move |signal| self.hear(signal)),
            None => Signals::listen(move |signal| self.hear(signal)),
        };
        listening.ok()
    }

    fn hear(&self, signal: Signal) {
        if let Some(leave) = &self.leave {
            let leaving = match signal {
                Signal::Suspend => Some(Leaving::Wanted),
                Signal::Hangup => Some(Leaving::TerminalGone),
                // Whoever only came by does not end it for all others.
                Signal::Terminate if !self.has_begun_it => Some(Leaving::Wanted),
                Signal::Interrupt | Signal::Terminate => None,
            };
            if let Some(leaving) = leaving {
                if let Some(asker) = &self.asker {
                    asker.close();
                }
                return leave(leaving);
            }
        }
        let mut presses = self.presses.lock().unwrap_or_else(PoisonError::into_inner);
        // A terminal that goes away may say so more than once: the kernel does, and the shell.
        if signal == Signal::Hangup && self.stopped_by.is(signal) {
            return;
        }
        match (signal, presses.press()) {
            (Signal::Interrupt, Press::Menu) => {
                if let Some(asker) = &self.asker {
                    asker.menu(&self.post);
                }
            }
            // It was told to end before, and something holds it up.
            (_, Press::Exit) => {
                self.running.kill_all();
                crate::ui::leave_terminal();
                signal_hook::low_level::exit(i32::from(BY_SIGNAL + signal.number()));
            }
            (Signal::Interrupt, Press::Stop)
            | (Signal::Terminate | Signal::Hangup | Signal::Suspend, _) => {
                presses.stop();
                self.stopped_by.note(signal);
                if let Some(asker) = &self.asker {
                    asker.call_off();
                }
                self.post.interrupt(match signal {
                    Signal::Interrupt => Interrupt::Stop,
                    // What somebody was asked is asked again when they are back.
                    Signal::Terminate | Signal::Hangup | Signal::Suspend => Interrupt::HangUp,
                });
            }
        }
    }
}
