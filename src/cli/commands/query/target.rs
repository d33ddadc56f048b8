//! The conversation that a query goes to.

use super::{
    super::{open, picking},
    keeper::Keeper,
};
use crate::{
    cli::{args::Query, commands::Next, error::CommandError, output::Output},
    config::Resolved,
    env::Env,
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
    /// Finds it: the one that is named, a new one, that of the terminal, or one that somebody
    /// chooses.
    pub fn choose(
        env: &Env,
        output: &mut Output,
        args: &Query,
        interactive: bool,
    ) -> Result<Self, CommandError> {
        let session = Session::of(env);
        if args.no_persist && args.id.is_none() {
            return Ok(Self { workspace: Workspace::open(env)?, session, place: Place::New });
        }
        if args.new {
            let workspace = Some(Workspace::open_or_create(env)?);
            return Ok(Self { workspace, session, place: Place::New });
        }
        let (workspace, handle) = match &args.id {
            Some(id) if id.is_empty() => {
                if !interactive {
                    return Err(picking::no_target());
                }
                let workspace = Workspace::open(env)?.ok_or_else(picking::nothing_yet)?;
                let handle = picking::pick(env, output, &workspace, session.as_ref())?;
                (workspace, handle)
            }
            Some(id) => {
                let workspace = open::workspace_with(env, id)?;
                let handle = workspace.select(id)?;
                (workspace, handle)
            }
            None => of_session(env, output, session.as_ref(), interactive)?,
        };
        open::warn_of_dropped(output, &workspace, &handle, Next::Writes);
        let place = match args.no_persist {
            true => Place::Read(handle),
            false => Place::Locked(Box::new(workspace.lock(handle)?)),
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

/// The conversation of this terminal, or one that somebody chooses. None is ever guessed.
fn of_session(
    env: &Env,
    output: &mut Output,
    session: Option<&Session>,
    interactive: bool,
) -> Result<(Workspace, Handle), CommandError> {
    let Some(session) = session else {
        return Err(ways(CommandError::usage(
            "there is no terminal here that a conversation could belong to",
        ))
        .hint("scripts that set `JP_SESSION` to the same text share a conversation"));
    };
    let none = || ways(CommandError::usage("this terminal has no conversation yet"));
    let workspace = Workspace::open(env)?.ok_or_else(none)?;
    match open::recalled(output, &workspace, session).map_err(ways)? {
        Some(handle) => Ok((workspace, handle)),
        None if interactive && !workspace.ids()?.is_empty() => {
            let handle = picking::pick(env, output, &workspace, Some(session))?;
            Ok((workspace, handle))
        }
        None => Err(none()),
    }
}

/// The ways to say which conversation is meant.
fn ways(error: CommandError) -> CommandError {
    error
        .hint("`jp query --new \"…\"` begins a conversation")
        .hint("`jp query --id=ID \"…\"` continues one; `jp conversation ls` lists them")
}
