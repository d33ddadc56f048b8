//! Lets the user know of a query that nobody watches: it is over, or waits for an answer.

use std::{sync::Arc, thread, time::Duration};

use crate::{
    cancel::Cancel,
    config::Detached,
    env::Env,
    process::{self, Child, Spawn},
};

/// How long the command may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The command that lets the user know, if there is one.
#[derive(Clone)]
pub struct Notifier {
    command: Arc<[String]>,
    env: Env,
}

impl Notifier {
    /// The command that the settings name.
    pub fn of(env: &Env, detached: &Detached) -> Option<Self> {
        let command: Arc<[String]> = detached.notify.clone().into();
        (!command.is_empty()).then(|| Self { command, env: env.clone() })
    }

    /// Runs the command, in a thread of its own.
    pub fn tell(&self, conversation: &str, event: &str, tool: &str) -> thread::JoinHandle<()> {
        let mut vars = Child::Editor.variables(&self.env);
        let own = [("JP_CONVERSATION", conversation), ("JP_EVENT", event), ("JP_TOOL", tool)];
        vars.extend(own.map(|(name, value)| (name.into(), value.into())));
        let mut spawn = Spawn::new(self.command.iter(), self.env.cwd());
        (spawn.vars, spawn.timeout) = (vars, Some(PATIENCE));
        thread::spawn(move || {
            // Whoever is not told finds it in the list of conversations.
            let _untold = process::run(&spawn, &Cancel::new());
        })
    }
}
