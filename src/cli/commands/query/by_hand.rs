//! A tool that the user calls instead of a model.
//!
//! The call goes through a turn like any other, with somebody in place of the model who wants this
//! one tool and says nothing else: so it is asked for, run and interrupted as in a query.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    sync::{Arc, Mutex},
};

use super::{
    asker::Asker,
    front::{Front, Manner},
    listening::{Listener, StoppedBy},
};
use crate::{
    cancel::Cancel,
    cli::{commands::servers::Fleet, error::CommandError, output::Output},
    env::Env,
    model::{
        Address, AnswerId, CallId, Event, EventKind, Finish, Grant, ModelName, Request, ToolName,
        ToolResult, Usage,
    },
    process::Running,
    projection::{Role, Takes},
    provider::{Block, Content, Piece, Provider, ProviderError, Query, Sampling},
    tool::{Audience, Catalog, Unattended},
    turn::{Filed, FollowUp, Inbox, Input, Setup, Sink, Turn, drive},
    ui::{AnswerFormat, Channels, Chrome, Presses, Prompter},
    workspace::WorkspaceError,
};

/// A call by hand.
pub struct ByHand {
    /// The tools that there are.
    pub tools: Catalog,
    /// The tool.
    pub tool: ToolName,
    /// What it is called with, as it was written.
    pub arguments: String,
    /// Whether nobody is to be asked.
    pub non_interactive: bool,
    /// What happens to prompts when nobody can be asked.
    pub unattended: Unattended,
    /// Where programs are listed while they run.
    pub running: Running,
    /// The servers, which end with the call.
    pub fleet: Fleet,
}

impl ByHand {
    /// Makes the call, and waits for its result.
    pub fn call(mut self, env: &Env, output: &Output) -> Result<ToolResult, CommandError> {
        let interactive = !self.non_interactive && Prompter::open(env).is_ok();
        let setup = Setup {
            model: ModelName::new("jp/by-hand"),
            system_prompt: None,
            sampling: Sampling::default(),
            tools: self.tools,
            told_tools: None,
            schema: None,
            audience: if interactive { Audience::Person } else { Audience::Nobody },
            unattended: self.unattended,
            granted: BTreeSet::new(),
            persists: true,
            retries: 0,
            rounds: None,
            takes: Takes::default(),
        };
        let state = env.data_dir().ok_or(WorkspaceError::NoHome)?;
        let caller = Caller { tool: self.tool, arguments: self.arguments };
        let presses = Arc::new(Mutex::new(Presses::new(interactive)));
        let asker =
            interactive.then(|| Asker::start(env, state, presses.clone(), None)).transpose()?;
        let style = output.style();
        let channels = Channels::of_process(env, AnswerFormat::Verbatim, style, Chrome::Quiet)?;
        let manner = Manner { json: false, reasoning: false, data: false };
        let mut front = Front::new(channels, asker, setup.model.to_string(), manner);
        let (inbox, stopped_by) = (Inbox::new(), StoppedBy::default());
        let listener = Listener {
            post: inbox.post(),
            presses,
            asker: front.asker(),
            running: self.running.clone(),
            stopped_by: stopped_by.clone(),
            leave: None,
            has_begun_it: true,
        };
        self.fleet.leave_signals();
        let signals = listener.listen();
        let request = Request { content: "by hand".into(), interrupts: false };
        let first = Input::Begin(vec![Event::new(env.now(), EventKind::Request(request))]);
        let turn = Turn::new(setup, Vec::new());
        let (mut kept, now) = (Kept::default(), || env.now());
        let provider: Arc<dyn Provider> = Arc::new(caller);
        let driven = drive(turn, first, &provider, &mut kept, &mut front, &inbox, &now);
        self.fleet.servers.end();
        self.running.kill_all();
        front.end();
        drop(signals);
        match (driven, kept.result, stopped_by.code()) {
            (Err(error), ..) => Err(CommandError::failure(error)),
            (Ok(_), _, Some(code)) => Err(CommandError::silent(code)),
            (Ok(_), Some(result), _) => Ok(result),
            (Ok(_), None, _) => Err(CommandError::failure("the tool was not run")),
        }
    }
}

/// Who wants a tool to be run, and nothing else.
struct Caller {
    tool: ToolName,
    arguments: String,
}

impl Provider for Caller {
    fn answer(
        &self,
        query: &Query,
        _cancel: &Cancel,
        hear: &mut dyn FnMut(Piece),
    ) -> Result<(), ProviderError> {
        let has_result = query
            .messages
            .iter()
            .any(|message| matches!(message.role, Role::Tool { .. } | Role::Assistant { .. }));
        if has_result {
            hear(Piece::Block(Block::new(Content::Text(String::new()))));
            hear(Piece::Finish(Finish::Stop));
            return Ok(());
        }
        let (tool, arguments) = (self.tool.clone(), self.arguments.clone());
        let call = Content::Call { id: CallId::new("by-hand"), tool, arguments };
        hear(Piece::Block(Block::new(call)));
        hear(Piece::Finish(Finish::ToolCalls));
        Ok(())
    }

    fn takes(&self, _model: &str, _cancel: &Cancel) -> Takes {
        Takes::default()
    }

    fn models(&self, _cancel: &Cancel) -> Result<Vec<String>, ProviderError> {
        Ok(Vec::new())
    }
}

/// Keeps the result, and nothing else.
#[derive(Default)]
struct Kept {
    result: Option<ToolResult>,
}

impl Sink for Kept {
    type Error = Infallible;

    fn append(&mut self, events: &[Event]) -> Result<Vec<Option<Address>>, Infallible> {
        for event in events {
            if let EventKind::ToolResult(result) = &event.kind {
                self.result = Some(result.clone());
            }
        }
        Ok(vec![None; events.len()])
    }

    fn seal(&mut self, _: &AnswerId, _: &Finish, _: &Usage) -> Result<(), Infallible> {
        Ok(())
    }

    fn retract(&mut self, _: &AnswerId) -> Result<Vec<Address>, Infallible> {
        Ok(Vec::new())
    }

    fn queue(&mut self, _: &FollowUp) -> Result<Filed, String> {
        Err("nothing is asked afterwards".to_owned())
    }

    fn grant(&mut self, _: &Grant) -> Result<(), Infallible> {
        Ok(())
    }
}
