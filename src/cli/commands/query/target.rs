//! The conversation that a query goes to.

use std::{num::NonZeroU64, path::PathBuf};

use super::{
    super::{
        Next, Otherwise,
        locking::{self, Locked},
        open,
    },
    forking::{Unfinished, fork_to_ask},
    keeper::Keeper,
    resuming::discard,
};
use crate::{
    cli::{
        args::{Need, Query},
        error::CommandError,
        output::Output,
    },
    config::Resolved,
    env::Env,
    model::{ConversationId, Meta},
    ui::complain,
    workspace::{Conversation, Guard, Handle, QUERY, Session, Workspace, WorkspaceError},
};

/// The conversation that a query goes to.
pub struct Target {
    /// `None` if nothing is kept, and nothing has been kept here so far.
    workspace: Option<Workspace>,
    session: Option<Session>,
    place: Place,
}

/// A conversation that is known before anything is chosen.
pub enum Known {
    /// By its id.
    Named(ConversationId),
    /// It has been written before, and nobody else could since.
    Held(Box<Guard>),
}

enum Place {
    /// One that begins with the query.
    New,
    /// One that nobody else writes meanwhile.
    Locked(Box<Guard>),
    /// A fork that was made for the query, and in which nothing was asked yet.
    Forked(Box<Guard>),
    /// One that is only read.
    Read(Handle),
    /// It has been handed on.
    Taken(Option<ConversationId>),
}

impl Target {
    /// Finds it: the one that is known already, the one that is named or picked, a new one, or that
    /// of the terminal.
    pub fn choose(
        env: &Env,
        output: &mut Output,
        args: &Query,
        known: Option<Known>,
    ) -> Result<Self, CommandError> {
        let known = match known {
            Some(Known::Held(guard)) => return Self::held(env, output, guard),
            Some(Known::Named(id)) => Some(id.to_string()),
            None => None,
        };
        let need = known.as_deref().map_or_else(|| args.need(), Need::Explicit);
        let session = Session::of(env);
        if need == Need::New {
            let workspace = match args.no_persist {
                true => Workspace::open(env)?,
                false => Some(Workspace::open_or_create(env)?.doing(QUERY)),
            };
            return Ok(Self { workspace, session, place: Place::New });
        }
        if args.no_persist && need == Need::Session {
            return Self::of_terminal_to_read(env, output, session);
        }
        // Whoever forks means a conversation: that of the terminal, or one that is named.
        let is_open = args.fork.is_none() || need == Need::Picked;
        let may_ask = is_open && !args.manner.non_interactive;
        let (workspace, handle) = open::find(env, output, need, Otherwise::Nothing, may_ask)?;
        let workspace = workspace.doing(QUERY);
        open::warn_of_dropped(output, &workspace, &handle, Next::Writes);
        let place = match args.fork {
            // Without a question it goes on with the turn that is not complete.
            Some(last) => {
                let goes_on = args.continue_turn.is_some()
                    || (args.no_edit && args.text.is_empty() && !args.discard_turn);
                let unfinished = match goes_on {
                    true => Unfinished::Taken,
                    false => Unfinished::Left,
                };
                forked(env, output, &workspace, &handle, last, unfinished)?
            }
            None if args.no_persist => Place::Read(handle),
            None => locked(env, output, &workspace, handle, !args.manner.non_interactive)?,
        };
        Ok(Self { workspace: Some(workspace), session, place })
    }

    /// The conversation of the turn before, as it is now.
    fn held(env: &Env, output: &mut Output, mut guard: Box<Guard>) -> Result<Self, CommandError> {
        let workspace = Workspace::open(env)?.ok_or(WorkspaceError::NoHome)?.doing(QUERY);
        workspace.catch_up(&mut guard)?;
        open::warn_of_dropped(output, &workspace, &guard, Next::Writes);
        Ok(Self {
            workspace: Some(workspace),
            session: Session::of(env),
            place: Place::Locked(guard),
        })
    }

