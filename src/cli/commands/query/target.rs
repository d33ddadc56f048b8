//! The conversation that a query goes to.

use std::num::NonZeroU64;

use super::{
    super::{Next, Otherwise, open, tell_notes},
    keeper::Keeper,
};
use crate::{
    cli::{
        args::{Need, Query},
        error::CommandError,
        output::Output,
    },
    config::Resolved,
    env::Env,
    history::{Keep, fork},
    model::{ConversationId, Meta},
    workspace::{Conversation, Guard, Handle, Session, Workspace},
};

/// The conversation that a query goes to.
pub struct Target {
    /// `None` if nothing is kept, and nothing has been kept here so far.
    workspace: Option<Workspace>,
    session: Option<Session>,
    place: Place,
}

enum Place {
    /// One that begins with the query.
    New,
    /// One that nobody else writes meanwhile.
    Locked(Box<Guard>),
    /// One that is only read.
    Read(Handle),
    /// It has been handed on.
    Taken(Option<ConversationId>),
}

impl Target {
    /// Finds it: the one that is named or picked, a new one, or that of the terminal.
    pub fn choose(env: &Env, output: &mut Output, args: &Query) -> Result<Self, CommandError> {
        let (session, need) = (Session::of(env), args.need());
        if need == Need::New {
            let workspace = match args.no_persist {
                true => Workspace::open(env)?,
                false => Some(Workspace::open_or_create(env)?),
            };
            return Ok(Self { workspace, session, place: Place::New });
        }
        // Whoever forks means a conversation: that of the terminal, or one that is named.
        let is_asked = args.fork.is_none() || need == Need::Picked;
        let can_ask = is_asked && !args.non_interactive && open::can_ask(env);
        let (workspace, handle) = open::find(env, output, need, Otherwise::Nothing, can_ask)?;
        open::warn_of_dropped(output, &workspace, &handle, Next::Writes);
        let place = match args.fork {
            Some(last) => Place::Locked(Box::new(forked(env, output, &workspace, &handle, last)?)),
            None if args.no_persist => Place::Read(handle),
            None => Place::Locked(Box::new(workspace.lock(handle)?)),
        };
        Ok(Self { workspace: Some(workspace), session, place })
    }

    /// The workspace that it is in, if there is one.
    pub fn workspace(&self) -> Option<&Workspace> {
        self.workspace.as_ref()
    }

    /// Its id, if it is there already.
    pub fn id(&self) -> Option<ConversationId> {
        match &self.place {
            Place::New => None,
            Place::Locked(guard) => Some(guard.id()),
            Place::Read(handle) => Some(handle.id()),
            Place::Taken(id) => *id,
        }
    }

    /// What was said in it before.
    pub fn load(&self, output: &mut Output) -> Result<Option<Conversation>, CommandError> {
        let handle: &Handle = match &self.place {
            Place::New | Place::Taken(_) => return Ok(None),
            Place::Locked(guard) => guard,
            Place::Read(handle) => handle,
        };
        let Some(workspace) = &self.workspace else { return Ok(None) };
        let conversation = workspace.load(handle)?;
        for problem in &conversation.problems {
            output.warn(problem);
        }
        Ok(Some(conversation))
    }

    /// Where the events of the query go.
    pub fn keeper(
        &mut self,
        args: &Query,
        meta: Meta,
        resolved: &Resolved,
    ) -> Result<Keeper<'_>, CommandError> {
        let taken = Place::Taken(self.id());
        let session = self.session.as_ref();
        let place = std::mem::replace(&mut self.place, taken);
        let Some(workspace) = self.workspace.as_ref().filter(|_| !args.no_persist) else {
            return Ok(Keeper::of_nothing());
        };
        let keeper = match place {
            Place::New => Keeper::of_new(workspace, session, meta, resolved.base_config()),
            Place::Locked(guard) => Keeper::of(workspace, session, *guard)?,
            Place::Read(_) | Place::Taken(_) => Keeper::of_nothing(),
        };
        Ok(keeper)
    }
}

/// A fork of a conversation, of all of it or of its last turns. The lock of the original is not
/// needed for it.
fn forked(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    source: &Handle,
    last: Option<NonZeroU64>,
) -> Result<Guard, CommandError> {
    let keep = last.map_or(Keep::All, |last| Keep::Last(last.get()));
    let mut fork = fork(workspace, source, &keep, None, env.now())?;
    tell_notes(output, &mut fork.guard);
    output.warn_all(&fork.remarks);
    output.say(format_args!("Forked {} as {}", source.id(), fork.id));
    Ok(fork.guard)
}
