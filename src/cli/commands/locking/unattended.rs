//! Waiting for a lock with nobody to ask.

use std::{thread, time::Duration};

use super::who;
use crate::{cli::output::Output, model::ConversationId, workspace::Waiting};

/// How long it is waited in silence: most locks are held for a few milliseconds.
const SILENCE: Duration = Duration::from_millis(300);

/// Somebody who waits and cannot be asked.
pub struct Unattended {
    id: ConversationId,
    is_told: bool,
}

impl Unattended {
    /// Nothing has been told yet.
    pub fn new(id: ConversationId) -> Self {
        Self { id, is_told: false }
    }

    /// Spends the time until the next look at the lock; tells once what is waited for. An interrupt
    /// ends the process, as it does everywhere.
    pub fn meanwhile(&mut self, output: &mut Output, waiting: &Waiting<'_>) {
        if !self.is_told && waiting.waited >= SILENCE {
            self.is_told = true;
            let (id, who) = (self.id, who(waiting.holder));
            output.say(format_args!("Waiting for the lock on conversation {id} ({who})…"));
        }
        thread::sleep(waiting.pause);
    }
}