    /// The conversation of the terminal to read it, or a new one: nothing is kept in either.
    fn of_terminal_to_read(
        env: &Env,
        output: &mut Output,
        session: Option<Session>,
    ) -> Result<Self, CommandError> {
        let workspace = Workspace::open(env)?;
        let own = match workspace.as_ref().zip(session.as_ref()) {
            Some((workspace, session)) => open::recalled(output, workspace, session)?,
            None => None,
        };
        let place = own.map_or(Place::New, Place::Read);
        Ok(Self { workspace, session, place })
    }

    /// The workspace that it is in, if there is one.
    pub fn workspace(&self) -> Option<&Workspace> {
        self.workspace.as_ref()
    }

    /// Where the user's own files about it go.
    pub fn state_dir(&self, env: &Env) -> Result<PathBuf, CommandError> {
        match (&self.workspace, env.data_dir()) {
            (Some(workspace), _) => Ok(workspace.state_dir()?),
            (None, Some(data)) => Ok(data),
            (None, None) => Err(WorkspaceError::NoHome.into()),
        }
    }

    /// Its id, if it is there already.
    pub fn id(&self) -> Option<ConversationId> {
        match &self.place {
            Place::New => None,
            Place::Locked(guard) | Place::Forked(guard) => Some(guard.id()),
            Place::Read(handle) => Some(handle.id()),
            Place::Taken(id) => *id,
        }
    }

    /// Changes it, if nobody else writes it meanwhile and it is there already.
    pub fn change<T>(
        &mut self,
        change: impl FnOnce(&Workspace, &mut Guard) -> Result<Option<T>, CommandError>,
    ) -> Result<Option<T>, CommandError> {
        match (&self.workspace, &mut self.place) {
            (Some(workspace), Place::Locked(guard) | Place::Forked(guard)) => {
                change(workspace, guard)
            }
            _ => Ok(None),
        }
    }

    /// Discards its last turn, if it is not complete.
    pub fn discard_turn(&mut self, output: &mut Output) -> Result<(), CommandError> {
        self.change(|workspace, guard| discard(output, workspace, guard).map(Some))?;
        Ok(())
    }

    /// What was said in it before.
    pub fn load(&self, output: &mut Output) -> Result<Option<Conversation>, CommandError> {
        let handle: &Handle = match &self.place {
            Place::New | Place::Taken(_) => return Ok(None),
            Place::Locked(guard) | Place::Forked(guard) => guard,
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
            Place::Locked(guard) | Place::Forked(guard) => Keeper::of(workspace, session, *guard)?,
            Place::Read(_) | Place::Taken(_) => Keeper::of_nothing(),
        };
        Ok(keeper)
    }
}

impl Drop for Target {
    /// A fork in which nothing was asked after all is put away.
    fn drop(&mut self) {
        let place = std::mem::replace(&mut self.place, Place::Taken(None));
        if let (Place::Forked(guard), Some(workspace)) = (place, &self.workspace) {
            let id = guard.id();
            complain(match workspace.remove(*guard) {
                Ok(_) => format!("The fork {id} is in the trash: nothing was asked in it"),
                Err(error) => format!("warning: the fork {id} is left: {error}"),
            });
        }
    }
}

/// Where a query goes on that is to be kept: where it was meant to, unless somebody else is there
/// and the user would not wait.
fn locked(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    handle: Handle,
    interactive: bool,
) -> Result<Place, CommandError> {
    match locking::lock_or_else(env, output, workspace, handle, interactive)? {
        Locked::Guard(guard) => Ok(Place::Locked(guard)),
        Locked::New => Ok(Place::New),
        // What somebody else is at is never gone on with.
        Locked::Fork(handle) => forked(env, output, workspace, &handle, None, Unfinished::Left),
    }
}

/// A fork of a conversation, of all of it or of its last turns.
fn forked(
    env: &Env,
    output: &mut Output,
    workspace: &Workspace,
    source: &Handle,
    last: Option<NonZeroU64>,
    unfinished: Unfinished,
) -> Result<Place, CommandError> {
    let fork = fork_to_ask(env, output, workspace, source, last, unfinished)?;
    Ok(fork.map_or(Place::New, |guard| Place::Forked(Box::new(guard))))
}
