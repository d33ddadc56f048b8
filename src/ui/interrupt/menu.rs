//! The menu that the first Ctrl+C opens.

use super::super::prompt::{Asked, Key, Prompter, Wake};

/// What to do with an answer that was interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// Let it go on.
    Continue,
    /// Stop it, and keep what came.
    Stop,
    /// Stop it, keep what came, and say this to it.
    Reply(String),
    /// Stop it; what is not complete is of no use.
    Abort,
    /// Leave it alone: it goes on elsewhere.
    Detach,
}

impl Prompter<'_> {
    /// Asks what to do with an answer that goes on meanwhile. Ctrl+C in the menu is the second
    /// press of it, and stops.
    pub fn menu(&mut self, can_detach: bool, wake: &Wake) -> Asked<Interruption> {
        let keys = [
            Key { key: 'c', says: "continue" },
            Key { key: 's', says: "stop and keep what came" },
            Key { key: 'r', says: "reply" },
            Key { key: 'a', says: "abort" },
            Key { key: 'd', says: "detach" },
        ];
        let keys = if can_detach { &keys[..] } else { &keys[..4] };
        loop {
            match self.choose("Interrupted:", keys, None, wake) {
                Asked::Answered('c') => return Asked::Answered(Interruption::Continue),
                Asked::Answered('r') => {
                    self.say("Alt+Enter begins a new line.");
                    match self.text("Reply: ", wake) {
                        // Without a reply it is as if the key had not been pressed.
                        Asked::Answered(text) if text.trim().is_empty() => {}
                        Asked::Cancelled => {}
                        asked => return asked.map(Interruption::Reply),
                    }
                }
                Asked::Answered('a') => return Asked::Answered(Interruption::Abort),
                Asked::Answered('d') => return Asked::Answered(Interruption::Detach),
                Asked::Answered(_) | Asked::Cancelled => {
                    return Asked::Answered(Interruption::Stop);
                }
                Asked::Gone => return Asked::Gone,
                Asked::Woken(typed) => return Asked::Woken(typed),
            }
        }
    }
}
