//! Lets the user know of a query that nobody watches: it is over, or waits for an answer.
//!
//! Each question is told of once. The program that tells is left to itself, whatever it does and
//! however long it takes: neither does the query wait for it, nor does it end with the query.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    config::Detached,
    env::Env,
    model::{ConversationId, InquiryId},
    process::{self, Child, Spawn},
    workspace::Workspace,
};

/// What is told of a conversation in which a question is open.
pub const WAITING: &str = "waiting";

/// The command that lets the user know, if there is one.
#[derive(Clone)]
pub struct Notifier {
    command: Arc<[String]>,
    env: Env,
    told: Arc<Mutex<HashSet<InquiryId>>>,
}

impl Notifier {
    /// The command that the settings name.
    pub fn of(env: &Env, detached: &Detached) -> Option<Self> {
        let command: Arc<[String]> = detached.notify.clone().into();
        (!command.is_empty()).then(|| Self { command, env: env.clone(), told: Arc::default() })
    }

    /// Tells that a question is open, unless that was told before.
    pub fn waits(&self, conversation: &str, question: &InquiryId, tool: Option<&str>) {
        let is_news = {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            told.insert(question.clone())
        };
        if is_news {
            self.tell(conversation, WAITING, tool);
        }
    }

    /// Tells that a query is over.
    pub fn over(&self, conversation: &str, ending: &str) {
        match self.open_question(conversation).filter(|_| ending == WAITING) {
            Some((question, tool)) => self.waits(conversation, &question, tool.as_deref()),
            None => self.tell(conversation, ending, None),
        }
    }

    /// The question that a conversation waits for, with its tool.
    fn open_question(&self, conversation: &str) -> Option<(InquiryId, Option<String>)> {
        let id: ConversationId = conversation.parse().ok()?;
        let workspace = Workspace::open(&self.env).ok()??;
        let handle = workspace.select(&id.to_string()).ok()?;
        let incomplete = workspace.brief(&handle).ok()?.incomplete?;
        let question = incomplete.progress.open_questions().first()?;
        Some((question.id.clone(), question.tool.as_ref().map(ToString::to_string)))
    }

    /// Runs the command.
    fn tell(&self, conversation: &str, event: &str, tool: Option<&str>) {
        let mut vars = Child::Editor.variables(&self.env);
        vars.remove("JP_TOOL".as_ref() as &std::ffi::OsStr);
        let own = [("JP_CONVERSATION", conversation), ("JP_EVENT", event)];
        let own = own.into_iter().chain(tool.map(|tool| ("JP_TOOL", tool)));
        vars.extend(own.map(|(name, value)| (name.into(), value.into())));
        let mut spawn = Spawn::new(self.command.iter(), self.env.cwd());
        spawn.vars = vars;
        // Whoever is not told finds it in the list of conversations.
        let _untold = process::release(&spawn);
    }
}
